"""The truth of another file beside the rows of a source: joined by the engine, with what did not match counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infoscope.core.files import scratch_folder
from infoscope.errors import Advised, InputError
from infoscope.readers.columns import first_rows, guess_roles, list_columns
from infoscope.readers.duckdb import Scan, Session, identifier, literal, open_session, scan_in_order
from infoscope.readers.engine import open_source
from infoscope.readers.files import Files
from infoscope.readers.query import ReadOptions, pick_columns
from infoscope.typing import Source


@dataclass(frozen=True)
class JoinCounts:
    """Counts of the rows of a source and the keys of a file of true labels that met."""

    rows: int
    without_key: int
    """Rows of the source that have no key."""
    unmatched_rows: int
    """Rows of the source whose key has no true label in the other file."""
    unused_keys: int
    """Keys of the file of true labels that no row has."""
    contradictory_keys: int
    """Keys with several different true labels: their rows have none."""
    repeated_keys: int
    """Keys that occur several times in the file of true labels, always with the same label."""
    repeated_rows: int
    """Keys that several rows of the source have."""

    @property
    def is_whole(self) -> bool:
        """True where every row found its label and every label its row."""
        return not any(getattr(self, name) for name in _TROUBLES)


_TROUBLES = {
    "without_key": "{n:,} rows have no key",
    "unmatched_rows": "{n:,} rows have a key without a true label there",
    "unused_keys": "{n:,} keys there belong to no row",
    "contradictory_keys": "{n:,} keys occur there with different labels, so that their rows have none",
    "repeated_keys": "{n:,} keys occur there more than once, with the same label",
    "repeated_rows": "{n:,} keys belong to several rows, each of which counts",
}
_SINGULAR = (
    ("1 rows have", "1 row has"),
    ("1 keys occur", "1 key occurs"),
    ("1 keys there belong", "1 key there belongs"),
    ("1 keys belong", "1 key belongs"),
    ("their rows have none", "its rows have none"),
)


@dataclass(frozen=True)
class JoinedRows:
    """Rows with their truth, as files that every reader takes."""

    files: Files
    truth: str
    """The column of the truth among them."""
    label: str
    """The same in the file of true labels."""
    key: str
    counts: JoinCounts
    names: tuple[str, str]
    """Titles of the source and of the file of true labels."""

    @property
    def sentence(self) -> str:
        """Sentence with the number of rows that found their label, and what did not match."""
        rows, labels = self.names
        matched = self.counts.rows - self.counts.without_key - self.counts.unmatched_rows
        first = f"{matched:,} of {self.counts.rows:,} rows of {rows} found their true label in {labels} by {self.key!r}"
        return "; ".join((first, *self.troubles)) + "."

    @property
    def troubles(self) -> list[str]:
        """Parts of a sentence about rows and keys that did not match."""
        parts = []
        for name, words in _TROUBLES.items():
            if number := getattr(self.counts, name):
                stated = words.format(n=number)
                for many, one in _SINGULAR if number == 1 else ():
                    stated = stated.replace(many, one)
                parts.append(stated)
        return parts


@contextmanager
def join_truth(
    source: Source,
    truth_file: str | Path,
    *,
    key: str | None = None,
    truth: str | None = None,
    read: ReadOptions | None = None,
) -> Iterator[JoinedRows]:
    r"""Join the true labels of another file to the rows of files; both lie in a folder of their own until the end.

    ``key`` is a column of both, or "HERE=THERE" where they differ in name; by default the only one that both have.
    ``truth`` is a column of the other file; by default the only one beside the key, or the one named like a truth.

    >>> import tempfile, infoscope as ifs
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "predictions.csv").write_text("id,svm\n1,cat\n2,dog\n3,dog\n")
    >>> _ = (folder / "labels.csv").write_text("id,gold\n3,dog\n1,cat\n2,cat\n")
    >>> with join_truth(folder / "predictions.csv", folder / "labels.csv", key="id") as rows:
    ...     ifs.read(rows.files, truth=rows.truth, system="svm").counts.tolist()
    [[1, 1], [0, 1]]
    """
    how = read or ReadOptions()
    with scratch_folder() as folder:
        ours, theirs = _open_files(source, how, folder), _open_files(str(truth_file), ReadOptions(), folder)
        with ours.named(), theirs.named():
            present, their_names = list_columns(ours, how), list_columns(theirs, ReadOptions())
            keys = _find_keys(key, (present, their_names), (ours.name, theirs.name))
            label = _find_truth_column(theirs, truth, keys[1], their_names)
            kept = [name for name in dict.fromkeys((*present, *ours.hive_keys)) if present.count(name) < 2]
            named = label if label not in kept else f"{label} ({Path(theirs.name).name})"
            target = folder / "joined.parquet"
            with open_session(folder, ours.name, how) as session:
                _make_tables(session, ours, theirs, keys, label, kept, how.delimiter)
                fields = ", ".join(f"r.c{i} AS {identifier(name)}" for i, name in enumerate(kept))
                session.run(
                    f"COPY (SELECT {fields}, l.label AS {identifier(named)} FROM source_rows r LEFT JOIN labels l "
                    f"ON r.k = l.k ORDER BY r.n) TO {literal(str(target))} (FORMAT parquet)"
                )
                counts = _count_matches(session, (ours.name, theirs.name), keys)
        files = Files((target,), "parquet", titles={target: ours.name})
        yield JoinedRows(files, named, label, key or keys[0], counts, (ours.name, theirs.name))


def _open_files(source: Source, how: ReadOptions, folder: Path) -> Files:
    files = open_source(source, how, folder)
    if not isinstance(files, Files) or files.format == "ifs":
        raise InputError(
            "true labels of another file are joined to rows of files; read a database by a query that joins"
        )
    return files


def _find_keys(key: str | None, present: Sequence[Sequence[str]], names: tuple[str, str]) -> tuple[str, str]:
    """Return the columns of the key in both files."""
    if key is None:
        both = [name for name in present[0] if name in present[1]]
        if len(both) == 1:
            return both[0], both[0]
        shared = f"both have {', '.join(map(repr, both))}" if both else "they share no column: write --key HERE=THERE"
        raise InputError(f"name the column that joins {names[0]} and {names[1]} with --key; {shared}")
    here, sign, there = (key, "", key) if key in present[0] else key.partition("=")
    if not sign:
        there = here
    pick_columns([here], present[0], names[0])
    pick_columns([there], present[1], names[1])
    return here, there


def _find_truth_column(files: Files, truth: str | None, key: str, present: Sequence[str]) -> str:
    """Return the column of true labels: as named, the only one beside the key, or the one named like a truth."""
    if truth is not None:
        pick_columns([truth], present, files.name)
        if truth == key:
            what = f"{truth!r} is the key of {files.name} and not its truth"
            raise InputError(Advised(what, terminal="; name another column with -t", page="; choose another column"))
        return truth
    others = [name for name in present if name != key]
    if len(others) == 1:
        return others[0]
    roles = guess_roles({name: rows for name, rows in first_rows(files).items() if name != key})
    if roles.truth is not None and not roles.systems:
        return roles.truth
    listed = ", ".join(map(repr, others)) or "no other column"
    raise InputError(f"name the truth column of {files.name} with -t; it has {listed}")


def _make_tables(
    session: Session,
    ours: Files,
    theirs: Files,
    keys: tuple[str, str],
    label: str,
    kept: Sequence[str],
    delimiter: str | None,
) -> None:
    """Make two tables of the session: the rows of the source by number and key, and one line for each key there.

    The label of a key is NULL where it is contradictory or absent.
    """
    are_typed = all(side.format in ("parquet", "arrow") for side in (ours, theirs))
    scan = scan_in_order(session, theirs, [keys[1], label], None)
    session.run(
        f"CREATE TEMP TABLE labels AS SELECT k, CASE WHEN count(DISTINCT v) = 1 THEN min(v) END AS label, "
        f"count(*) AS times, count(DISTINCT v) AS different FROM (SELECT {_write_key(scan, keys[1], theirs)} AS k, "
        f"{_write_value(scan, label, theirs, are_typed)} AS v FROM {scan.relation}) WHERE k IS NOT NULL GROUP BY k",
        **scan.values,
    )
    scan = scan_in_order(session, ours, kept, delimiter)
    fields = ", ".join(f"{_write_value(scan, name, ours, are_typed)} AS c{i}" for i, name in enumerate(kept))
    session.run(
        f"CREATE TEMP TABLE source_rows AS SELECT row_number() OVER () AS n, {_write_key(scan, keys[0], ours)} AS k, "
        f"{fields} FROM {scan.relation}",
        **scan.values,
    )


def _write_text(scan: Scan, name: str, files: Files) -> str:
    """Write a column as text, whatever its type."""
    if name in scan.decoders:
        return f"CAST({identifier(name)} AS VARCHAR)"
    column = scan.columns[name]
    return f"({column} ->> '$')" if files.format == "ndjson" else f"CAST({column} AS VARCHAR)"


def _write_value(scan: Scan, name: str, files: Files, are_typed: bool) -> str:
    """Write a column as it is where both sides have types, else as text, in which empty is none."""
    if name in scan.decoders:
        return _write_text(scan, name, files)
    return scan.columns[name] if are_typed else f"nullif({_write_text(scan, name, files)}, '')"


def _write_key(scan: Scan, name: str, files: Files) -> str:
    """Write a key: text without spaces around it, whatever its type."""
    return f"nullif(trim({_write_text(scan, name, files)}), '')"


_JOINED = "source_rows r LEFT JOIN labels l ON r.k = l.k"
_KEYED = "source_rows WHERE k IS NOT NULL"
_COUNTS = {
    "rows": "source_rows",
    "without_key": "source_rows WHERE k IS NULL",
    "unmatched_rows": f"{_JOINED} WHERE r.k IS NOT NULL AND l.label IS NULL",
    "unused_keys": f"labels WHERE k NOT IN (SELECT k FROM {_KEYED})",
    "contradictory_keys": "labels WHERE different > 1",
    "repeated_keys": "labels WHERE times > 1 AND different < 2",
    "repeated_rows": f"(SELECT k FROM {_KEYED} GROUP BY k HAVING count(*) > 1)",
}


def _count_matches(session: Session, names: tuple[str, str], keys: tuple[str, str]) -> JoinCounts:
    """Count how the two sides met, and reject a join in which no row found a label."""
    numbers = session.row(f"SELECT {', '.join(f'(SELECT count(*) FROM {of})' for of in _COUNTS.values())}")
    counts = JoinCounts(*map(int, numbers or ()))
    if not counts.rows or counts.without_key + counts.unmatched_rows < counts.rows:
        return counts
    if session.row("SELECT 1 FROM source_rows r JOIN labels l ON r.k = l.k WHERE different > 1 LIMIT 1") is not None:
        what = (
            f"{keys[1]!r} of {names[1]} does not tell rows apart: no key that {names[0]} has occurs there with one "
            "label alone"
        )
        own = "a column with a value of its own for each row"
        raise InputError(Advised(what, terminal=f"; name {own} with --key", page=f"; choose {own}"))
    mine, yours = ((session.row(f"SELECT min(k) FROM {side}") or (None,))[0] for side in ("source_rows", "labels"))
    what = f"no key of {names[0]} is in {names[1]}: {keys[0]!r} is {mine!r} here and {keys[1]!r} is {yours!r} there"
    right = "the right column"
    raise InputError(Advised(what, terminal=f"; name {right} with --key", page=f"; choose {right}"))
