/* Work on long columns of numbers, for Python: infoscope._kernels. Callers check types; sizes are checked here. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "decimals.h"
#include "ranking.h"

static int is_aligned(const Py_buffer *numbers) {
    return !numbers->len || (uintptr_t)numbers->buf % sizeof(double) == 0;
}

/* decimals(text, delimiter, columns, values): rows read into a table of doubles, columns one after the other. */
static PyObject *decimals(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer text, values;
    unsigned char delimiter;
    Py_ssize_t columns;
    if (!PyArg_ParseTuple(args, "y*bnw*", &text, &delimiter, &columns, &values))
        return NULL;
    ptrdiff_t rows = -1;
    if (columns > 0 && delimiter != '\n' && delimiter != '\r' && is_aligned(&values)) {
        const uint8_t *start = text.buf;
        const Bytes bytes = {start, start + text.len};
        size_t room = (size_t)values.len / sizeof(double) / (size_t)columns;
        Py_BEGIN_ALLOW_THREADS;
        rows = read_decimals(bytes, delimiter, (size_t)columns, room, values.buf);
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&text);
    PyBuffer_Release(&values);
    return PyLong_FromSsize_t(rows);
}

/* rank(scores, is_positive, keys, thresholds, hits, reached): the number of distinct scores. */
static PyObject *rank(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer scores, is_positive, keys, thresholds, hits, reached;
    if (!PyArg_ParseTuple(args, "y*y*w*w*w*w*", &scores, &is_positive, &keys, &thresholds, &hits, &reached))
        return NULL;
    Py_buffer *all[] = {&is_positive, &scores, &keys, &thresholds, &hits, &reached};
    Py_ssize_t samples = is_positive.len;
    size_t levels = 0, buffers = sizeof all / sizeof *all;
    int fits = 1;
    for (size_t i = 1; i < buffers; i++)
        fits &= all[i]->len / (Py_ssize_t)sizeof(double) == samples && is_aligned(all[i]);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS;
        levels = rank_scores(
            scores.buf, is_positive.buf, (size_t)samples, keys.buf, thresholds.buf, hits.buf, reached.buf);
        Py_END_ALLOW_THREADS;
    } else
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or not aligned");
    for (size_t i = 0; i < buffers; i++)
        PyBuffer_Release(all[i]);
    return fits ? PyLong_FromSize_t(levels) : NULL;
}

static PyMethodDef methods[] = {
    {"decimals", decimals, METH_VARARGS, "Rows of decimal numbers, or -1 where they are not plain."},
    {"rank", rank, METH_VARARGS, "Distinct scores from the highest down, with the samples that reach them."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "infoscope._kernels", "Work on long columns of numbers.", 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModuleDef_Init(&module); }
