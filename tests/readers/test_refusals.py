"""One table of what readers refuse: a source, what is asked of it, and the sentence that says what to do.

Refusals that need a server, a terminal, a fault of the machine or a second look stand with what they belong to.
"""

import gzip
import io
import pickle
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from infoscope import ReadOptions, read_tables
from infoscope.errors import InputError, UnknownNameError

UNKNOWN = UnknownNameError
GOOD = '{"t": "x", "s": "y"}\n'
ROWS = "t,s\nx,y\n"
DEEP, LONG = "[" * 100_000 + "]" * 100_000, "9" * 5000  # Python 3.14 reads many thousand levels


def frame(**columns: list) -> Any:
    """A frame of Polars, which may not be installed."""
    import polars as pl

    return pl.DataFrame(columns)


def parquet(**columns: list) -> Callable[[], bytes]:
    """The bytes of a Parquet file, made when a test asks for them."""

    def write() -> bytes:
        file = io.BytesIO()
        frame(**columns).write_parquet(file)
        return file.getvalue()

    return write


def tar(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def pandas(*rows: list, **options: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(list(rows), **options)


def polars_lazily(step: str) -> Any:
    """A frame of Polars that fails when it runs."""
    import polars as pl

    if step == "cast":
        return pl.DataFrame({"t": ["a"], "s": ["b"]}).lazy().with_columns(pl.col("t").cast(pl.Int64))
    return pl.scan_parquet("/nowhere/log.parquet")


def case(label: str, source: object, said: str, error: type[Exception] = InputError, **asked: Any) -> Any:
    """Return a refusal; a dict of files is written to a folder, a function makes a source in memory."""
    return pytest.param(source, asked, error, said, id=label)


def place(source: object, folder: Path, pattern: str | None = None) -> object:
    """Return a source in memory, or the path of the file, of the folder of files or of the pattern."""
    if not isinstance(source, dict):
        return source() if callable(source) else source
    for name, content in source.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content() if callable(content) else content
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    if pattern:
        return str(folder / pattern)
    return folder / next(iter(source)) if len(source) == 1 and "/" not in next(iter(source)) else folder


NOTHING_TO_READ = [
    case("no file", "nowhere.csv", "does not exist"),
    case("no match", "nowhere/*.csv", "matches no file"),
    case("hadoop", "hdfs://bucket/log.parquet", "network address"),
    case("database", "postgresql://host/db", "give a pair"),
    case("object", object(), "a object cannot be read"),
    case("no list", [], "the list of files is empty"),
    case("folder without data", {"sub/nothing.txt": ""}, "has no file named"),
    case("empty", {"a.csv": "\n"}, "is empty", truth="0", system="1", read={"header": False}),
]

WISHES = [
    case("the truth as system", {"a.csv": "t,s\na,b\n"}, "score itself perfectly", system="t"),
    case("no system", {"a.csv": "t,s\na,b\n"}, "no system column", system=[]),
    case("a system twice", {"a.csv": "t,s\na,b\n"}, "named twice", system=["s", "s"]),
    case("group and label", {"a.csv": "t,s\na,b\n"}, "as group and as label", by="s"),
    case("cleaning", {"a.csv": "t,s\na,b\n"}, "cannot be cleaned by 'upper'", UNKNOWN, clean="upper"),
    case("engine", {"a.csv": "t,s\na,b\n"}, "no engine 'hadoop'", UNKNOWN, read={"engine": "hadoop"}),
    case("format", {"a.csv": "t,s\na,b\n"}, "format 'dbf' is not known", read={"format": "dbf"}),
    case("memory", {"a.csv": "t,s\na,b\n"}, "a memory limit reads like", read={"memory": "lots"}),
    case("a limit of no row", {"a.csv": ROWS}, "at most 0 rows", read={"max_rows": 0}),
    case("a limit for a frame", lambda: frame(t=["a"], s=["a"]), "is for files that are read", read={"max_rows": 1}),
    case(
        "Parquet has names",
        {"a.parquet": parquet(t=["a"], s=["a"])},
        "only CSV and TSV files may lack a header",
        read={"header": False},
    ),
    case(
        "address without engine",
        {"a.csv": ROWS},
        "spark://host:7077 is not used by engine duckdb",
        read={"url": "spark://host:7077"},
    ),
    case(
        "encoding of Parquet",
        {"log.parquet": parquet(t=["a"], s=["a"])},
        r"log\.parquet is parquet; an encoding is for text",
        read={"encoding": "latin-1"},
    ),
    case(
        "sheet of Parquet",
        {"log.parquet": parquet(t=["a"], s=["a"])},
        r"log\.parquet is parquet; a sheet is for workbooks",
        read={"sheet": "data"},
    ),
    *[
        case(f"delimiter {sign!r}", {"log.csv": "t,s\na,a\n"}, "it is one sign", read={"delimiter": sign})
        for sign in ("::", "", '"', "\n")
    ],
]

TEXT = [
    case("too few fields", {"a.csv": "t,s\na,b\na\n"}, r"a\.csv, line 3 has 1 field and the header has 2"),
    case("too many fields", {"a.csv": "t,s\na,b\na,b,c\n"}, r"a\.csv, line 3 has 3 fields and the header has 2"),
    case("after empty lines", {"a.csv": "\n\nt,s\na,a\nb\n"}, "line 5 has 1 field and the header has 2"),
    # a reader that guesses takes its header from the one long line and finds no rows
    case("one long line", {"a.csv": "t,s\n" + "a,b\n" * 5 + "a,b,c\n"}, "line 7 has 3 fields"),
    case("an open quote", {"a.csv": 't,s\n"a,b\n'}, "quote that is not closed"),
    case(
        "a header without end", {"a.csv": '"t,s\n' + "a,b\n" * 50000}, r"a\.csv, line 1 has a quote that is not closed"
    ),
    case("line ends", {"a.csv": "t,s\na,b\r\nc,d\n"}, "mixes line ends"),
    case("nothing", {"a.csv": ""}, "is empty"),
    case("another header", {"a.csv": "truth,s\na,b\n"}, "no column 't'", UNKNOWN),
    case("blanks", {"a.csv": "t s\na b\n"}, "name the right delimiter$", UNKNOWN),
    case(
        "Vowpal Wabbit",
        {"a.csv": "3.000000 7\n7.000000 7\n"},
        "or the format vw .--read format=vw. for predictions of Vowpal Wabbit",
        UNKNOWN,
    ),
    case("a name twice", {"a.csv": "t,s,t\na,b,c\n"}, "two columns"),
    case("a near name", {"a.csv": "gold,s\na,b\n"}, "did you mean 'gold'", UNKNOWN, truth="golden"),
    case("Latin-1", {"a.csv": b"t,s\ncaf\xe9,b\n"}, "not UTF-8"),
    case("Excel's line behind empty lines", {"a.csv": "\n\nsep=,\nt,s\na,a\n"}, r"line 3 is 'sep=,'.*tail -n \+4"),
    *[
        case(
            f"comment: {comment}",
            {"rows.csv": f"\n{comment}\nt,s\na,a\n"},
            r"rows\.csv has no column 't'.*line 2 looks like a comment.*grep -v '\^#'",
            UNKNOWN,
        )
        for comment in ("# made by hand", "#made by hand", "# made by hand, on Monday")
    ],
    case(
        "not cp1252",
        {"log.csv": b"t,s\na,b\nc\x81,b\n"},
        r"log\.csv, line 3 is not cp1252 text \(byte 0x81",
        read={"encoding": "cp1252"},
    ),
    case(
        "not UTF-16",
        {"log.csv": "t,s\na,b\n".encode("utf-16")[:-1]},
        r"log\.csv, line \d is not utf-16 text",
        read={"encoding": "utf-16"},
    ),
    case(
        "not ASCII",
        {"log.csv": "t,s\na,ü\n"},
        r"log\.csv, line 2 is not ascii text \(byte 0xc3",
        read={"encoding": "ascii"},
    ),
]

JSON = [
    case("a broken line", {"a.ndjson": GOOD + "{bad\n"}, r"a\.ndjson, line 2 is not JSON .*; fix or remove that line"),
    case("a deep row", {"a.ndjson": f'{{"t": 1, "s": 1, "more": {DEEP}}}'}, "line 1 is nested too deeply"),
    case("a number", {"a.ndjson": f'{{"t": {LONG}, "s": 1}}'}, "line 1 is not JSON .a number has too many"),
    case("in an array", {"a.json": f'[{{"t": 1, "s": 1, "more": {LONG}}}]'}, "element 1 .* too many digits"),
    case("late", {"a.ndjson": '{"t": 1, "s": 1}\n' * 5000 + f'{{"t": {LONG}, "s": 1}}'}, "5000 digits; write it"),
    case(
        "a key twice",
        {"a.ndjson": '{"t": "a", "s": "b"}\n{"t": "a", "x": 1, "x": 2, "t": "c", "s": "b"}\n'},
        r"a\.ndjson, line 2 has the key 't' twice",
    ),
    *[
        case(
            f"weight {mark!r}",
            {"log.ndjson": mark + '{"t": "a", "s": "b", "w": "1,5"}\n'},
            r"log\.ndjson has the weight '1,5', which is no number",
            weight="w",
        )
        for mark in ("", "\ufeff")
    ],
    *[
        case(f"array {at}", {"log.json": text}, rf"log\.json.*{said}", read={"format": "json"})
        for at, (text, said) in enumerate(
            (
                ('[{"t": 1, "s": 1}, 5]', "element 2 of the JSON array begins with '5'; each element is an object"),
                ('[["t", "s"], ["a", "b"]]', r"element 1 of the JSON array begins with '\['"),
                ('[{"t": 1, "s": 1} {"t": 1, "s": 1}]', "element 1 of the JSON array is followed by '{'"),
                ('[{"t": 1, "s": 1},]', "element 2 of the JSON array begins with ']'"),
                ('[{"t": 1, "s": 1}', "element 1 of the JSON array is the end of the file"),
                ('[{"t": 1, "s": }]', r"element 1 of the JSON array is not JSON \(expecting value\)"),
                ('[{"t": 1, "s": 1}]\n[{"t": 1, "s": 1}]', "goes on behind its JSON array"),
                ('[{"t": 1, "s": ' + "[" * 100_000, "element 1 of the JSON array is nested too deeply"),
            )
        )
    ],
    case("an empty array", {"log.json": "[]"}, r"log\.json.*has no column", UNKNOWN, read={"format": "json"}),
]

BINARY = [
    case(
        "truncated",
        {"a.parquet": lambda: parquet(t=["a"] * 1000, s=["b"] * 1000)()[:-40]},
        r"a\.parquet is not a whole Parquet file; fetch it again",
    ),
    case("no bytes", {"a.parquet": ""}, r"a\.parquet is not a whole Parquet file|a\.parquet is empty"),
    case("text", {"a.parquet": "t,s\na,b\n"}, r"a\.parquet is not a whole Parquet file.*--read format=csv"),
    case(
        "weights of bytes",
        {"log.parquet": parquet(t=["a"], s=["b"], w=[b"1"])},
        r"log\.parquet has the column of weights as BLOB; weights are numbers",
        weight="w",
    ),
    case("lists", {"log.parquet": parquet(t=[["a"]], s=["b"])}, "column 't' holds lists or records"),
    case(
        "Feather of the first version",
        {"log.feather": b"FEA1" + b"\0" * 60},
        "Feather file of version 1; write it again as version 2",
    ),
    *[
        case(f"{name}: {at}", {name: content}, re.escape(said))
        for at, (name, content, said) in enumerate(
            (
                ("rows.tar", tar("rows.csv", b"t,p\na,a\n"), "rows.tar is a tar archive; unpack it: tar -xf"),
                (
                    "rows.tar.gz",
                    gzip.compress(tar("rows.csv", b"t,p\na,a\n")),
                    "rows.tar.gz is a tar archive; unpack it: tar -xf",
                ),
                ("rows.csv", tar("rows.csv", b"t,p\na,a\n"), "rows.csv is a tar archive"),
                ("rows.pkl", pickle.dumps({"t": ["a"], "p": ["a"]}), "rows.pkl is a Python pickle; load it"),
                ("rows.csv", pickle.dumps(np.array(["a"])), "rows.csv is a Python pickle; load it"),
                ("rows.rar", b"Rar!\x1a\x07\x01\x00" + bytes(40), "rows.rar is a RAR archive"),
            )
        )
    ],
]

FOLDERS = [
    case(
        "types",
        {"a.parquet": parquet(t=["x"], s=[1]), "b.parquet": parquet(t=["x"], s=["1"])},
        r"b\.parquet has 's' as VARCHAR and .*a\.parquet as BIGINT",
        pattern="*.parquet",
    ),
    case(
        "a column is lacking",
        {"a.parquet": parquet(t=["x"], said=["y"]), "b.parquet": parquet(t=["x"], sayd=["y"])},
        r"b\.parquet has no column 'said'; did you mean 'sayd'",
        UNKNOWN,
        system="said",
    ),
    case("formats", {"a.csv": ROWS, "b.parquet": parquet(t=["x"], s=["y"])}, "one format and compression at a time"),
    case(
        "a folder and a column differ by case",
        {"T=5/run=1/log.parquet": parquet(t=["x"], s=["y"], run=["inside"])},
        "has the column 't', and its folders name 'T'",
        by="run",
    ),
    *[
        case(
            f"places of {names}",
            {
                "a.parquet": parquet(t=["right"], T=["wrong"], s=["x"]),
                "b.parquet": parquet(**{name: ["right" if name == "t" else "wrong"] for name in names}),
            },
            "names that differ only by case must come in the same order",
        )
        for names in (("T", "t", "s"), ("t", "s"))
    ],
    case(
        "the bad weight, not its column",
        {"0.csv": "t,s,w\na,b,1\n", "1.csv": "t,s,w,x\na,b,many,x\n"},
        "the weight 'many', which is no number",
        weight="w",
    ),
    case("weights that are labels", {"a.csv": "t,s\na,b\n"}, "the weight 'b', which is no number", weight="s"),
    case(
        "a wrong name is not said of every file",
        {f"{i}.csv": "t,s\na,b\n" for i in range(5)},
        r"^\S+0\.csv has no column 'q'; it has 't', 's'$",
        UNKNOWN,
        truth="q",
    ),
]

FRAMES = [
    *[
        case(
            f"weight {weight}",
            lambda weight=weight: frame(t=["x", "x"], s=["y", "z"], w=[1.0, weight]),
            f"t 'x', s 'z' {said}",
            weight="w",
        )
        for weight, said in ((-1.0, "is negative"), (float("inf"), "is infinite"))
    ],
    case("lists in pandas", lambda: pandas([["a"], "a"], columns=["t", "s"]), "column 't' holds lists or records"),
    *[
        case(
            f"names {truth!r}, {system!r}",
            lambda: pandas(["a", "b"]),
            r"is named by int, and names are text.*rename\(columns=str\)",
            truth=truth,
            system=system,
        )
        for truth, system in ((0, 1), ("t", 1), ("t", [1]))
    ],
    *[
        case(f"lazy: {step}", lambda step=step: polars_lazily(step), f"polars frame failed while it was read: {said}")
        for step, said in (("cast", "conversion from `str`"), ("scan", "No such file"))
    ],
]


@pytest.mark.parametrize(
    ("source", "asked", "error", "said"), [*NOTHING_TO_READ, *WISHES, *TEXT, *JSON, *BINARY, *FOLDERS, *FRAMES]
)
def test_a_sentence_says_why(
    source: object, asked: dict[str, Any], error: type[Exception], said: str, tmp_path: Path
) -> None:
    asked = {"truth": "t", "system": "s", **asked}
    source = place(source, tmp_path, asked.pop("pattern", None))

    with pytest.raises(error, match=said):
        read_tables(source, **{**asked, "read": ReadOptions(**asked.get("read", {}))})
