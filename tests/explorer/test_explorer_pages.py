"""The explorer's own pages: titles of files, joins that are made once, and no options of the command line."""

import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from infoscope.errors import on_page
from tests.api import MAX_LISTED, ServedFolder, guess_roles, read_verdicts
from tests.explorer.local_server import Served, address_of, serving
from tests.explorer.test_bad_files import said
from tests.readers.test_column_roles import FLAGS, GOOD, ID, POOR, SHARES, TRUTH

PREDICTIONS = "id,svm\n" + "".join(f"{at},{'cat' if at % 3 else 'dog'}\n" for at in range(60))
LABELS = "id,gold,place\n" + "".join(f"{at},{'cat' if at % 2 else 'dog'},here\n" for at in range(5, 65))
OPTION = re.compile(r"(?<![\w-])(--[a-z]|-[a-z] )")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("folder")
    (root / "predictions.csv").write_text(PREDICTIONS)
    (root / "labels.csv").write_text(LABELS)
    (root / "others.csv").write_text("id,gold\nx1,cat\nx2,dog\n")
    (root / "same.csv").write_text("id,gold\n" + "1,cat\n1,dog\n" * 9)
    with serving(root) as found:
        yield found


def ask(served: Served, path: str, body: bytes | None = None, **query: str) -> tuple[int, str]:
    address = f"{address_of(served)}{path}?{urlencode(query)}"
    origin = "/".join(address.split("/")[:3])
    request = urllib.request.Request(address, data=body, headers={} if body is None else {"Origin": origin})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as rejected:
        return rejected.code, rejected.read().decode()


def test_a_join_is_made_once_however_often_its_page_is_loaded(served: Served) -> None:
    asked = {"file": "predictions.csv", "other": "labels.csv", "key": "id", "column": "gold"}
    first = ask(served, "join", **asked)
    assert first[0] == 200
    assert "55 of 60 rows found gold of labels.csv by id" in said(first[1])
    assert "5 rows have a key without a label there; 5 keys there belong to no row." in said(first[1])
    assert "predictions.csv with labels.csv" in said(first[1])
    files = set(served[1].folder.dropped.iterdir())
    assert ask(served, "join", **asked) == first
    assert set(served[1].folder.dropped.iterdir()) == files
    assert "predictions.csv with labels.csv" in said(ask(served, "")[1])  # it can be found again
    path = served[1].folder.root / "labels.csv"
    path.write_text(LABELS + "1,cat,here\n")
    assert "56 of 60 rows" in said(ask(served, "join", **asked)[1])


def test_what_does_not_join_is_said_in_the_words_of_the_page(served: Served) -> None:
    for other, column, words in (
        ("others.csv", "gold", "choose the right column"),
        ("same.csv", "gold", "choose a column with a value of its own for each row"),
        ("labels.csv", "id", "choose another column"),
    ):
        status, page = ask(served, "join", file="predictions.csv", other=other, key="id", column=column)
        assert status == 400
        assert words in said(page)
        assert not OPTION.search(said(page))
    assert not list(served[1].folder.dropped.glob("*other*"))


@pytest.mark.parametrize(
    "columns",
    [
        {"model": ["svm", "knn"] * 30, "truth": TRUTH, "prediction": GOOD},
        {"id": ID, "pred": GOOD},
        {"id": ID, "svm": GOOD, "knn": POOR},
        {"svm": GOOD, "pred": POOR},
        {"label": FLAGS, "score": SHARES},
        {"label": TRUTH, "pred": GOOD, "majority": [TRUTH[0]] * len(TRUTH)},
        {"label": TRUTH, "pred": GOOD, "split": ["train", "test", "test"] * 20, "score": SHARES},
        {"label": FLAGS, "pred": FLAGS, "smoker": FLAGS},
        {"alice": TRUTH, "bob": GOOD},
    ],
)
def test_what_columns_are_taken_for_is_said_in_the_words_of_the_page(columns: dict[str, list[object]]) -> None:
    """An option may be named only within a command that is said to belong into a terminal."""
    found = guess_roles(columns, source="my rows.csv")
    for sentence in map(on_page, (*found.reasons, found.question or "")):
        alone = re.sub(r"in a terminal, infoscope \w+ 'my rows.csv'[^;]*", "", sentence)
        assert not OPTION.search(alone), sentence
        assert "SOURCE" not in sentence
        assert "FILE" not in sentence


