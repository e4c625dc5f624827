"""Files counted where they are: by the embedded engine here, or by it on each worker of a Dask cluster.

Workers must see the files under the same paths, as on a shared disk, or under the same addresses.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from infoscope.core.files import scratch_folder
from infoscope.core.native_code import is_native_wanted
from infoscope.errors import InfoscopeError, InputError, masked
from infoscope.readers.conversions import unpacked_copies
from infoscope.readers.csv_text import reject_repeated_header, text_checked
from infoscope.readers.decode import Tally, merged
from infoscope.readers.duckdb import (
    CountingLimits,
    EngineError,
    count_scan,
    fetch_parquet_columns,
    opened,
    reject_broken_line,
    scan_files,
)
from infoscope.readers.files import (
    PATIENCE,
    Addresses,
    Files,
    check_reachable,
    check_readable,
    find_files,
    raise_for_each,
)
from infoscope.readers.labels import from_json
from infoscope.readers.parquet import check_gzip_pages, count_by_codes, is_built, packed_row_groups
from infoscope.readers.progress import shown_while
from infoscope.readers.query import Columns

__all__ = ["count_files", "count_files_by_dask", "spelt"]

WORKERS_PATIENCE = 60.0
"""Seconds that a Dask cluster without workers has to find one."""


def count_files(
    files: Files,
    columns: Columns,
    delimiter: str | None,
    limits: CountingLimits,
    folder: Path,
    *,
    native: bool | None = None,
) -> list[Tally]:
    """The embedded way, on this machine; rows may spill into ``folder``."""
    how = folder, native
    try:
        return _count_files(files, columns, delimiter, limits, how)
    except InfoscopeError as error:
        raise_for_each(error, files, lambda one: _count_files(one, columns, delimiter, limits, how))
        raise


def _count_files(
    files: Files, columns: Columns, delimiter: str | None, limits: CountingLimits, how: tuple[Path, bool | None]
) -> list[Tally]:
    check_readable(files.paths)
    sizes = {path: path.stat().st_size for path in files.paths}
    tallies = None if files.compression == "none" else _count_unpacked(files, columns, delimiter, limits)
    if tallies is None:
        try:
            tallies = _counted(files, columns, delimiter, limits, how)
        except EngineError:  # perhaps by what only the compiled part wants to know of the file
            if files.format != "parquet" or how[1] is False:
                raise
            tallies = _counted(files, columns, delimiter, limits, (how[0], False))
        except InputError as error:
            if files.format == "ndjson" and "JSON" in str(error.__cause__):
                reject_broken_line(files, columns.names)
            raise
    for path, size in sizes.items():
        if path.exists() and path.stat().st_size < size:
            raise InputError(f"{path} became shorter while it was read; count it again when nobody writes to it")
    if files.format in ("csv", "tsv"):
        for tally in tallies:
            reject_repeated_header(tally, columns, files.name)
    return [spelt(tally, files.format) for tally in tallies]


def _count_unpacked(
    files: Files, columns: Columns, delimiter: str | None, limits: CountingLimits
) -> list[Tally] | None:
    """Compressed text by a plain copy, in less time; None for other files, and where a fault is to be explained."""
    try:
        with scratch_folder() as folder:
            plain = unpacked_copies(files, folder)
            return None if plain is None else _counted(plain, columns, delimiter, limits, (folder, None))
    except (InfoscopeError, OSError):
        return None


def _counted(
    files: Files,
    columns: Columns,
    delimiter: str | None,
    limits: CountingLimits,
    how: tuple[Path, bool | None],
) -> list[Tally]:
    folder, native = how
    by_codes = is_native_wanted(native) or files.format != "parquet"  # text is encoded by pyarrow
    files = replace(files, by_codes=by_codes and is_built())
    with (
        text_checked(files),
        opened(folder, files.name, limits) as session,
        packed_row_groups(session, files, columns) as groups,
    ):
        scan = scan_files(session, files, columns, delimiter)
        tallies = count_by_codes(session, scan, files, columns, limits, groups=groups) if by_codes else None
        if tallies is None:
            fetch_parquet_columns(session, files, columns)
            if files.format == "parquet":
                check_gzip_pages(files, columns.names)
            tallies = count_scan(session, scan, columns)
        return tallies


def spelt(tally: Tally, form: str) -> Tally:
    """The tally of a file of this format with its labels understood: JSON parsed, empty text missing."""
    if form == "ndjson":
        return _understood(tally)
    return _without_empty(tally) if form in ("csv", "tsv") else tally


def _without_empty(tally: Tally) -> Tally:
    """A label that is spelt by nothing is missing."""
    for key, labels in zip(tally.keys, tally.labels, strict=True):
        if "" in labels:
            tally = tally.mapped(key, lambda label: label or None)
    return tally


def _understood(tally: Tally) -> Tally:
    for key, labels in zip(tally.keys, tally.labels, strict=True):
        if any(isinstance(label, str) and label[:1] in "[{" for label in labels):
            raise InputError(f"column {key!r} holds lists or records; labels are text, numbers, booleans or dates")
        tally = tally.mapped(key, from_json)
    return tally


def count_files_by_dask(
    files: Files | Addresses, columns: Columns, delimiter: str | None, url: str | None, native: bool | None = None
) -> list[Tally]:
    """Each file is counted by one worker; the counts are added here."""
    native = native if is_native_wanted(native) else False  # workers have an environment of their own
    if isinstance(files, Files):
        _check_schemas(files, columns, delimiter)
    with _dask_client(url) as client:
        task: Any
        if isinstance(files, Files):
            task, whole = _count_file, [replace(files, paths=(path.absolute(),)) for path in files.paths]
        else:
            task = _count_address
            whole = client.submit(_listed, files, pure=False).result()
        futures = client.map(
            task,
            whole,
            columns=columns,
            delimiter=delimiter,
            limits=CountingLimits(threads=1),
            native=native,
            pure=False,
            retries=3,
        )
        with shown_while(f"counting {files.name} on {url}"):
            parts = client.gather(futures)
    return [merged(tallies) for tallies in zip(*parts, strict=True)]


def _check_schemas(files: Files, columns: Columns, delimiter: str | None) -> None:
    """One look at all headers and schemas: a worker that sees one file cannot tell that another differs."""
    with scratch_folder() as folder, opened(folder, files.name, CountingLimits(threads=1)) as session:
        scan_files(session, files, columns, delimiter)


@contextmanager
def _dask_client(url: str | None) -> Iterator[Any]:
    """A client of a scheduler that has workers; every wait has an end."""
    try:
        from distributed import Client, KilledWorker  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError("engine dask needs dask; pip install 'infoscope[dask]'") from error
    if url is None:
        raise InputError("engine dask needs the address of a scheduler, like tcp://host:8786")
    check_reachable(url)
    _check_dask(url)
    client = Client(url, timeout=PATIENCE, set_as_default=False)
    try:
        with shown_while(f"waiting for a worker of {url}"):
            client.wait_for_workers(1, timeout=WORKERS_PATIENCE)
        yield client
    except TimeoutError as error:
        raise InputError(
            f"the Dask scheduler at {url} had no worker for {WORKERS_PATIENCE:g} s; start one: dask worker {url}"
        ) from error
    except (KilledWorker, ImportError, OSError) as error:
        raise InputError(f"the Dask cluster at {url} failed: {_first_line(error)}") from error
    finally:
        client.close()


def _check_dask(url: str) -> None:
    """Shake hands before a client does, which would wait for ever where somebody else listens."""
    import asyncio  # noqa: PLC0415 - only for clusters

    from distributed.core import connect  # noqa: PLC0415 - an extra
    from distributed.security import Security  # noqa: PLC0415 - heavy

    async def shake() -> None:
        arguments = Security().get_connection_args("client")
        comm = await asyncio.wait_for(connect(url, timeout=PATIENCE, **arguments), 2 * PATIENCE)
        comm.abort()

    try:
        with ThreadPoolExecutor(1) as elsewhere:  # a notebook has a running loop in this thread
            elsewhere.submit(asyncio.run, shake()).result()
    except (OSError, MemoryError, ValueError, RuntimeError) as error:  # bytes of a stranger, taken for a length
        raise InputError(f"what listens at {url} does not answer like a Dask scheduler; check the address") from error


def _listed(files: Addresses) -> list[Addresses]:
    """The single files that addresses, patterns or folders mean; asked for on a worker."""
    from fsspec.core import url_to_fs  # noqa: PLC0415 - comes with dask

    found: list[str] = []
    for name in files.names:
        system, path = url_to_fs(name)
        inside = system.find(path) if system.isdir(path) else system.glob(path)
        named = [
            system.unstrip_protocol(one) for one in sorted(inside) if not one.rpartition("/")[2].startswith(("_", "."))
        ]
        if not named:
            raise InputError(f"{name}: no such file as the workers see it; check the address")
        found += named
    return [Addresses((one,), files.format) for one in dict.fromkeys(found)]


def _count_file(
    files: Files, columns: Columns, delimiter: str | None, limits: CountingLimits, native: bool | None
) -> list[Tally]:
    """A file that the worker which counts it can read where it lies."""
    with scratch_folder() as folder:
        return count_files(files, columns, delimiter, limits, folder, native=native)


def _count_address(
    files: Addresses, columns: Columns, delimiter: str | None, limits: CountingLimits, native: bool | None
) -> list[Tally]:
    """Fetch one file to the worker that counts it; the folders of its address keep their names."""
    import fsspec  # noqa: PLC0415 - comes with dask

    address = files.names[0]
    with scratch_folder() as folder:
        copy = folder.joinpath(*_folders(address))
        copy.parent.mkdir(parents=True, exist_ok=True)
        with fsspec.open(address, "rb") as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        local = replace(find_files(copy, files.format, folder), titles={copy: address})
        with local.named():
            return count_files(local, columns, delimiter, limits, folder, native=native)


def _folders(address: str) -> list[str]:
    """Folders and name of a file without its host, which may come with a password, and without a way out of the folder.

    >>> _folders("https://ann:s3cret@example.org/a/../fold=3/part.csv"), _folders("memory://part.csv")
    (['a', 'fold=3', 'part.csv'], ['part.csv'])
    """
    rest = address.partition("://")[2]
    inside = [part for part in rest.partition("/")[2].split("/") if part not in ("", ".", "..")]
    return inside or [rest.strip("/").rpartition("@")[2]]


def _first_line(error: BaseException) -> str:
    return (masked(str(error)).strip() or type(error).__name__).splitlines()[0][:300]
