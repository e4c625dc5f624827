"""Serve a folder of prediction files to the one browser that was given the key.

``open_server`` is called by ``infoscope serve``. ``FolderExplorer`` answers with text: reports, the rows behind a
number, the pages of ``pages.py``; ``Handler`` is HTTP around it, with the checks of ``access.py``. A query is
interrupted when its tab is closed (``RunningRequests``).
"""

from __future__ import annotations

import errno
import json
import secrets
import select
import shlex
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import infoscope as ifs
from infoscope.core.embedded_database import confine_databases, interrupt_queries
from infoscope.errors import InfoscopeError
from infoscope.explorer import pages
from infoscope.explorer.access import (
    ENTRANCE,
    BrowserEntrance,
    RejectedRequest,
    check_key,
    check_origin,
    make_headers,
    make_script_policy,
)
from infoscope.explorer.folder import (
    ExploredColumns,
    JoinedFiles,
    Query,
    ServedFolder,
    file_state,
    parse_rows_query,
)
from infoscope.explorer.verdicts import VERDICTS, RowVerdicts, hash_row, keep_verdict, read_verdicts, truth_errors
from infoscope.readers.cell_rows import KnownCounts, count_changed_predictions, read_cell_rows
from infoscope.readers.columns import first_rows, guess_roles, mention_repeated_names
from infoscope.results import Result
from infoscope.studies.history import BASELINES, list_run_files

HTML = "text/html; charset=utf-8"
MAX_BODY = 20_000
MAX_REPORTS = 20
"""Reports that are kept to be shown again."""
_FRAMED = "frame-ancestors 'self'"


_POLL = 0.1
"""Seconds between two looks at a connection."""


