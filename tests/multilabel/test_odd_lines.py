"""Lines of label lists as search logs have them, against a plain count that reads both files in step."""

import csv
import gzip
import math
import shlex
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from infoscope import multilabel
from infoscope.errors import InputError

# object, number of searches, true category, predicted category (None: no category, not even a TAB)
LINES = [
    ("blue kettle", "17,184,310", "Home\\Kitchen", "Home\\Kitchen"),
    ("", "2,381", "None of these", ""),
    ("north gate hotel", "28,132", "Travel", "Travel"),
    ("north gate hotel", "11,060", "Travel\\Hotels", "Travel"),
    ("0", "2,084", "None of these", "None of these"),
    ("0", "2,374", "Home", "None of these"),
    ("null", "1,355", "Home", None),
    ("NaN", "1,200", "Home", "Home"),
    (" 'A quiet road' and more", "1,006", "None of these", "Travel"),
    ("#nofilter | $keywords & {query} [x] @ %u2013 *c", "7,294", "Home", "Home\\Kitchen"),
    ("&#8216;Seven days&#8217; review", "3,743", "Travel", "Travel"),
    ('5" pipe', "1,100", "home", "Home"),
    ('"quoted name"', "1,101", "Home", "Home"),
    ("niños, ελληνικά, новости, 格式工廠, café’s", "28,517", "Travel", "Home"),
    ("it\u0085s \u2028 \u000b a line", "2,014", "Travel", "Travel"),
    ("how to " + "tidy a drawer - home and garden - " * 30, "2,289", "Home", "Home"),
    ("Gift�Card", "7,447", "None of these", "None of these"),
]


def written(folder: Path, end: str = "\n") -> tuple[Path, Path]:
    truth = "".join(f"{name}\t{count}\t{category}{end}" for name, count, category, _ in LINES)
    found = "".join(f"{name}{end}" if got is None else f"{name}\t{got}{end}" for name, _, _, got in LINES)
    paths = folder / "annotated.txt", folder / "results.txt"
    for path, text in zip(paths, (truth, found), strict=True):
        path.write_bytes(text.encode())
    return paths


def in_step(truth: Path, found: Path) -> dict[str, float]:
    """Counted as Steingold & Laclavik define it: sums over categories, natural logarithms, nothing of ours."""
    sides = []
    for path, start in ((truth, 2), (found, 1)):
        with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
            sides.append([(row[0], set(row[start:]) - {""}) for row in csv.reader(file, delimiter="\t")])
    assert [name for name, _ in sides[0]] == [name for name, _ in sides[1]]
    n = len(sides[0])
    true, predicted = (Counter(label for _, labels in side for label in labels) for side in sides)
    both = Counter(label for (_, a), (_, b) in zip(*sides, strict=True) for label in a & b)
    information = entropy = 0.0
    for label, count in true.items():
        cells = {(1, 1): both[label], (1, 0): count - both[label], (0, 1): predicted[label] - both[label]}
        cells[0, 0] = n - sum(cells.values())
        rows, columns = (n - count, count), (n - predicted[label], predicted[label])
        information += sum(c * math.log(n * c / (rows[i] * columns[j])) for (i, j), c in cells.items() if c)
        entropy -= sum(side * math.log(side / n) for side in rows if side)
    right = both.total()
    return {
        "proficiency": information / entropy,
        "micro_precision": right / predicted.total(),
        "micro_recall": right / true.total(),
    }


def ours(truth: Path, found: Path) -> dict[str, float]:
    result = multilabel.evaluate(truth, found, truth_start=2, draws=0, shuffles=0, splits=0).systems[0]
    assert result.n == len(LINES)
    return {name: result.metrics[name].value for name in ("proficiency", "micro_precision", "micro_recall")}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\t\n"], ids=["unix", "windows", "trailing TAB"])
def test_odd_lines_count_as_in_step(tmp_path: Path, end: str) -> None:
    assert ours(*written(tmp_path, end)) == pytest.approx(in_step(*written(tmp_path, end)), abs=1e-12)


