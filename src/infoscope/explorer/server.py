"""The local server: loopback only, one key, the standard library."""

from __future__ import annotations

import errno
import json
import secrets
import shlex
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import infoscope as ifs
from infoscope.core.embedded_database import confine
from infoscope.errors import InfoscopeError
from infoscope.explorer import pages
from infoscope.explorer.admission import (
    ENTRANCE,
    BrowserEntrance,
    RejectedRequest,
    check_asker,
    check_key,
    response_headers,
    script_policy,
)
from infoscope.explorer.changes import changes_page
from infoscope.explorer.clients import RunningRequests
from infoscope.explorer.files import ServedFolder, file_state
from infoscope.explorer.joins import JoinedFiles, join_page
from infoscope.explorer.questions import ExploredColumns, Query, asked_rows
from infoscope.explorer.sheets import rows_sheet
from infoscope.explorer.verdict_rows import row_contents
from infoscope.explorer.verdicts import VERDICTS, RowVerdicts, keep_verdict, read_verdicts, truth_errors
from infoscope.readers.cell_rows import KnownCounts, changed_predictions, rows_of_cell
from infoscope.readers.first_rows import first_rows
from infoscope.readers.guess_columns import roles_of, with_repeated_names
from infoscope.results import Result
from infoscope.studies.history.folder import BASELINES, run_files

HTML = "text/html; charset=utf-8"
MAX_BODY = 20_000
MAX_REPORTS = 20
"""Reports that are kept to be shown again."""
_FRAMED = "frame-ancestors 'self'"


