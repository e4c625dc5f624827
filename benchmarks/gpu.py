"""Tables from tensors on a CUDA device: counts checked cell by cell, then timed beside TorchMetrics and bare reading.

python benchmarks/gpu.py --output docs/contributors/gpu.md  # the page; needs CUDA, PyTorch, TorchMetrics and CuPy
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from timing import sized

import infoscope as ifs
from infoscope.tables.device import kernel

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the device's memory

PAIRS = sized(200_000_000, 1000)
CALLS = 10
DEVICE = "cuda"
WANTED = {("int64", 10): 0.95, ("int64", 100): 0.95, ("int64", 1000): 1.4, ("uint8", 10): 0.3, ("uint8", 100): 0.3}
"""Milliseconds that were promised for 2·10^8 pairs on an H200."""


def labels(torch: Any, rows: int, classes: int, right: float = 0.8, seed: int = 1) -> tuple[Any, Any]:
    random = torch.Generator(device=DEVICE).manual_seed(seed)
    truth = torch.randint(0, classes, (rows,), device=DEVICE, generator=random)
    other = torch.randint(0, classes, (rows,), device=DEVICE, generator=random)
    return truth, torch.where(torch.rand(rows, device=DEVICE, generator=random) < right, truth, other)


def by_bincount(torch: Any, truth: Any, system: Any, classes: int, weights: Any = None) -> np.ndarray:
    codes = truth.long() * classes + system.long()
    return torch.bincount(codes, weights, minlength=classes**2).reshape(classes, classes).cpu().numpy()


def check_counts(torch: Any, ifs: Any) -> Iterator[str]:
    """Every way in gives the counts of bincount."""
    types = ("uint8", "int8", "int16", "int32", "int64")
    tried = 0
    for classes, one, other, start in product((2, 10, 100, 238, 240, 1000, 5000), types, ("int64", "same"), (0, 1)):
        if classes > np.iinfo(one).max:
            continue
        truth, system = labels(torch, 100_003, classes, seed=tried)
        names = (one, one if other == "same" else other)
        ours = [side.to(getattr(torch, name))[start:] for side, name in zip((truth, system), names, strict=True)]
        found = ifs.Contingency.from_labels(*ours, labels=range(classes)).counts
        dense = found if isinstance(found, np.ndarray) else found.toarray()
        assert np.array_equal(dense, by_bincount(torch, truth[start:], system[start:], classes)), (classes, one, other)
        tried += 1
    yield f"{tried} tables of 2 to 5000 classes and labels of 8 to 64 bits, aligned and not: all counts right"


def check_options(torch: Any, ifs: Any) -> Iterator[str]:
    truth, system = labels(torch, 1_000_000, 50)
    weights = torch.rand(1_000_000, device=DEVICE, dtype=torch.float64)
    for classes in (50, 400):
        weighted = ifs.Contingency.from_labels(truth, system, sample_weight=weights, labels=range(classes))
        assert np.allclose(weighted.counts, by_bincount(torch, truth, system, classes, weights), rtol=1e-12)
        metric = ifs.torch.Information(classes, reject_index=-1, ignore_index=255).to(DEVICE)
        shown = torch.where(truth % 7 == 0, 255, truth), torch.where(system % 5 == 0, -1, system)
        metric.update(shown[1], shown[0])
        kept = shown[0] != 255
        rejected = torch.where(shown[1] == -1, classes, shown[1])
        expected = ifs.Contingency.from_labels(
            shown[0][kept].cpu(), rejected[kept].cpu(), labels=range(classes), reject=classes
        )
        assert metric.table() == expected
        assert metric.table().ignored == {"ignored truth label": int((~kept).sum())}
    yield "weights, rejected predictions and ignored rows: the same tables as on the host"


def check_waiting(torch: Any, ifs: Any) -> Iterator[str]:
    truth, system = labels(torch, 1_000_000, 50)
    counter = ifs.Counter(labels=range(50))
    metric = ifs.torch.Information(50).to(DEVICE)
    counter.update(truth, system)  # compiles, and makes the first allocations
    metric.update(system, truth)
    torch.cuda.set_sync_debug_mode("error")
    for _ in range(3):
        counter.update(truth, system)
        metric.update(system, truth)
    torch.cuda.set_sync_debug_mode("default")
    assert np.array_equal(counter.table().counts, 4 * by_bincount(torch, truth, system, 50))
    assert np.array_equal(counter.table().counts, metric.table().counts)
    yield 'updates of `Counter` and `Information` without a wait for the device (`set_sync_debug_mode("error")`)'


def check_rejections(torch: Any, ifs: Any) -> Iterator[str]:
    truth, system = labels(torch, 1_000_000, 50)
    truth[5], truth[70_000] = -3, 77
    counter = ifs.Counter(labels=range(50))
    counter.update(truth, system)
    message = rejection(ifs, counter.table)
    assert message.startswith("2 rows have labels outside 0 to 49 (truth: "), message
    yield f"labels out of range: {message}"


def rejection(ifs: Any, call: Callable[[], Any]) -> str:
    try:
        call()
    except ifs.InputError as error:
        return str(error)
    raise AssertionError("labels out of range were counted")


def check_other_libraries(torch: Any, ifs: Any) -> Iterator[str]:
    import cupy  # noqa: PLC0415 - needs the device

    truth, system = labels(torch, 1_000_000, 50)
    expected = by_bincount(torch, truth, system, 50)
    arrays = [cupy.asarray(side) for side in (truth, system)]
    assert np.array_equal(ifs.Contingency.from_labels(*arrays).counts, expected)
    assert np.array_equal(ifs.Contingency.from_labels(truth, arrays[1]).counts, expected)
    counter = ifs.Counter()
    counter.update(*arrays)
    counter.update(truth * 40, system * 40)  # a wider range: the table grows
    assert counter.table().total == 2 * len(truth)
    yield "arrays of CuPy, alone and paired with tensors of PyTorch: the same table"
    try:
        import jax.numpy as jnp  # noqa: PLC0415 - not everybody has it
    except ImportError:
        yield "JAX is not installed here: not tried"
        return
    arrays = [jnp.asarray(side.int().cpu().numpy()) for side in (truth, system)]
    where = ", ".join(str(device) for device in arrays[0].devices())
    for _ in range(2):
        assert np.array_equal(ifs.Contingency.from_labels(*arrays).counts, expected)
    yield f"arrays of JAX on {where}: the same table"


def milliseconds(torch: Any, work: Callable[[], Any], repeats: int = 5) -> float:
    """Of one call, by the device's clock: the middle of several runs of ten calls after each other."""
    work()
    torch.cuda.synchronize()
    seen = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(CALLS):
            work()
        end.record()
        torch.cuda.synchronize()
        seen.append(start.elapsed_time(end) / CALLS)
    return statistics.median(seen)