def test_names_may_hold_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    files = written(tmp_path)
    for path in files:
        path.write_bytes(path.read_bytes().replace("�".encode(), b"\xae"))

    assert ours(*files) == pytest.approx(in_step(*files), abs=1e-12)


def test_names_that_differ_in_such_a_byte_stay_apart(tmp_path: Path) -> None:
    truth, found = tmp_path / "truth.txt", tmp_path / "found.txt"
    truth.write_bytes(b"caf\xe9\ta\ncaf\xe8\tb\n")
    found.write_bytes(b"caf\xe8\tb\ncaf\xe9\ta\n")

    result = multilabel.evaluate(truth, found, draws=0, shuffles=0, splits=0).systems[0]

    assert result.metrics["micro_f1"].value == 1.0
    assert "repeated_objects" not in {each.code for each in result.diagnosis}


def test_the_conversion_that_is_advised_works_for_any_name(tmp_path: Path) -> None:
    truth = tmp_path / "it's the truth.txt"
    truth.write_bytes(b"one\tcaf\xe9\n")

    with pytest.raises(InputError) as caught:
        multilabel.evaluate(truth, truth, draws=0, shuffles=0, splits=0)
    words = shlex.split(str(caught.value).partition("example: ")[2])
    assert words == [
        *("iconv", "-f", "WINDOWS-1252", "-t", "UTF-8", str(truth)),
        ">",
        f"{tmp_path}/it's the truth-utf8.txt",
    ]


@pytest.mark.parametrize(
    ("name", "converted"), [("the truth.txt.gz", "the truth-utf8.txt"), ("gold.gz", "gold-utf8.txt")]
)
def test_the_conversion_that_is_advised_unpacks_a_packed_file(tmp_path: Path, name: str, converted: str) -> None:
    truth = tmp_path / name
    truth.write_bytes(gzip.compress(b"one\tcaf\xe9\n"))

    with pytest.raises(InputError) as caught:
        multilabel.evaluate(truth, truth, draws=0, shuffles=0, splits=0)
    subprocess.run(str(caught.value).partition("example: ")[2], shell=True, check=True)
    assert (tmp_path / converted).read_text(encoding="utf-8") == "one\tcafé\n"


def test_another_encoding_is_converted_because_label_lists_have_no_option_for_it(tmp_path: Path) -> None:
    wide, plain = tmp_path / "wide.txt", tmp_path / "plain.txt"
    wide.write_text("a\tx\n", encoding="utf-16")
    plain.write_text("a\tx\n", encoding="utf-8")

    with pytest.raises(InputError, match=r"wide\.txt is UTF-16 text; convert it: iconv -f UTF-16") as caught:
        multilabel.evaluate(wide, plain)
    assert "encoding=" not in str(caught.value)


def test_quotes_around_a_whole_field_are_left_out(tmp_path: Path) -> None:
    truth, found = tmp_path / "truth.txt", tmp_path / "found.txt"
    truth.write_text('one\t"Food, drink"\ntwo\t"the ""best"""\nthree\t"open\n', encoding="utf-8")
    found.write_text('"one"\tFood, drink\ntwo\tthe "best"\nthree\t"open\n', encoding="utf-8")

    system = multilabel.evaluate(truth, found, draws=0, shuffles=0, splits=0).systems[0]

    assert system.metrics["micro_f1"].value == 1.0
    assert system.categories == ('"open', "Food, drink", 'the "best"')


def test_names_that_look_alike_get_the_cleaning_that_unites_them() -> None:
    truth = [{"News"}, {"news"}, {"Sport "}, {"sport"}]
    system = multilabel.evaluate(truth, truth, draws=0, shuffles=0, splits=0).systems[0]
    texts = [each.text for each in system.diagnosis if each.code == "lookalike_categories"]

    assert [text.partition(" differ only by ")[2] for text in texts] == [
        "case and count as different; clean=('casefold',) or --clean casefold makes them one.",
        "white space and case and count as different; clean=('strip', 'casefold') or --clean strip --clean casefold "
        "makes them one.",
    ]
