"""Data frames as files of every format."""

import json
from pathlib import Path

import polars as pl

__all__ = ["write_frame"]


def write_frame(frame: pl.DataFrame, path: Path, form: str) -> None:
    """Write a frame to a file; ``arrow`` is a stream, ``feather`` a file of Arrow, ``json`` one array."""
    if form == "csv":
        frame.write_csv(path)
    elif form == "ndjson":
        frame.write_ndjson(path)
    elif form == "parquet":
        frame.write_parquet(path)
    elif form == "feather":
        frame.write_ipc(path)
    elif form == "arrow":
        frame.write_ipc_stream(path)
    else:
        path.write_text(json.dumps(frame.to_dicts()), encoding="utf-8")
