/* Pages of labels in Parquet as their writer packed them, for Python: infoscope.readers._packed.

A column of labels is stored as a dictionary and, for each row, a number of few bits. Readers turn those into a value
for each row before anybody can count them; here they go from the bits to the cell of a table, without Python's lock.
Whatever is not of this form, or does not fit, is a ValueError.
*/

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "chunks.h"
#include "values.h"

/* The buffers of a call; those that it does not take stay empty. */
typedef struct {
    Py_buffer bytes, records, places, truth, cells;
} Held;

static void release(Held *held) {
    Py_buffer *all[] = {&held->bytes, &held->records, &held->places, &held->truth, &held->cells};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->obj)
            PyBuffer_Release(all[i]);
}

static Chunk chunk_of(const Held *held, int snappy, int optional) {
    size_t pages = (size_t)held->records.len / sizeof(Page);
    Chunk chunk = {held->bytes.buf, (size_t)held->bytes.len, held->records.buf, pages, snappy, optional};
    return chunk;
}

/* An error of its own where Python has none yet. */
static PyObject *rejected(const char *why) {
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, why);
    return NULL;
}

/* pages(chunk): a record for each page of a column chunk. */
static PyObject *pages(PyObject *self, PyObject *chunk) {
    (void)self;
    Py_buffer buffer;
    if (PyObject_GetBuffer(chunk, &buffer, PyBUF_SIMPLE))
        return NULL;
    const uint8_t *start = buffer.buf;
    const Bytes all = {start, start + buffer.len};
    Page page;
    Py_ssize_t count = 0;
    int fault = 0;
    for (Bytes bytes = all; !fault && bytes.at < bytes.end; count++)
        fault = read_header(&bytes, start, &page);
    PyObject *records = fault ? NULL : PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(Page));
    char *record = records ? PyBytes_AsString(records) : NULL;
    for (Bytes bytes = all; record && bytes.at < bytes.end; record += sizeof(Page)) {
        read_header(&bytes, start, &page);
        memcpy(record, &page, sizeof page);
    }
    PyBuffer_Release(&buffer);
    return records ? records : rejected("a header that is not of a page");
}

/* -- values ------------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject *list;
    int numbers;
} Values;

/* One more value to a list: a text, a number of so many bytes (below 0: one without a sign), or None. */
static int append_value(void *values, const uint8_t *from, size_t size) {
    int numbers = ((Values *)values)->numbers;
    uint64_t number = 0;
    PyObject *value;
    if (from && numbers)
        memcpy(&number, from, size);
    if (!from)
        value = Py_NewRef(Py_None);
    else if (!numbers)
        value = PyUnicode_DecodeUTF8((const char *)from, (Py_ssize_t)size, NULL);
    else if (numbers < 0)
        value = PyLong_FromUnsignedLongLong(number);
    else
        value = PyLong_FromLongLong(numbers == 4 ? (int32_t)(uint32_t)number : (int64_t)number);
    int fault = !value || PyList_Append(((Values *)values)->list, value);
    Py_XDECREF(value);
    return fault;
}

/* The values of a page to a list that may have so many in the end. */
static int append_page(PyObject *list, const Chunk *chunk, size_t at, int numbers, Py_ssize_t most) {
    Values values = {list, numbers};
    Py_ssize_t left = most - PyList_Size(list);
    return left < 0 ? -1 : visit_values(chunk, at, (uint64_t)left, numbers, append_value, &values);
}

static int kind_at(const Chunk *chunk, size_t at) {
    Page page;
    Bytes body;
    return at < chunk->pages && !page_at(chunk, at, &page, &body) ? (int)page.kind : -1;
}

/* dictionary(chunk, pages, snappy, numbers): its labels; it must be the first page. */
static PyObject *dictionary(PyObject *self, PyObject *args) {
    (void)self;
    Held held;
    int snappy, numbers;
    memset(&held, 0, sizeof held);
    if (!PyArg_ParseTuple(args, "y*y*pi", &held.bytes, &held.records, &snappy, &numbers))
        return NULL;
    Chunk chunk = chunk_of(&held, snappy, 0);
    PyObject *list = PyList_New(0);
    if (list && (kind_at(&chunk, 0) != DICTIONARY || append_page(list, &chunk, 0, numbers, MOST_LABELS)))
        Py_CLEAR(list);
    release(&held);
    return list ? list : rejected("a chunk that does not start with a dictionary of fair size");
}

