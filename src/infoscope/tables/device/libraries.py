"""Tensors of PyTorch, CuPy and JAX where they lie: which device that is, and the few operations that counting needs."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError

Tensor = Any
"""An array of PyTorch, CuPy or JAX: none of them is imported before a caller hands over one of its arrays."""

HOST = "cpu"
"""The device whose tensors are arrays of NumPy without a copy."""
_PLATFORMS = {"gpu": "cuda"}
"""JAX's names of the devices that the others call by these names."""


class Library(ABC):
    """The operations that counting needs of a library of tensors; results stay on the device unless stated."""

    name: ClassVar[str]
    """The module with NumPy's interface."""

    def module(self) -> Any:
        """Return the library itself, for what has one name in all of them: where, isfinite."""
        return importlib.import_module(self.name)

    @abstractmethod
    def vector(self, values: Tensor) -> Tensor:
        """Return labels in one dimension, side by side in memory; booleans as 0 and 1."""

    @abstractmethod
    def whole(self, values: Tensor) -> Tensor:
        """Return the same in 64 bits, or what the library has."""

    @abstractmethod
    def floating(self, values: Tensor) -> Tensor:
        """Return weights as float64, in one dimension."""

    @abstractmethod
    def zeros(self, size: int, like: Tensor, dtype: str) -> Tensor:
        """Return zeros on the device of another array."""

    @abstractmethod
    def full(self, values: list[int], like: Tensor) -> Tensor:
        """Return whole numbers of 64 bits."""

    @abstractmethod
    def host(self, values: Tensor) -> NDArray[Any]:
        """Return a copy on the host."""

    def ends(self, values: Tensor) -> tuple[int, int]:
        """Return the smallest and largest value, on the host."""
        return int(values.min()), int(values.max())

    def histogram(self, codes: Tensor, weights: Tensor | None, size: int) -> Tensor:
        """Return how often each code from 0 to size - 1 occurs, or the sum of its weights."""
        return self.module().bincount(codes, weights, minlength=size)

    def distinct(self, values: Tensor) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the different values with their counts, on the host."""
        values, counts = self.module().unique(values, return_counts=True)
        return self.host(values).astype(np.int64), self.host(counts).astype(np.int64)


class TorchLibrary(Library):
    """PyTorch."""

    name = "torch"

    def vector(self, values: Tensor) -> Tensor:
        """Return labels in one dimension, side by side in memory; booleans as 0 and 1."""
        torch = self.module()
        values = values.detach().reshape(-1).contiguous()
        if values.dtype in (torch.uint16, torch.uint32, torch.uint64):  # few operations exist for them
            return values.to(torch.int64)
        return values.view(torch.uint8) if values.dtype == torch.bool else values

    def whole(self, values: Tensor) -> Tensor:
        """Return the same in 64 bits."""
        return values.to(self.module().int64)

    def floating(self, values: Tensor) -> Tensor:
        """Return weights as float64, in one dimension."""
        return values.detach().reshape(-1).to(self.module().float64).contiguous()

    def ends(self, values: Tensor) -> tuple[int, int]:
        """Return the smallest and largest value, on the host."""
        low, high = self.module().aminmax(values)
        return int(low), int(high)

    def zeros(self, size: int, like: Tensor, dtype: str) -> Tensor:
        """Return zeros on the device of another tensor."""
        torch = self.module()
        return torch.zeros(size, dtype=getattr(torch, dtype), device=like.device)

    def full(self, values: list[int], like: Tensor) -> Tensor:
        """Return whole numbers of 64 bits."""
        torch = self.module()
        return torch.tensor(values, dtype=torch.int64, device=like.device)

    def host(self, values: Tensor) -> NDArray[Any]:
        """Return a copy on the host."""
        return values.detach().cpu().numpy()


class CupyLibrary(Library):
    """CuPy."""

    name = "cupy"

    def vector(self, values: Tensor) -> Tensor:
        """Return labels in one dimension, side by side in memory; booleans as 0 and 1."""
        flat = self.module().ascontiguousarray(values).reshape(-1)
        return flat.view(np.uint8) if flat.dtype == bool else flat

    def whole(self, values: Tensor) -> Tensor:
        """Return the same in 64 bits."""
        return values.astype(np.int64)

    def floating(self, values: Tensor) -> Tensor:
        """Return weights as float64, in one dimension."""
        return self.module().ascontiguousarray(values.reshape(-1), np.float64)

    def zeros(self, size: int, like: Tensor, dtype: str) -> Tensor:
        """Return zeros on the device of another array."""
        with like.device:
            return self.module().zeros(size, dtype)

    def full(self, values: list[int], like: Tensor) -> Tensor:
        """Return whole numbers of 64 bits."""
        with like.device:
            return self.module().array(values, np.int64)

    def host(self, values: Tensor) -> NDArray[Any]:
        """Return a copy on the host."""
        return values.get()


class JaxLibrary(Library):
    """JAX. Its whole numbers have 32 bits unless the caller enabled 64; sums are made on the host, batch by batch."""

    name = "jax.numpy"

    def vector(self, values: Tensor) -> Tensor:
        """Return labels in one dimension; booleans as 0 and 1."""
        return (values.astype(np.uint8) if values.dtype == bool else values).reshape(-1)

    def whole(self, values: Tensor) -> Tensor:
        """Return the same in at least 32 bits."""
        return values if values.dtype.itemsize >= 4 else values.astype(np.int32)

    def floating(self, values: Tensor) -> Tensor:
        """Return weights as float64, on the host: JAX has no such numbers unless the caller enabled them."""
        return self.host(values).reshape(-1).astype(np.float64)

    def zeros(self, size: int, like: Tensor, dtype: str) -> Tensor:  # noqa: ARG002 - sums are kept on the host
        """Return zeros on the host."""
        return np.zeros(size, dtype)

    def full(self, values: list[int], like: Tensor) -> Tensor:  # noqa: ARG002 - as above
        """Return whole numbers of 64 bits, on the host."""
        return np.array(values, np.int64)

    def histogram(self, codes: Tensor, weights: Tensor | None, size: int) -> Tensor:
        """Return how often each code from 0 to size - 1 occurs, or the sum of its weights; on the host."""
        if weights is not None:  # in 64 bits, which JAX may not have
            return np.bincount(self.host(codes), weights, size)
        return self.host(self.module().bincount(codes, length=size)).astype(np.int64)

    def host(self, values: Tensor) -> NDArray[Any]:
        """Return a copy on the host."""
        return np.asarray(values)


_JAX = JaxLibrary()
_LIBRARIES: Mapping[str, Library] = {"torch": TorchLibrary(), "cupy": CupyLibrary(), "jax": _JAX, "jaxlib": _JAX}


_NAMES: dict[type, str | None] = {}
"""Libraries of the types seen so far."""


def _find_library_name(values: Any) -> str | None:
    kind = type(values)
    if kind not in _NAMES:
        modules = (base.__module__.partition(".")[0] for base in kind.__mro__)
        _NAMES[kind] = next((name for name in modules if name in _LIBRARIES), None)
    return _NAMES[kind]


def device_of(values: Any) -> str | None:
    """Return where a tensor lies, like "cpu" or "cuda:0"; None for what is no tensor of a known library.

    >>> device_of([1, 2])
    """
    name = _find_library_name(values)
    if name is None or not hasattr(values, "dtype"):
        return None
    if name == "torch":
        return str(values.device)
    if name == "cupy":
        return f"cuda:{values.device.id}"
    if not hasattr(values, "devices"):  # a value that is being traced
        return None
    places = sorted((device.platform, device.id) for device in values.devices())
    names = [
        "cpu" if platform == "cpu" else f"{_PLATFORMS.get(platform, platform)}:{number}" for platform, number in places
    ]
    return "+".join(dict.fromkeys(names))


def are_on_device(y_true: object, y_pred: object, weights: object = None) -> bool:
    """Return True if all are tensors outside the host's memory, the labels of whole numbers or booleans."""
    given = (y_true, y_pred, *(() if weights is None else (weights,)))
    return all(device_of(side) not in (None, HOST) for side in given) and _is_whole(y_true) and _is_whole(y_pred)