@dataclass
class FolderExplorer:
    """A folder that is explored: the reports made so far, and who may see them."""

    folder: ServedFolder
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    requests: RunningRequests = field(default_factory=RunningRequests)
    entrance: BrowserEntrance = field(default_factory=BrowserEntrance)
    _joins: JoinedFiles = field(default_factory=JoinedFiles)
    _reports: dict[tuple[Any, ...], str] = field(default_factory=dict)
    _counts: dict[tuple[Path, str], KnownCounts] = field(default_factory=dict)
    _making: dict[tuple[Any, ...], threading.Lock] = field(default_factory=dict)

    def close(self) -> None:
        """End what is still asked, and remove what was dropped."""
        self.requests.stop()
        self.folder.close()

    def report(self, query: Query) -> str:
        """The page of the columns asked for, made once for each state of the file."""
        kind = query.get("kind", ["evaluation"])[0]
        if kind == "history":
            return self._made((kind, self._runs_state()), lambda: ifs.history(self.folder.root))
        columns = ExploredColumns.asked(query)
        path = self.folder.path(columns.file)
        truth, systems, scores = columns.truth, list(columns.systems), list(columns.scores)
        labels = columns.label_keywords
        questions: dict[str, Callable[[], Result]] = {
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
        if kind not in questions:
            raise RejectedRequest(404, "There is no such page.")
        asked = (kind, path, file_state(path), replace(columns, segments=(), key=None))
        command = _command(replace(columns, file=self.folder.title(columns.file)))
        return self._made(asked, questions[kind], command if kind == "evaluation" else None)

    def _made(self, key: tuple[Any, ...], ask: Callable[[], Result], command: str | None = None) -> str:
        with self._making.setdefault(key, threading.Lock()):  # two tabs wait for one report, not for each other's
            known = self._reports.get(key)
            if known is not None:
                return known
            result = ask()
            if command is not None:
                provenance = replace(result.provenance, command=command)
                result = replace(result, provenance=provenance)  # type: ignore[type-var]
            made = self._reports[key] = result.to_html()
            for old in list(self._reports)[:-MAX_REPORTS]:
                self._reports.pop(old, None)
                self._making.pop(old, None)
            return made

    def _runs_state(self) -> tuple[tuple[str, int], ...]:
        root = self.folder.root
        marks = [path for path in (root / BASELINES,) if path.is_file()]
        return tuple((path.name, path.stat().st_mtime_ns) for path in (*run_files(root), *marks))

    @property
    def has_runs(self) -> bool:
        """Whether the folder may hold stored results."""
        return bool(run_files(self.folder.root))

    def rows(self, query: Query) -> str:
        """The rows of one cell."""
        columns = ExploredColumns.asked(query)
        path = self.folder.path(columns.file)
        asked = asked_rows(query, columns)
        found = rows_of_cell(str(path), asked, None, self._known(path))
        mine = (self.folder.title(columns.file), *(query.get(name, [""])[0] for name in ("system", "truth")))
        said = {each.row: each.verdict for each in self.verdicts if (each.file, each.system, each.truth) == mine}
        state = query.get("state", [""])[0]
        return rows_sheet(found, asked, columns, said, is_old=bool(state) and state != file_state(path))

    def _known(self, path: Path) -> KnownCounts:
        """What earlier clicks counted in a file that is still the same."""
        for old in list(self._counts)[: -MAX_REPORTS + 1]:
            self._counts.pop(old, None)
        return self._counts.setdefault((path, file_state(path)), KnownCounts())

    def changes(self, query: Query) -> str:
        """What changed between two systems, row by row."""
        columns = ExploredColumns.asked(query)
        if len(columns.systems) < 2:
            raise RejectedRequest(400, "Choose two columns with predictions to see what changed between them.")
        before, after = (query.get(name, [known])[0] for name, known in zip(_PAIR, columns.systems, strict=False))
        path = self.folder.path(columns.file)
        found = changed_predictions(str(path), columns.truth, before, after, weight=columns.weight, clean=columns.clean)
        return changes_page(self._frame(columns, path), found)

    def join(self, query: Query) -> str:
        """A column of another file beside the rows of one, as a file of its own among the dropped ones."""
        names = query["file"][0], query["other"][0]
        if not query.get("key") or not query.get("column"):
            return join_page(self.folder, *names)
        return self.columns({"file": [self._joins.file(self.folder, *names, query["key"][0], query["column"][0])]})

    def columns(self, query: Query) -> str:
        """What the columns of a file are taken for."""
        name = query["file"][0]
        path = str(self.folder.path(name))
        rows = first_rows(path, None)
        title = self.folder.title(name)
        roles = with_repeated_names(roles_of(rows, source=title), path)
        others = {file: file for file in map(self.folder.name_of, self.folder.listed())} | self.folder.dropped_files
        others.pop(name, None)
        note = self._joins.notes.get(name, "")
        return pages.columns_page((name, title), rows, roles, _segments(rows, roles), others=others, note=note)

    def start(self, _: Query) -> str:
        """The files of the folder."""
        errors = list(truth_errors(self.verdicts))
        return pages.start_page(self.folder, errors, has_runs=self.has_runs)

    @property
    def verdicts(self) -> list[RowVerdicts]:
        """What was said about rows of the folder so far."""
        kept = self.folder.root / VERDICTS
        return read_verdicts(kept) if kept.is_file() else []

    def keep_verdict(self, given: Mapping[str, Any]) -> None:
        """Keep what was said about a row, under the name of the file that people know."""
        path, row = self.folder.path(str(given["file"])), int(given["row"])
        contents = row_contents(path, row) if given.get("key") is None and row > 0 else None
        keep_verdict(self.folder.root, {**given, "file": self.folder.title(str(given["file"])), "contents": contents})

    def explore(self, query: Query) -> str:
        """A report in its frame."""
        columns = ExploredColumns.asked(query)
        frame = self._frame(columns, self.folder.path(columns.file))
        return pages.explorer_page(frame, query.get("kind", [""])[0])

    def _frame(self, columns: ExploredColumns, path: Path) -> pages.ExplorerFrame:
        title = self.folder.title(columns.file)
        return pages.ExplorerFrame(columns, tuple(_kinds(columns)), title, file_state(path))


_PAIR = ("before", "after")


def _kinds(columns: ExploredColumns) -> list[str]:
    """The pages that the chosen columns allow."""
    several = len(columns.systems) > 1
    kinds = ["evaluation"] * bool(columns.systems) + ["comparison", "changes"] * several
    return kinds + ["thresholds"] * bool(columns.scores)


def _segments(rows: Mapping[str, Sequence[Any]], roles: Any) -> list[str]:
    """Columns with a few values that are nothing else, nor labels of another system; where the truth is known."""
    if roles.truth is None:
        return []
    taken = {roles.truth, *roles.systems, *roles.scores, roles.key}
    classes = set(map(str, rows.get(roles.truth, ())))
    values = {name: set(map(str, column)) for name, column in rows.items() if name not in taken}
    return [name for name, found in values.items() if 2 <= len(found) <= 12 and not found & classes][:3]


def _command(columns: ExploredColumns) -> str:
    """The command that writes the same page."""
    options = [("-t", columns.truth), *(("-s", system) for system in columns.systems)]
    options += [("--weight", columns.weight)] if columns.weight else []
    options += [("--reject", columns.reject)] if columns.reject else []
    options += [("--positive", columns.positive)] if columns.positive else []
    options += [("--clean", way) for way in columns.clean]
    chosen = " ".join(f"{option} {shlex.quote(value)}" for option, value in options)
    return f"infoscope evaluate {shlex.quote(columns.file)} {chosen} -o report.html"


class Handler(BaseHTTPRequestHandler):
    """Requests of the one browser that was given the key."""

    explorer: ClassVar[FolderExplorer]
    protocol_version = "HTTP/1.1"
    server_version = "infoscope"
    sys_version = ""
    timeout = 20  # a connection that sends nothing

    def log_message(self, *_: object) -> None:
        """Nothing: addresses hold the key, columns and labels."""

    def do_GET(self) -> None:
        """A page, or a part of one."""
        gets = {
            "": self.explorer.start,
            "columns": self.explorer.columns,
            "explore": self.explorer.explore,
            "report": self.explorer.report,
            "rows": self.explorer.rows,
            "changes": self.explorer.changes,
            "join": self.explorer.join,
            "history": lambda _: pages.history_page(self.explorer.folder.root),
        }
        self._handle(lambda name, query: self._page(gets, name, query))

    def do_POST(self) -> None:
        """A file or a verdict."""
        posts = {"offer": self._offer, "upload": self._upload, "verdict": self._verdict}
        self._handle(lambda name, query: posts.get(name, _unknown)(query))

    def _handle(self, act: Callable[[str, Query], None]) -> None:
        name = ""
        try:
            address = urlsplit(self.path)
            key, _, name = address.path.removeprefix("/").partition("/")
            port = self.connection.getsockname()[1]
            check_asker(self.command, self.headers, port)
            if key == ENTRANCE and self.explorer.entrance.admits(name, self.client_address[1], port):
                self._answer(303, "", extra={"Location": f"/{self.explorer.key}/"})
                return
            check_key(key, self.explorer.key)
            act(name, parse_qs(address.query, keep_blank_values=True, max_num_fields=2000))
        except RejectedRequest as rejected:
            self._reject(rejected.status, str(rejected), name)
        except InfoscopeError as error:
            self._reject(400, f"{self.explorer.folder.in_titles(error.page)}.", name)
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
        """Say why not; what is asked for in the frame is said in the frame."""
        self.close_connection = True
        policy = script_policy(pages.CODE, "'self'") if name == "report" else None
        self._answer(status, pages.rejection_page(words), policy=policy, extra={"Connection": "close"})

    def _page(self, gets: Mapping[str, Callable[[Query], str]], name: str, query: Query) -> None:
        make = gets.get(name)
        if make is None:
            raise RejectedRequest(404, "There is no such page.")
        with self.explorer.requests.watched(self.connection):
            text = make(query)
        self._answer(200, text, policy=_FRAMED if name == "report" else None)

    def _offer(self, query: Query) -> None:
        self.explorer.folder.check_size(query["name"][0], int(query["size"][0]))
        self._answer(200, "{}", kind="application/json")

    def _upload(self, query: Query) -> None:
        name = self.explorer.folder.keep(query["name"][0], self._length(), self.rfile)
        self._answer(200, json.dumps({"file": name}), kind="application/json")

    def _verdict(self, _: Query) -> None:
        length = self._length()
        if length > MAX_BODY:
            raise RejectedRequest(413, "That is too long for a verdict.")
        self.explorer.keep_verdict(json.loads(self.rfile.read(length)))
        self._answer(200, "{}", kind="application/json")

    def _length(self) -> int:
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
        heads = response_headers(policy or script_policy(pages.CODE), kind, len(body)) | dict(extra or {})
        for name, value in heads.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class LoopbackServer(ThreadingHTTPServer):
    """A thread for each connection of this machine."""

    daemon_threads = True
    request_queue_size = 128  # of more than wait at once, each is kept out for a second

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing for a browser that hung up; anything else is a fault, and said."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _unknown(_: Query) -> None:
    raise RejectedRequest(404, "There is no such page.")


def open_server(root: Path, port: int = 0) -> tuple[ThreadingHTTPServer, FolderExplorer]:
    """A server on this machine alone; the engine reads nothing outside the folder and what was dropped."""
    explorer = FolderExplorer(ServedFolder(root))
    handler = type("FolderHandler", (Handler,), {"explorer": explorer})
    try:
        server = LoopbackServer(("127.0.0.1", port), handler)
    except OSError:
        explorer.close()
        raise
    confine(explorer.folder.root, explorer.folder.dropped)
    return server, explorer
