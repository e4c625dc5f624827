"""Counting where the labels are: tables from tensors that lie on a device, without a copy to the host."""

from infoscope.tables.device.counting import (
    NO_ENDS,
    GrowingTable,
    add_counts,
    check_table,
    prepare_tensors,
    tally_on_device,
)
from infoscope.tables.device.libraries import Span, TensorPairs, are_on_device, check_devices, device_of

__all__ = [
    "NO_ENDS",
    "GrowingTable",
    "Span",
    "TensorPairs",
    "add_counts",
    "are_on_device",
    "check_devices",
    "check_table",
    "device_of",
    "prepare_tensors",
    "tally_on_device",
]
