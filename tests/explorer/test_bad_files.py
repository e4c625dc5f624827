"""Files that cannot be evaluated, or look odd: each gets a sentence and a way out, never a trace or a blank page."""

import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.explorer.local_server import address_of, serving

LONG = "\n".join(f"class {i},class {i % 4999}" for i in range(5000))
WIDTH = 4000
FILES = {
    "empty.csv": b"",
    "ragged.csv": b"t,s\na,a\nb,a,x\n",
    "unquoted.csv": b't,s\n"a,a\nb,b\n',
    "mixed_ends.csv": b"t,s\r\na,a\nb,a\rc,c\r\n",
    "latin.csv": "t,s\nMünchen,München\nKöln,München\n".encode("latin-1"),
    "damaged.parquet": b"PAR1" + b"\0" * 40,
    "no_header.csv": b"cat,cat\ndog,cat\ncat,cat\ndog,dog\n",
    "twice.csv": b"t,s,s\na,a,b\nb,b,b\n",
    "one_column.csv": b"t\na\nb\n",
    "no_truth.csv": b"id,prediction\n1,cat\n2,dog\n3,cat\n",
    "one_class.csv": b"t,s\n" + b"a,a\n" * 20,
    "all_right.csv": b"t,s\n" + b"a,a\nb,b\n" * 20,
    "all_wrong.csv": b"t,s\n" + b"a,b\nb,a\n" * 20,
    "other_words.csv": b"t,s\n" + b"0,normal\n1,attack\n" * 20,
    "score_with_commas.csv": b't,s,p\na,a,"0,9"\nb,b,"0,2"\na,b,"0,4"\nb,b,"0,1"\n',
    "many_classes.csv": b"t,s\n" + LONG.encode() + b"\n",
    "markup.csv": "t,s\n<b>x</b>,=1+1\n=1+1,=1+1\n\u202eabc,<b>x</b>\n".encode(),
    "line_breaks.csv": b't,s\n"a\nb","a\nb"\nc,"a\nb"\n',
}
REJECTED = {"empty.csv", "ragged.csv", "unquoted.csv", "latin.csv", "damaged.parquet", "one_column.csv"}
"""Files that no choice of columns makes readable."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("bad")
    for name, content in FILES.items():
        (root / name).write_bytes(content)
    wide = ",".join(["t", "s", *(f"c{i}" for i in range(WIDTH))])
    (root / "wide.csv").write_text(wide + "\n" + "a,b" + ",1" * WIDTH + "\n" + "b,b" + ",2" * WIDTH + "\n")
    with serving(root) as served:
        yield address_of(served)


def ask(address: str, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address + path, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as rejected:
        return rejected.code, rejected.read().decode()


def said(page: str) -> str:
    """The words of the page without its style and script."""
    bare = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", bare)


def marked(name: str) -> Any:
    return pytest.param(name, marks=[pytest.mark.slow] if name in ("wide.csv", "many_classes.csv") else [])


@pytest.mark.parametrize("name", [marked(name) for name in (*FILES, "wide.csv")])
def test_each_gets_a_sentence(address: str, name: str) -> None:
    status, page = ask(address, "columns?" + urlencode({"file": name}))
    assert status in (200, 400)
    columns = {"t": "t", "s": "s"} if name not in ("no_header.csv", "no_truth.csv") else {"t": "cat", "s": "dog"}
    made, report = ask(address, "report?" + urlencode({"file": name, **columns}))
    assert made in (200, 400)
    for text in (page, report):
        words = said(text)
        assert "Traceback" not in words
        assert "duckdb" not in words.lower()
        assert "an error of infoscope itself" not in words
        assert "<b>x</b>" not in text
    if name in REJECTED:
        assert made == 400
        assert Path(name).stem in said(report)
        assert len(said(report).split()) > 8
    elif made == 200:
        rows = {"system": "s", "truth": "a", "predicted": "b"}
        status, sheet = ask(address, "rows?" + urlencode({"file": name, **columns, **rows}))
        assert status == 200
        assert "row" in said(sheet)