def bandwidth(torch: Any) -> float:
    """Bytes per millisecond that a copy on the device reads and writes."""
    one = torch.empty(PAIRS, dtype=torch.int64, device=DEVICE)
    other = torch.empty_like(one)
    return 2 * 8 * PAIRS / milliseconds(torch, lambda: other.copy_(one))


def time_counting(torch: Any) -> Iterator[tuple[str, ...]]:
    from torchmetrics.functional.classification import multiclass_confusion_matrix  # noqa: PLC0415 - a peer

    speed = bandwidth(torch)
    for classes, name, right in [
        *product((10, 100, 238, 300, 1000, 5000), ("int64", "int32", "uint8"), (0.8,)),
        *product((100, 1000, 5000), ("int64",), (0.5, 0.95)),
    ]:
        if classes > 255 and name == "uint8":
            continue
        dtype = getattr(torch, name)
        truth, system = (side.to(dtype) for side in labels(torch, PAIRS, classes, right))
        counter = ifs.Counter(labels=range(classes))
        metric = ifs.torch.Information(classes).to(DEVICE)
        ours = milliseconds(torch, lambda counter=counter, t=truth, s=system: counter.update(t, s))
        as_metric = milliseconds(torch, lambda metric=metric, t=truth, s=system: metric.update(s, t))
        theirs = milliseconds(
            torch,
            lambda t=truth, s=system, k=classes: multiclass_confusion_matrix(s, t, num_classes=k, validate_args=False),
            repeats=3,
        )
        reading = 2 * truth.element_size() * PAIRS / speed
        wanted = WANTED.get((name, classes)) if right == 0.8 else None
        yield (
            f"{classes}",
            name, f"{right:.0%}", f"{theirs:.2f}", f"{ours:.3f}", f"{as_metric:.3f}", f"{theirs / ours:.1f}×",
            f"{reading:.2f}", "" if wanted is None else f"{wanted:g}",
        )  # fmt: skip
        del truth, system
        torch.cuda.empty_cache()


def time_small(torch: Any) -> Iterator[tuple[str, ...]]:
    """Microseconds of an update, by the host's clock over many of them."""
    from torchmetrics.classification import MulticlassConfusionMatrix  # noqa: PLC0415 - a peer

    for rows in (1000, 10_000, 100_000, 1_000_000):
        truth, system = labels(torch, rows, 100)
        seen = []
        for metric in (
            ifs.torch.Information(100).to(DEVICE),
            MulticlassConfusionMatrix(100, validate_args=False).to(DEVICE),
        ):
            metric.update(system, truth)
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(200):
                metric.update(system, truth)
            torch.cuda.synchronize()
            seen.append((time.perf_counter() - start) / 200 * 1e6)
        yield f"{rows:,}", f"{seen[0]:.0f}", f"{seen[1]:.0f}"


