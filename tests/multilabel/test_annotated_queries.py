"""Label lists as search queries are annotated: a frequency before the categories, queries without any, odd names."""

import csv
import json
from collections import Counter
from math import log2
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.api import app

TRUTH = """entertainment\t17,184,310\tArts & Entertainment
&#8216;Space&#8217; Review: Madness\t3,743\tArts\\Comics
wife|wifey|wives\t1,152\tArts\\Books
Women's Wear\t122\tStyle & Fashion\\Clothing\tShopping
photos\t10,430\tArts\\Photography
photos\t1,410\tShopping
magnification\t2,924\tArts\\Photography
news\t6\t
"""
PREDICTED = """entertainment\tArts & Entertainment
&#8216;Space&#8217; Review: Madness\tArts\\Comics
wife|wifey|wives\tArts\\Comics
Women's Wear\tStyle & Fashion\\Clothing
photos\tArts\\Photography
photos\tArts\\Photography\tShopping
magnification
news\tNews
"""


def recounted(truth: Path, predicted: Path) -> dict[str, float]:
    """Rows in pairs by their place, sets of what stands from the third and the second column on, plain sums."""
    sides = []
    for path, start in ((truth, 2), (predicted, 1)):
        with path.open(newline="") as file:
            sides.append([set(row[start:]) - {""} for row in csv.reader(file, delimiter="\t")])
    n, true, said, both = len(sides[0]), Counter(), Counter(), Counter()
    for t, p in zip(*sides, strict=True):
        true.update(t)
        said.update(p)
        both.update(t & p)
    known = sum(sum(-x / n * log2(x / n) for x in (true[c], n - true[c]) if x) for c in true)
    captured = 0.0
    for c in true:
        a, b, ab = true[c], said[c], both[c]
        cells = ((ab, a, b), (a - ab, a, n - b), (b - ab, n - a, b), (n - a - b + ab, n - a, n - b))
        captured += sum(x / n * log2(x * n / (row * column)) for x, row, column in cells if x)
    hits = both.total()
    return {
        "proficiency": captured / known,
        "micro_precision": hits / said.total(),
        "micro_recall": hits / true.total(),
        "micro_f1": 2 * hits / (true.total() + said.total()),
    }


def test_annotated_queries_give_the_numbers_of_plain_counting(tmp_path: Path) -> None:
    truth, predicted = tmp_path / "annotated.txt", tmp_path / "results.txt"
    truth.write_text(TRUTH, encoding="utf-8")
    predicted.write_text(PREDICTED, encoding="utf-8")
    quick = ("--plain", "--format", "json")
    done = CliRunner().invoke(app, ["multilabel", str(truth), str(predicted), "--read", "truth_start=2", *quick])

    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["objects"] == 8
    ours = found["systems"][0]["metrics"]
    for metric, value in recounted(truth, predicted).items():
        assert ours[metric]["value"] == pytest.approx(value, abs=1e-12), metric
