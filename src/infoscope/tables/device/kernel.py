"""Counting on a CUDA device in one pass: the kernels of pair_counts.cu, compiled at first use through CuPy.

They work on the stream that the caller's library works on, and nothing here waits for them.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from infoscope.tables.device.libraries import Span, Tensor, TensorPairs, device_of

_TYPES = {
    "bool": "unsigned char",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
}
THREADS = 1024
MAX_COPIES = 32
"""Copies of a small table in a block: more of them keep threads from meeting in one cell."""
MAX_PAIRS_PER_LAUNCH = 1 << 30
"""A cell of the cached table has 32 bits."""


@cache
def _cupy() -> Any:
    try:
        cupy = importlib.import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # a build for another driver fails in its own ways, and counting goes on without it
        import logging  # noqa: PLC0415 - where there is something to say

        logging.getLogger("infoscope").debug(
            "tensors on CUDA devices are counted by bincount, for CuPy cannot be used: %s", error
        )
        return None
    return cupy


def is_usable(values: Tensor) -> bool:
    """Return True if CuPy is installed and works, and the values lie on a CUDA device."""
    place = device_of(values) or ""
    if not place.startswith("cuda") or "+" in place:
        return False
    return _cupy() is not None and _dtype(values) in _TYPES


def _dtype(values: Tensor) -> str:
    return str(values.dtype).removeprefix("torch.")


def _pointer(values: Tensor | None) -> int:
    if values is None:
        return 0
    return int(values.data_ptr() if hasattr(values, "data_ptr") else values.data.ptr)


def _device(values: Tensor) -> int:
    return int(values.device.index if hasattr(values.device, "index") else values.device.id)


def stream(values: Tensor) -> Any:
    """Return the stream that the library of an array works on, as CuPy's: a context."""
    cupy = _cupy()
    if not hasattr(values, "data_ptr"):
        return cupy.cuda.get_current_stream()
    torch = importlib.import_module("torch")
    return _external_stream(torch.cuda.current_stream(values.device).cuda_stream, _device(values))


@cache
def _external_stream(pointer: int, device: int) -> Any:
    return _cupy().cuda.ExternalStream(pointer, device)


@cache
def _kernel(name: str, types: tuple[str, str], together: int, counted: str, device: int) -> Any:
    """Return a kernel for labels of two types, loaded on a device: the last argument is a key alone."""
    source = resources.files("infoscope.tables.device").joinpath("pair_counts.cu").read_text(encoding="utf-8")
    wanted = f"{name}<{_TYPES[types[0]]}, {_TYPES[types[1]]}, {together}, {counted}>"
    kernel = _cupy().RawModule(code=source, options=("-std=c++17",), name_expressions=(wanted,)).get_function(wanted)
    kernel.max_dynamic_shared_size_bytes = _shared_bytes(device)
    return kernel


@cache
def _shared_bytes(device: int) -> int:
    """Return the memory that a block may have to itself."""
    return int(_cupy().cuda.Device(device).attributes["MaxSharedMemoryPerBlockOptin"])


@cache
def _units(device: int) -> int:
    return int(_cupy().cuda.Device(device).attributes["MultiProcessorCount"])


@dataclass(frozen=True)
class _Plan:
    """The plan by which a table of this size is counted on a device."""

    name: str
    shared: int
    """Bytes a block has in shared memory."""
    copies: int

    @classmethod
    @cache
    def of(cls, span: Span, cell: int, device: int) -> _Plan:
        most = _shared_bytes(device)
        table = (span.cells | 1) * cell
        if table <= most:
            copies = max(1, min(MAX_COPIES, (most // 2 - 1024) // table))  # the device keeps 1 KiB for each block
            return cls("count_in_blocks", table * copies, copies)
        return cls("count_in_cache", (span.classes + 2) * cell, 1)

    def blocks(self, packs: int, device: int) -> int:
        """Return how many blocks the device holds at a time, two for each unit, and no more than there is work for."""
        resident = 2 if 2 * (self.shared + 1024) <= _shared_bytes(device) else 1
        return max(1, min(_units(device) * resident, -(-packs // THREADS)))


def fits(span: Span, values: Tensor) -> bool:
    """Return True if the diagonal of a table can be kept in shared memory, which the kernel for many classes needs."""
    return (span.classes + 2) * 8 <= _shared_bytes(_device(values))


def add_pairs(pairs: TensorPairs, span: Span, table: Tensor, ends: Tensor) -> None:
    """Add pairs to a table of 64-bit cells (whole numbers, or float64 for weights) on the same device.

    ``ends`` are the smallest and largest label out of range, of the truth and of the predictions.
    """
    truth, system, weights = pairs.truth, pairs.system, pairs.weights
    counted = "unsigned" if weights is None else "double"
    device = _device(truth)
    plan = _Plan.of(span, 4 if weights is None else 8, device)
    in_cache = plan.name == "count_in_cache" and weights is None
    width = max(truth.dtype.itemsize, system.dtype.itemsize)
    with _on(device), stream(truth):
        for t, s, w in _launches(truth, system, weights):
            together = 16 // width
            if any(_pointer(side) % (together * side.dtype.itemsize) for side in (t, s)):
                together = 1  # a slice that begins between two loads
            target = table if not in_cache else _narrow(table)
            kernel = _kernel(plan.name, (_dtype(t), _dtype(s)), together, counted, device)
            arguments = (
                *(np.uint64(_pointer(array)) for array in (t, s, w)),
                np.int64(len(t)),
                np.int64(span.low),
                np.uint32(span.classes),
                np.uint32(span.ignored is not None),
                np.int64(span.ignored or 0),
                np.uint32(plan.copies),
                *(np.uint64(_pointer(array)) for array in (target, ends)),
            )
            kernel((plan.blocks(len(t) // together, device),), (THREADS,), arguments, shared_mem=plan.shared)
            if in_cache:
                table += target


def _on(device: int) -> AbstractContextManager[object]:
    """Return the device as the current one."""
    cupy = _cupy()
    return nullcontext() if cupy.cuda.runtime.getDevice() == device else cupy.cuda.Device(device)


def _launches(truth: Tensor, system: Tensor, weights: Tensor | None) -> Iterator[tuple[Tensor, Tensor, Tensor | None]]:
    """Yield the pairs in pieces that one launch may count; usually there is one."""
    if 0 < len(truth) <= MAX_PAIRS_PER_LAUNCH:
        yield truth, system, weights
        return
    for start in range(0, len(truth), MAX_PAIRS_PER_LAUNCH):
        part = slice(start, start + MAX_PAIRS_PER_LAUNCH)
        yield truth[part], system[part], None if weights is None else weights[part]


def _narrow(table: Tensor) -> Tensor:
    """Return zeros of 32 bits in the shape of a table: the cache of the device holds twice as many."""
    if hasattr(table, "data_ptr"):
        torch = importlib.import_module("torch")
        return torch.zeros_like(table, dtype=torch.int32)
    return _cupy().zeros(table.shape, np.int32)