class RunningRequests:
    """Requests in progress: each ends when its client goes away, and all when the server stops."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._idle = threading.Condition()
        self._running = 0

    @contextmanager
    def watch(self, connection: socket.socket) -> Iterator[None]:
        """Interrupt the queries of this thread as soon as no client waits for them."""
        done = threading.Event()
        thread = threading.get_ident()

        def watch() -> None:
            while not done.wait(_POLL):
                is_closed = True
                with suppress(OSError, ValueError):  # what the other side sent in advance stays to be read
                    readable, _, _ = select.select([connection], [], [], 0)
                    is_closed = bool(readable) and not connection.recv(1, socket.MSG_PEEK)
                if is_closed or self._stopped.is_set():
                    interrupt_queries(thread)

        watcher = threading.Thread(target=watch, daemon=True)
        with self._idle:
            self._running += 1
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()  # it must not interrupt what this thread does next
            with self._idle:
                self._running -= 1
                self._idle.notify_all()

    def stop(self, patience: float = 0.8) -> None:
        """End all requests, and wait until they have removed their temporary files."""
        self._stopped.set()
        with self._idle:
            self._idle.wait_for(lambda: not self._running, patience)


@dataclass
class FolderExplorer:
    """A served folder, the reports made so far, and the key to them."""

    folder: ServedFolder
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    requests: RunningRequests = field(default_factory=RunningRequests)
    entrance: BrowserEntrance = field(default_factory=BrowserEntrance)
    _joins: JoinedFiles = field(default_factory=JoinedFiles)
    _reports: dict[tuple[Any, ...], str] = field(default_factory=dict)
    _counts: dict[tuple[Path, str], KnownCounts] = field(default_factory=dict)
    _making: dict[tuple[Any, ...], threading.Lock] = field(default_factory=dict)

    def close(self) -> None:
        """End the requests in progress, and remove the dropped files."""
        self.requests.stop()
        self.folder.close()

    def report(self, query: Query) -> str:
        """Return the report on the chosen columns, made once for each state of the file."""
        kind = query.get("kind", ["evaluation"])[0]
        if kind == "history":
            root = self.folder.root
            marks = [path for path in (root / BASELINES,) if path.is_file()]
            state = tuple((path.name, path.stat().st_mtime_ns) for path in (*list_run_files(root), *marks))
            return self._make_once((kind, state), lambda: ifs.history(root))
        columns = ExploredColumns.parse(query)
        path = self.folder.path(columns.file)
        truth, systems, scores = columns.truth, list(columns.systems), list(columns.scores)
        labels = columns.label_keywords
        studies: dict[str, Callable[[], Result]] = {
            "evaluation": lambda: ifs.evaluate(str(path), truth=truth, system=systems, **labels),
            "comparison": lambda: ifs.compare(str(path), truth=truth, system=systems, **labels),
            "thresholds": lambda: ifs.sweep(
                str(path),
                truth=truth,
                score=scores if len(scores) > 1 else scores[0],
                weight=columns.weight,
                positive=columns.positive,
                clean=columns.clean,
            ),
        }
        if kind == "evaluation" and not systems:
            kind = "thresholds"
        if kind not in studies:
            raise RejectedRequest(404, "There is no such page.")
        key = (kind, path, file_state(path), replace(columns, segments=(), key=None))
        command = _write_command(columns, self.folder.title(columns.file)) if kind == "evaluation" else None
        return self._make_once(key, studies[kind], command)

    def _make_once(self, key: tuple[Any, ...], study: Callable[[], Result], command: str | None = None) -> str:
        with self._making.setdefault(key, threading.Lock()):  # two tabs wait for one report, not for each other's
            page = self._reports.get(key)
            if page is not None:
                return page
            result = study()
            if command is not None:
                provenance = replace(result.provenance, command=command)
                result = replace(result, provenance=provenance)  # type: ignore[type-var]
            page = self._reports[key] = result.to_html()
            for old in list(self._reports)[:-MAX_REPORTS]:
                self._reports.pop(old, None)
                self._making.pop(old, None)
            return page

    def rows(self, query: Query) -> str:
        """Return the sheet with the rows of one cell."""
        columns = ExploredColumns.parse(query)
        path = self.folder.path(columns.file)
        cell = parse_rows_query(query, columns)
        state = file_state(path)
        for old in list(self._counts)[: -MAX_REPORTS + 1]:
            self._counts.pop(old, None)
        counts = self._counts.setdefault((path, state), KnownCounts())  # of earlier clicks, if the file is the same
        page = read_cell_rows(str(path), cell, None, counts)
        about = (self.folder.title(columns.file), *(query.get(name, [""])[0] for name in ("system", "truth")))
        verdicts = {item.row: item.verdict for item in self.verdicts if (item.file, item.system, item.truth) == about}
        state_of_report = query.get("state", [state])[0] or state
        return pages.draw_sheet(page, cell, columns, verdicts, is_old=state_of_report != state)

    def changes(self, query: Query) -> str:
        """Return the page of what changed between two systems, row by row."""
        columns = ExploredColumns.parse(query)
        if len(columns.systems) < 2:
            raise RejectedRequest(400, "Choose two columns with predictions to see what changed between them.")
        first, second = columns.systems[:2]
        before, after = query.get("before", [first])[0], query.get("after", [second])[0]
        path = self.folder.path(columns.file)
        changes = count_changed_predictions(
            str(path), columns.truth, before, after, weight=columns.weight, clean=columns.clean
        )
        return pages.draw_changes_page(self._frame(columns, path), changes)

    def join(self, query: Query) -> str:
        """Return the columns page of two files joined by a key, or the form that asks for key and column."""
        names = query["file"][0], query["other"][0]
        if not query.get("key") or not query.get("column"):
            return pages.draw_join_page(self.folder, *names)
        return self.columns({"file": [self._joins.join(self.folder, *names, query["key"][0], query["column"][0])]})

    def columns(self, query: Query) -> str:
        """Return the page that says what the columns of a file are taken for."""
        name = query["file"][0]
        path = str(self.folder.path(name))
        rows = first_rows(path, None)
        title = self.folder.title(name)
        roles = mention_repeated_names(guess_roles(rows, source=title), path)
        others = {file: file for file in map(self.folder.name_of, self.folder.list_files())} | self.folder.dropped_files
        others.pop(name, None)
        # columns with a few values that are nothing else, nor labels of another system, if the truth is known
        segments: list[str] = []
        if roles.truth is not None:
            taken = {roles.truth, *roles.systems, *roles.scores, roles.key}
            classes = set(map(str, rows.get(roles.truth, ())))
            values = {name: set(map(str, column)) for name, column in rows.items() if name not in taken}
            segments = [name for name, held in values.items() if 2 <= len(held) <= 12 and not held & classes][:3]
        note = self._joins.notes.get(name, "")
        return pages.draw_columns_page((name, title), rows, roles, segments, others=others, note=note)

    def start(self, _: Query) -> str:
        """Return the page with the files of the folder."""
        errors = list(truth_errors(self.verdicts))
        return pages.draw_start_page(self.folder, errors, has_runs=bool(list_run_files(self.folder.root)))

    @property
    def verdicts(self) -> list[RowVerdicts]:
        """The verdicts on rows of the folder so far."""
        file = self.folder.root / VERDICTS
        return read_verdicts(file) if file.is_file() else []

    def keep_verdict(self, given: Mapping[str, Any]) -> None:
        """Keep a verdict on a row, under the name by which people know the file."""
        path, row = self.folder.path(str(given["file"])), int(given["row"])
        contents = hash_row(path, row) if given.get("key") is None and row > 0 else None
        keep_verdict(self.folder.root, {**given, "file": self.folder.title(str(given["file"])), "contents": contents})

    def explore(self, query: Query) -> str:
        """Return a report in its frame."""
        columns = ExploredColumns.parse(query)
        frame = self._frame(columns, self.folder.path(columns.file))
        return pages.draw_report_page(frame, query.get("kind", [""])[0])

    def _frame(self, columns: ExploredColumns, path: Path) -> pages.ExplorerFrame:
        several = len(columns.systems) > 1
        kinds = ["evaluation"] * bool(columns.systems) + ["comparison", "changes"] * several
        kinds += ["thresholds"] * bool(columns.scores)
        return pages.ExplorerFrame(columns, tuple(kinds), self.folder.title(columns.file), file_state(path))


def _write_command(columns: ExploredColumns, file: str) -> str:
    """Return the command that writes the same page."""
    options = [("-t", columns.truth), *(("-s", system) for system in columns.systems)]
    options += [("--weight", columns.weight)] if columns.weight else []
    options += [("--reject", columns.reject)] if columns.reject else []
    options += [("--positive", columns.positive)] if columns.positive else []
    options += [("--clean", way) for way in columns.clean]
    chosen = " ".join(f"{option} {shlex.quote(value)}" for option, value in options)
    return f"infoscope evaluate {shlex.quote(file)} {chosen} -o report.html"


class Handler(BaseHTTPRequestHandler):
    """HTTP requests of the one browser that was given the key."""

    explorer: ClassVar[FolderExplorer]
    protocol_version = "HTTP/1.1"
    server_version = "infoscope"
    sys_version = ""
    timeout = 20  # a connection that sends nothing

    def log_message(self, *_: object) -> None:
        """Log nothing: addresses hold the key, columns and labels."""

    def do_GET(self) -> None:
        """Answer with a page, or with a part of one."""
        gets: dict[str, Callable[[Query], str]] = {
            "": self.explorer.start,
            "columns": self.explorer.columns,
            "explore": self.explorer.explore,
            "report": self.explorer.report,
            "rows": self.explorer.rows,
            "changes": self.explorer.changes,
            "join": self.explorer.join,
            "history": lambda _: pages.draw_history_page(self.explorer.folder.root),
        }

        def act(name: str, query: Query) -> None:
            if name not in gets:
                raise RejectedRequest(404, "There is no such page.")
            with self.explorer.requests.watch(self.connection):
                text = gets[name](query)
            self._answer(200, text, policy=_FRAMED if name == "report" else None)

        self._handle(act)

    def do_POST(self) -> None:
        """Take a file or a verdict, and answer with JSON."""

        def act(name: str, query: Query) -> None:
            answer: dict[str, str] = {}
            if name == "offer":
                self.explorer.folder.check_size(query["name"][0], int(query["size"][0]))
            elif name == "upload":
                answer["file"] = self.explorer.folder.keep(query["name"][0], self._read_length(), self.rfile)
            elif name == "verdict":
                length = self._read_length()
                if length > MAX_BODY:
                    raise RejectedRequest(413, "That is too long for a verdict.")
                self.explorer.keep_verdict(json.loads(self.rfile.read(length)))
            else:
                raise RejectedRequest(404, "There is no such page.")
            self._answer(200, json.dumps(answer), kind="application/json")

        self._handle(act)

    def _handle(self, act: Callable[[str, Query], None]) -> None:
        name = ""
        try:
            address = urlsplit(self.path)
            key, _, name = address.path.removeprefix("/").partition("/")
            port = self.connection.getsockname()[1]
            check_origin(self.command, self.headers, port)
            if key == ENTRANCE and self.explorer.entrance.admits(name, self.client_address[1], port):
                self._answer(303, "", extra={"Location": f"/{self.explorer.key}/"})
                return
            check_key(key, self.explorer.key)
            act(name, parse_qs(address.query, keep_blank_values=True, max_num_fields=2000))
        except RejectedRequest as rejected:
            self._reject(rejected.status, str(rejected), name)
        except InfoscopeError as error:
            self._reject(400, f"{self.explorer.folder.use_titles(error.page)}.", name)
        except (KeyError, TypeError, ValueError, UnicodeError, RecursionError):
            self._reject(400, "That request makes no sense.")
        except FileNotFoundError:
            self._reject(410, "The file is gone; choose it again.", name)
        except (ConnectionError, TimeoutError, KeyboardInterrupt):  # nobody waits for the answer
            self.close_connection = True
        except OSError as problem:
            words = "There is no more room on the disk" if problem.errno == errno.ENOSPC else str(problem.strerror)
            self._reject(507, f"{words}; make room, or start infoscope serve in another folder.")
        except Exception as problem:
            self._reject(500, f"This is an error of infoscope itself ({type(problem).__name__}); please report it.")

    def _reject(self, status: int, words: str, name: str = "") -> None:
        """Answer why not; a report that is asked for in the frame is rejected in the frame."""
        self.close_connection = True
        policy = make_script_policy(pages.CODE, "'self'") if name == "report" else None
        self._answer(status, pages.draw_rejection_page(words), policy=policy, extra={"Connection": "close"})

    def _read_length(self) -> int:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise RejectedRequest(411, "The request needs a Content-Length.")
        return int(length)

    def _answer(
        self,
        status: int,
        text: str,
        kind: str = HTML,
        policy: str | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        body = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        headers = make_headers(policy or make_script_policy(pages.CODE), kind, len(body)) | dict(extra or {})
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class LoopbackServer(ThreadingHTTPServer):
    """A thread for each connection of this machine."""

    daemon_threads = True
    request_queue_size = 128  # of more than wait at once, each is kept out for a second

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report a fault of ours; a browser that hung up is none."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def open_server(root: Path, port: int = 0) -> tuple[ThreadingHTTPServer, FolderExplorer]:
    """Open a server on this machine alone; the engine reads nothing outside the folder and what was dropped.

    Parameters
    ----------
    root
        The folder whose files can be chosen.
    port : default 0
        Port to listen on; 0 takes any that is free.

    Returns
    -------
    server, explorer
        The server, which waits for ``serve_forever``, and the explorer behind it, which holds the key.
    """
    explorer = FolderExplorer(ServedFolder(root))
    handler = type("FolderHandler", (Handler,), {"explorer": explorer})
    try:
        server = LoopbackServer(("127.0.0.1", port), handler)
    except OSError:
        explorer.close()
        raise
    confine_databases(explorer.folder.root, explorer.folder.dropped)
    return server, explorer
