"""Files of object stores and web servers, read here: listed, and copied as far as their columns are asked for."""

from infoscope.readers.object_stores.addresses import is_object_address
from infoscope.readers.object_stores.mirror import MirroredFile, fetch_columns, mirrored

__all__ = ["MirroredFile", "fetch_columns", "is_object_address", "mirrored"]
