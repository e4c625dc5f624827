"""Counting where the labels are: tables from tensors that lie on a device, without a copy to the host."""

from infoscope.tables.device.growing_table import GrowingTable
from infoscope.tables.device.libraries import are_on_device, check_devices, device_of
from infoscope.tables.device.pair_table import NO_ENDS, add_counts, checked_table, prepared
from infoscope.tables.device.tally import tally_on_device
from infoscope.tables.device.tensor_pairs import Span, TensorPairs

__all__ = [
    "NO_ENDS",
    "GrowingTable",
    "Span",
    "TensorPairs",
    "add_counts",
    "are_on_device",
    "check_devices",
    "checked_table",
    "device_of",
    "prepared",
    "tally_on_device",
]
