"""The engine of Dask: each file is counted by DuckDB on a worker of a cluster, and the counts are added here.

Workers must see the files under the same paths, as on a shared disk, or under the same addresses.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from infoscope.core.files import scratch_folder
from infoscope.core.native_code import is_native_wanted
from infoscope.errors import InputError, mask_secrets
from infoscope.readers.duckdb import DuckdbEngine, find_scratch, open_session, scan_files
from infoscope.readers.engine import Engine
from infoscope.readers.files import PATIENCE, Addresses, Files, check_reachable, find_files
from infoscope.readers.frames import add_parts
from infoscope.readers.progress import show_progress
from infoscope.readers.query import Query, ReadOptions
from infoscope.tables.rows import Rows

WORKERS_PATIENCE = 60.0
"""Seconds that a Dask cluster without workers has to find one."""


class DaskEngine(Engine):
    """Count files on a cluster; frames of Dask are counted as all frames are."""

    name = "dask"

    def accepts(self, source: Any, read: ReadOptions) -> bool:
        """Return True for files and addresses where this engine is named."""
        return read.engine == "dask" and isinstance(source, (Files, Addresses))

    def count(self, source: Files | Addresses, query: Query) -> list[Rows]:
        """Count each file by one worker, and add the counts here."""
        read, url = query.read, query.read.url
        native = read.native if is_native_wanted(read.native) else False  # workers have an environment of their own
        if isinstance(source, Files):  # a worker that sees one file cannot tell that another has other columns
            with find_scratch(source) as folder, open_session(folder, source.name, ReadOptions(threads=1)) as session:
                scan_files(session, source, query.names, read.delimiter)
        inside = replace(query, read=ReadOptions(delimiter=read.delimiter, threads=1, native=native))
        with _dask_client(url) as client:
            task: Any
            if isinstance(source, Files):
                task = DuckdbEngine().count
                parts = [replace(source, paths=(path.absolute(),), folder=None) for path in source.paths]
            else:
                task = _count_address
                parts = client.submit(_list_files, source, pure=False).result()
            futures = client.map(task, parts, query=inside, pure=False, retries=3)
            with show_progress(f"counting {source.name} on {url}"):
                counted = client.gather(futures)
        return add_parts(counted)


@contextmanager
def _dask_client(url: str | None) -> Iterator[Any]:
    """Open a client of a scheduler that has workers; every wait has an end."""
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
        with show_progress(f"waiting for a worker of {url}"):
            client.wait_for_workers(1, timeout=WORKERS_PATIENCE)
        yield client
    except TimeoutError as error:
        raise InputError(
            f"the Dask scheduler at {url} had no worker for {WORKERS_PATIENCE:g} s; start one: dask worker {url}"
        ) from error
    except (KilledWorker, ImportError, OSError) as error:
        reason = (mask_secrets(str(error)).strip() or type(error).__name__).splitlines()[0][:300]
        raise InputError(f"the Dask cluster at {url} failed: {reason}") from error
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


def _list_files(files: Addresses) -> list[Addresses]:
    """List the single files that addresses, patterns or folders mean, on a worker."""
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


def _count_address(files: Addresses, query: Query) -> list[Rows]:
    """Fetch one file to the worker and count it; the folders of its address keep their names."""
    import fsspec  # noqa: PLC0415 - comes with dask

    address = files.names[0]
    with scratch_folder() as folder:
        copy = folder.joinpath(*_folders(address))
        copy.parent.mkdir(parents=True, exist_ok=True)
        with fsspec.open(address, "rb") as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        local = replace(find_files(copy, files.format, folder), titles={copy: address})
        with local.named():
            return DuckdbEngine().count(local, query)


def _folders(address: str) -> list[str]:
    """Return folders and name of a file without its host, which may hold a password, and without a way out.

    >>> _folders("https://ann:s3cret@example.org/a/../fold=3/part.csv"), _folders("memory://part.csv")
    (['a', 'fold=3', 'part.csv'], ['part.csv'])
    """
    rest = address.partition("://")[2]
    inside = [part for part in rest.partition("/")[2].split("/") if part not in ("", ".", "..")]
    return inside or [rest.strip("/").rpartition("@")[2]]