/* places(labels, known): the place of each label and then that of None, by a dictionary; None where one is not known. */
static PyObject *places(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *labels, *known;
    if (!PyArg_ParseTuple(args, "OO", &labels, &known))
        return NULL;
    Py_ssize_t count = PyList_Size(labels);
    PyObject *bytes = count < 0 ? NULL : PyBytes_FromStringAndSize(NULL, 2 * (count + 1));
    if (!bytes)
        return NULL;
    char *out = PyBytes_AsString(bytes);
    for (Py_ssize_t i = 0; i <= count; i++, out += 2) {
        PyObject *place = PyDict_GetItemWithError(known, i < count ? PyList_GetItem(labels, i) : Py_None);
        long number = place ? PyLong_AsLong(place) : -1;
        if (number < 0 || number > UINT16_MAX) {
            Py_DECREF(bytes);
            if (PyErr_Occurred())
                return NULL;
            Py_RETURN_NONE;
        }
        uint16_t narrow = (uint16_t)number;
        memcpy(out, &narrow, 2);
    }
    return bytes;
}

/* values(chunk, pages, snappy, optional, numbers, rows): of a chunk without a dictionary, which has just so many. */
static PyObject *values(PyObject *self, PyObject *args) {
    (void)self;
    Held held;
    int snappy, optional, numbers;
    Py_ssize_t rows;
    memset(&held, 0, sizeof held);
    if (!PyArg_ParseTuple(args, "y*y*ppin", &held.bytes, &held.records, &snappy, &optional, &numbers, &rows))
        return NULL;
    Chunk chunk = chunk_of(&held, snappy, optional);
    PyObject *list = PyList_New(0);
    for (size_t at = 0; list && at < chunk.pages; at++) {
        int kind = kind_at(&chunk, at);
        if ((kind != DATA && kind != SECOND_DATA) || append_page(list, &chunk, at, numbers, rows))
            Py_CLEAR(list);
    }
    if (list && PyList_Size(list) != rows)
        Py_CLEAR(list);
    release(&held);
    return list ? list : rejected("values that do not fit their page");
}

/* -- codes -------------------------------------------------------------------------------------------------------- */

static PyObject *visited(Held *held, Chunk chunk, Visit visit, Py_ssize_t columns) {
    int fault;
    Py_BEGIN_ALLOW_THREADS
    Table table = {held->cells.buf, (size_t)held->cells.len / 4 / (size_t)columns, (size_t)columns};
    fault = visit_pages(
        &chunk, held->places.buf, (size_t)held->places.len / 2, held->truth.buf, (size_t)held->truth.len / 2, visit, &table);
    Py_END_ALLOW_THREADS
    release(held);
    if (fault)
        return rejected("codes that do not fit their page, their dictionary or their table");
    Py_RETURN_NONE;
}

/* codes(chunk, pages, snappy, optional, places, truth): the place of each row's label. */
static PyObject *codes(PyObject *self, PyObject *args) {
    (void)self;
    Held held;
    int snappy, optional;
    memset(&held, 0, sizeof held);
    if (!PyArg_ParseTuple(
            args, "y*y*ppy*w*", &held.bytes, &held.records, &snappy, &optional, &held.places, &held.truth))
        return NULL;
    return visited(&held, chunk_of(&held, snappy, optional), place_page, 1);
}

/* tally(chunk, pages, snappy, optional, places, truth, cells, columns): one more in the cell of each row's truth and
label; cells are 32-bit numbers, which the caller keeps from overflowing. The last column is spare. After an error the
cells are of no use. */
static PyObject *tally(PyObject *self, PyObject *args) {
    (void)self;
    Held held;
    int snappy, optional;
    Py_ssize_t columns;
    memset(&held, 0, sizeof held);
    if (!PyArg_ParseTuple(
            args, "y*y*ppy*w*w*n", &held.bytes, &held.records, &snappy, &optional, &held.places, &held.truth,
            &held.cells, &columns))
        return NULL;
    if (columns < 1 || columns > UINT16_MAX + 1) {
        release(&held);
        return rejected("columns that do not fit a table");
    }
    return visited(&held, chunk_of(&held, snappy, optional), add_page, columns);
}

/* -- the module --------------------------------------------------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"pages", pages, METH_O, "A record for each page of a column chunk."},
    {"dictionary", dictionary, METH_VARARGS, "The labels of a chunk's dictionary."},
    {"places", places, METH_VARARGS, "The places of labels that are all known."},
    {"values", values, METH_VARARGS, "The values of a chunk without a dictionary."},
    {"codes", codes, METH_VARARGS, "The place of each row's label."},
    {"tally", tally, METH_VARARGS, "Add the rows of a chunk to a table of truth against label."},
    {NULL, NULL, 0, NULL},
};

/* FIELDS: numbers of a page's record, by which a caller knows a part that was built for another version. */
static int execute(PyObject *built) { return PyModule_AddIntConstant(built, "FIELDS", sizeof(Page) / sizeof(int64_t)); }

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "infoscope.readers._packed", "Pages of labels in Parquet, as packed.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__packed(void) { return PyModuleDef_Init(&module); }
