"""The kernels of a CUDA device, compiled for the processor and run thread by thread: the same counts."""

import ctypes
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from tests.api import NO_ENDS

COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
STUBS = r"""
#include <cstddef>
#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
struct Place { unsigned x; };
static Place threadIdx, blockIdx, blockDim, gridDim;
double storage[1 << 15];
static void __syncthreads() {}
template <typename T> T atomicAdd(T* at, T more) { T old = *at; *at += more; return old; }
template <typename T> T atomicMin(T* at, T other) { T old = *at; if (other < old) *at = other; return old; }
template <typename T> T atomicMax(T* at, T other) { T old = *at; if (other > old) *at = other; return old; }
"""
CALL = """
extern "C" void {name}(const {t}* truth, const {s}* system, const {counted}* weights, long long size, long long low,
    unsigned classes, unsigned has_ignored, long long ignored, unsigned copies, {total}* table, long long* ends) {{
    blockDim.x = 1; gridDim.x = 3; threadIdx.x = 0;
    for (blockIdx.x = 0; blockIdx.x < 3; ++blockIdx.x)
        {kernel}<{t}, {s}, {together}, {counted}>(truth, system, weights, size, low, classes, has_ignored, ignored,
                                                  copies, table, ends);
}}
"""
FORMS = {
    "blocks": ("count_in_blocks", "long long", "long long", 2, "unsigned", "unsigned long long"),
    "bytes": ("count_in_blocks", "unsigned char", "unsigned char", 16, "unsigned", "unsigned long long"),
    "mixed": ("count_in_blocks", "unsigned char", "int", 4, "unsigned", "unsigned long long"),
    "unaligned": ("count_in_blocks", "long long", "long long", 1, "unsigned", "unsigned long long"),
    "cache": ("count_in_cache", "long long", "long long", 2, "unsigned", "unsigned"),
    "weighted": ("count_in_blocks", "long long", "long long", 2, "double", "double"),
    "weighted_cache": ("count_in_cache", "int", "int", 4, "double", "double"),
}
TYPES = {"long long": np.int64, "unsigned char": np.uint8, "int": np.int32, "double": np.float64}
TOTALS = {"unsigned long long": np.uint64, "unsigned": np.uint32, "double": np.float64}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if COMPILER is None:
        pytest.skip("compiling the kernels for the processor needs a C++ compiler")
    folder: Path = tmp_path_factory.mktemp("kernel")
    source = resources.files("infoscope.tables.device").joinpath("pair_counts.cu").read_text(encoding="utf-8")
    words = ("kernel", "t", "s", "together", "counted", "total")
    calls = [CALL.format(name=name, **dict(zip(words, form, strict=True))) for name, form in FORMS.items()]
    (folder / "kernels.cpp").write_text("\n".join([STUBS, source, *calls]), encoding="utf-8")
    command = [COMPILER, "-std=c++17", "-w", "-shared", "-fPIC", "-o", str(folder / "kernels.so")]
    subprocess.run([*command, str(folder / "kernels.cpp")], check=True)
    return ctypes.CDLL(str(folder / "kernels.so"))


def run(kernels, name, truth, system, *, classes, low=0, ignored=None, weights=None):
    _, t, s, _, _, total = FORMS[name]
    truth, system = np.ascontiguousarray(truth, TYPES[t]), np.ascontiguousarray(system, TYPES[s])
    table, ends = np.zeros(classes * classes + 2, TOTALS[total]), np.array(NO_ENDS, np.int64)
    address = ctypes.c_void_p
    getattr(kernels, name)(
        address(truth.ctypes.data),
        address(system.ctypes.data),
        address(0 if weights is None else weights.ctypes.data),
        ctypes.c_longlong(len(truth)),
        ctypes.c_longlong(low),
        ctypes.c_uint(classes),
        ctypes.c_uint(ignored is not None),
        ctypes.c_longlong(ignored or 0),
        ctypes.c_uint(3),
        address(table.ctypes.data),
        address(ends.ctypes.data),
    )
    return table, ends.tolist()


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("size", [0, 1, 37, 1000])
def test_every_pair_is_counted_in_its_cell(kernels, name, size):
    random = np.random.default_rng(size)
    truth, system = random.integers(0, 7, size), random.integers(0, 7, size)
    weights = random.integers(0, 9, size) / 4 if name.startswith("weighted") else None

    table, ends = run(kernels, name, truth, system, classes=7, weights=weights)

    assert np.array_equal(table[:-2], np.bincount(truth * 7 + system, weights, minlength=49))
    assert not table[-2:].any()
    assert ends == list(NO_ENDS)


@pytest.mark.parametrize("name", ["blocks", "unaligned", "cache", "weighted", "weighted_cache"])
def test_labels_out_of_range_and_ignored_ones_are_counted_apart(kernels, name):
    truth = np.array([3, 4, 5, 2, -7, 5, 900, 9, 9])
    system = np.array([3, 5, 3, 5, 4, 77, 4, 4, -1])
    weights = np.full(len(truth), 0.5) if name.startswith("weighted") else None

    table, ends = run(kernels, name, truth, system, classes=3, low=3, ignored=9, weights=weights)

    one = 1 if weights is None else 0.5
    assert table[:-2].reshape(3, 3).tolist() == [[one, 0, 0], [0, 0, one], [one, 0, 0]]
    assert table[-2:].tolist() == [4, 2]
    assert ends == [-7, 900, 77, 77]