def test_a_column_may_be_called_like_the_word_for_a_file() -> None:
    found = guess_roles({"FILE": ID, "truth": TRUTH, "PROFILE": GOOD}, source="my rows.csv")
    assert any("'PROFILE'" in sentence for sentence in found.reasons)
    assert not any("my rows.csv" in sentence for sentence in found.reasons)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "latin.csv",
            "truth,svm\ncafé,café\n".encode("latin-1"),
            "seems to be Latin-1; convert it: iconv -f ISO-8859-1",
        ),
        ("wrong.csv", b"PAR1" + bytes(40) + b"PAR1", "is a Parquet file and not csv; give it the name of one."),
        ("half.parquet", b"PAR1" + bytes(40), "is not a whole Parquet file; fetch it again."),
        ("text.arrow", b"t,s\na,b\n", "is text and not an Arrow file; give it a name that ends in .csv or .ndjson."),
        ("text.xlsx", b"truth,svm\na,b\n", "is text and not a workbook; give it a name that ends in .csv."),
        ("mixed.ndjson", b'{"truth": 1, "svm": "1"}\n', "or clean labels under “How labels are read”."),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_the_words_of_the_page(
    served: Served, name: str, content: bytes, words: str
) -> None:
    (served[1].folder.root / name).write_bytes(content)
    status, page = ask(served, "report", file=name, t="truth", s="svm")
    assert status == 400
    assert words in said(page)
    assert not OPTION.search(said(page).replace("iconv -f ISO-8859-1 -t UTF-8", ""))


def test_a_dropped_file_keeps_its_name_for_people(served: Served) -> None:
    """Its name is on the pages, in messages and beside verdicts, and on no path."""
    rows = "truth,svm\n" + "cat,cat\ncat,dog\ndog,dog\n" * 20
    status, answer = ask(served, "upload", rows.encode(), name="C:\\data\\my <rows>.csv")
    assert status == 200
    name = re.findall(r'"file": "(.*)"', answer)[0]
    assert "rows" not in name
    columns = {"file": name, "t": "truth", "s": "svm"}
    assert "my <rows>.csv" in said(ask(served, "columns", file=name)[1]).replace("&lt;", "<").replace("&gt;", ">")
    assert "<rows>" not in ask(served, "explore", **columns)[1]
    assert "my &lt;rows&gt;.csv" in ask(served, "explore", **columns)[1]
    rejected = ask(served, "report", **{**columns, "t": "gold"})
    assert rejected[0] == 400
    assert "my &lt;rows&gt;.csv has no column" in rejected[1]
    verdict = (
        f'{{"file": "{name}", "row": 2, "system": "svm", "truth": "cat", "predicted": "dog", "verdict": "unclear"}}'
    )
    assert ask(served, "verdict", verdict.encode())[0] == 200
    (kept,) = read_verdicts(served[1].folder.root / "verdicts.jsonl")
    assert (kept.file, kept.key, len(kept.contents or "")) == ("my <rows>.csv", None, 32)
    sheet = ask(served, "rows", **columns, system="svm", truth="cat", predicted="dog")[1]
    assert len(re.findall(r'data-verdict="unclear" aria-pressed="true"', sheet)) == 1


def test_a_folder_of_very_many_files_says_so(tmp_path: Path) -> None:
    for at in range(MAX_LISTED + 3):
        (tmp_path / f"{at:04}.csv").touch()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "0.csv").touch()
    folder = ServedFolder(tmp_path)
    try:
        assert [path.name for path in folder.list_files()][:2] == ["0000.csv", "0001.csv"]
        assert len(folder.list_files()) == MAX_LISTED + 1
    finally:
        folder.close()
    with serving(tmp_path) as found:
        page = said(ask(found, "")[1])
    assert f"the first {MAX_LISTED} files" in page