def time_others(torch: Any) -> Iterator[tuple[str, ...]]:
    from infoscope.integrations.torch import loss  # noqa: PLC0415 - needs PyTorch

    yield from time_other_counts(torch)
    torch.cuda.empty_cache()
    for classes in (10, 64, 100, 1000):
        rows = sized(1_000_000, 1000)
        truth, _ = labels(torch, rows, classes)
        probabilities = torch.softmax(torch.randn(rows, classes, device=DEVICE), 1)
        for name, most in (("product", 10**6), ("sums of rows", 0)):
            with patch.object(loss, "MAX_PRODUCT_CLASSES", most):
                took = milliseconds(torch, lambda p=probabilities, t=truth: ifs.torch.soft_table(p, t))
            yield f"soft table by {name}, 10^6 rows × {classes} classes", f"{took:.2f} ms"
    scores = torch.randn(100_000, 100, device=DEVICE, requires_grad=True)
    target = torch.randint(0, 100, (100_000,), device=DEVICE)
    for module in (ifs.torch.InformationLoss(), torch.nn.CrossEntropyLoss()):
        took = milliseconds(torch, lambda module=module: module(scores, target).backward())
        yield f"`{type(module).__name__}`, forward and backward, 10^5 × 100", f"{took:.2f} ms"


def time_other_counts(torch: Any) -> Iterator[tuple[str, ...]]:
    truth, system = labels(torch, PAIRS, 100)
    weights = torch.rand(PAIRS, device=DEVICE, dtype=torch.float64)
    weighted, plain = ifs.Counter(labels=range(100)), ifs.Counter(labels=range(100))
    took = milliseconds(torch, lambda: weighted.update(truth, system, weights))
    yield "weights (float64), 2·10^8 pairs, 100 classes", f"{took:.2f} ms"
    took = milliseconds(torch, lambda: ifs.Contingency.from_labels(truth, system))
    yield "`from_labels` without `labels=`, the whole call", f"{took:.2f} ms"
    with patch.object(kernel, "is_usable", lambda _: False):
        took = milliseconds(torch, lambda: plain.update(truth, system), repeats=3)
    yield "by bincount, as without CuPy", f"{took:.2f} ms"


def table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head))]
    print(" ".join(head), flush=True)
    for row in rows:
        print(" ".join(row), flush=True)
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def page(torch: Any) -> str:
    import cupy  # noqa: PLC0415 - needs the device
    import torchmetrics  # noqa: PLC0415 - a peer

    versions = f"PyTorch {torch.__version__}, TorchMetrics {torchmetrics.__version__}, CuPy {cupy.__version__}"
    checks = []
    for check in (check_counts, check_options, check_waiting, check_rejections, check_other_libraries):
        for line in check(torch, ifs):
            print(line, flush=True)
            checks.append(f"- {line}")
    head = (
        "classes",
        "labels",
        "right",
        "TorchMetrics",
        "Counter",
        "Information",
        "faster",
        "reading alone",
        "promised",
    )
    return f"""# Counting on a GPU

If labels and predictions are already on an NVIDIA device, count them there: only the table of counts comes to the host.
Install `pip install 'infoscope[gpu]'`, then pass tensors of PyTorch, CuPy or JAX where you would pass arrays:

<!-- needs: torch -->
```python
>>> import torch
>>> import infoscope as ifs
>>> device = "cuda" if torch.cuda.is_available() else "cpu"
>>> target, preds = torch.randint(100, (2, 100_000), device=device)
>>> counter = ifs.Counter(labels=range(100))
>>> counter.update(target, preds)                       # batch by batch, without waiting for the device
>>> counter.table().total
100000.0

```

`ifs.evaluate(counter.table())` gives the usual report. `ifs.torch.Information(num_classes=100)` does the same as a
metric of TorchMetrics, `ifs.Contingency.from_labels(target, preds)` in one call.

Small labels are faster: `uint8` takes about a quarter of the time of `int64`. Give `labels=`, so that the device is not
asked for the range of each batch. Losses, callbacks and how it works: [PyTorch](../how-to/torch.md).

## How the figures were measured

They were written by `python benchmarks/gpu.py --output docs/contributors/gpu.md` on one {torch.cuda.get_device_name()}
({versions}).

## Checked

{chr(10).join(checks)}

## 2·10^8 pairs, milliseconds

{table(head, time_counting(torch))}

TorchMetrics gets labels of 8 and 32 bits as they are. “Reading alone” is the time to copy both arrays on this
device.

## Small batches of 100 classes, microseconds per update

{table(("pairs", "Information", "TorchMetrics"), time_small(torch))}

## Other ways to count, and losses

{table(("what", "time"), time_others(torch))}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="file for the page")
    output = parser.parse_args().output
    try:
        import torch  # noqa: PLC0415 - heavy, and only here
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        print("no CUDA device can be used from PyTorch here:\nnothing is measured")
        return
    text = page(torch)
    if output is not None:
        output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
    main()