def _is_whole(values: Tensor) -> bool:
    return str(values.dtype).removeprefix("torch.").removeprefix("u").startswith(("int", "bool"))


def library_of(values: Tensor) -> Library:
    """Return the library that a tensor is of."""
    name = _find_library_name(values)
    if name is None:
        raise InputError(f"a {type(values).__name__} is no tensor of PyTorch, CuPy or JAX")
    return _LIBRARIES[name]


def check_devices(tensors: Mapping[str, Any]) -> None:
    """Reject tensors that lie on different devices, and tensors without data; other sequences go with any tensor."""
    places = {name: place for name, values in tensors.items() if (place := device_of(values)) is not None}
    if len(set(places.values())) > 1:
        (one, first), *others = places.items()
        other, second = next(item for item in others if item[1] != first)
        raise InputError(
            f"{one} is on {first} and {other} on {second}; move them to one device, for example with .to({first!r})"
        )
    for name, place in places.items():
        if place == "meta":
            raise InputError(f"{name} is on the device meta, which holds no data; give a tensor with values")


# ── what is counted ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Span:
    """The labels that are counted: whole numbers from ``low`` on, as many as there are classes."""

    low: int
    classes: int
    ignored: int | None = None
    """The true label whose pairs are left out."""

    @property
    def pairs(self) -> int:
        """Cells of the table; two follow it: pairs out of range, and pairs left out."""
        return self.classes * self.classes

    def covers(self, other: Span) -> bool:
        """Return True if all labels of another range are in this one."""
        return self.low <= other.low and other.low + other.classes <= self.low + self.classes

    def union(self, other: Span) -> Span:
        """Return the smallest range that covers both."""
        low = min(self.low, other.low)
        return Span(low, max(self.low + self.classes, other.low + other.classes) - low)

    @property
    def cells(self) -> int:
        """Cells of the table with the two that follow it."""
        return self.pairs + 2


@dataclass(frozen=True)
class TensorPairs:
    """Labels, and maybe weights, of one library on one device, row by row."""

    truth: Tensor
    system: Tensor
    weights: Tensor | None
    library: Library
    borrowed: tuple[Any, ...] = ()
    """Arrays of another library whose memory these are; it must not be freed before the counting is done."""

    def __len__(self) -> int:
        return len(self.truth)
