"""``infoscope explain`` knows every word that is printed, in any spelling, and scikit-learn's words."""

import re
from dataclasses import fields, is_dataclass
from html.parser import HTMLParser
from importlib.resources import files
from typing import get_args

import pytest
import sklearn.metrics
from click.testing import CliRunner

from tests.api import (
    COMMANDS,
    RULES,
    Column,
    Domain,
    Tile,
    all_metrics,
    app,
    explain_word,
    fold_name,
    make_outline,
    read_glossary,
    to_plain,
)
from tests.reference import reference_file, why_absent
from tests.results.examples import EXAMPLES, example

OF_THE_DATA = {"ann", "bob", "eve", "good", "poor", "nervous", "steady", "stump", "tree", "near", "far", "k"}
"""Systems, annotators, trackers and parameters of the examples, which stand in headings, too."""
OF_THE_DATA |= {"cat", "dog", "fox", "site"}
REGRESSION_OR_TOOL = re.compile(
    r"Display$|scor(er|ing)|[Dd]istance|pairwise|^cluster$|squared|deviance|pinball|tweedie|absolute|^r2|explained|max_error"
)
"""Names of scikit-learn's metrics module that are about numbers, not classes, or are no metric."""


class Headings(HTMLParser):
    """Words of table headings, as a page shows them."""

    def __init__(self):
        super().__init__()
        self.words, self.open = [], None

    def handle_starttag(self, tag, attributes):
        if tag == "th" and dict(attributes).get("scope") == "col":
            self.open = ""

    def handle_data(self, data):
        if self.open is not None:
            self.open += data

    def handle_endtag(self, tag):
        if tag == "th" and self.open is not None:
            self.words.append(" ".join(self.open.split()))
            self.open = None


def outlined(part):
    """Headings of tables and words of tiles anywhere in an outline: what text, Markdown, page and notebook print."""
    if isinstance(part, Column):
        yield part.title
    if isinstance(part, Tile):
        yield to_plain(part.word)
    if is_dataclass(part):
        for each in fields(part):
            yield from outlined(getattr(part, each.name))
    elif isinstance(part, (list, tuple)):
        for each in part:
            yield from outlined(each)


def asked(words):
    unknown = []
    for word in sorted(set(words)):
        if re.search(r"[^\W\d]", word) and word not in OF_THE_DATA:  # the ends of a scale are no words
            try:
                assert explain_word(word, 80)
            except KeyError as problem:
                unknown.append(f"{word}: {problem}")
    return unknown


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_word_in_a_table_or_tile_is_known(kind):
    result = example(kind)
    page = Headings()
    page.feed(result.to_html())
    words = {*outlined(make_outline(result)), *page.words}

    assert len(words) > 3
    assert not asked(words)


@pytest.mark.slow
def test_every_name_of_scikit_learn_about_classes_is_known():
    functions = [name for name in sklearn.metrics.__all__ if not REGRESSION_OR_TOOL.search(name)]
    scorers = [name for name in sklearn.metrics.get_scorer_names() if not REGRESSION_OR_TOOL.search(name)]

    assert len(functions) > 35
    assert len(scorers) > 35
    assert not asked([*functions, *scorers])


def test_words_of_the_report_are_known():
    assert not asked(["precision", "recall", "f1-score", "support", "missed", "macro avg", "weighted avg", "captured"])


@pytest.mark.reference
@pytest.mark.skipif(bool(why_absent("METRICS.md")), reason="no reference data")
def test_every_id_of_the_vocabulary_is_known():
    ids = set(re.findall(r"`([a-z]\w+)(?:\([^`]*\))?`", reference_file("METRICS.md").read_text(encoding="utf-8")))

    assert len(ids) > 80
    assert not asked(ids - {"code", "evaluate"})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("in doubt", "equally likely classes remain"),
        ("cost", "bits that a class"),
        ("auc", "area under the ROC curve"),
        ("roc_auc", "area under the ROC curve"),
        ("f1_score", "Harmonic mean"),
        ("false", "false_information_ratio"),
        ("captured", "proficiency"),
        ("missed", "missed_information_ratio"),
        ("recall of 'picture'", "Fraction of the positive samples"),
        ("95% interval", "stated probability"),
        ("Brier score", "mean squared distance"),
        ("brier_score_loss", "mean squared distance"),
        ("neg_log_loss", "cross-entropy"),
        ("f1_macro", "macro_f1"),
        ("recall_weighted", "weighted_tpr"),
        ("precision_samples", "object_precision"),
        ("completeness_score", "information_precision"),
        ("homogeneity_score", "proficiency"),
        ("zero_one_loss", "error_rate"),
        ("silhouette_score", "not computed by infoscope"),
        ("mean_squared_error", "regression"),
        ("fbeta_score", "f_beta"),
        ("jaccard_macro", "macro_jaccard"),
        ("mean IoU", "macro_jaccard"),
        ("jaccard_weighted", "weighted_jaccard"),
        ("likelihood ratio", "negative_likelihood_ratio"),
        ("AMI max", "average_method"),
        ("multi-class average precision", "average_precision"),
        ("max_fpr", "partial area"),
        ("Scott's pi", "fleiss_kappa"),
        ("PABAK", "randolph_kappa"),
        ("exact McNemar", "one system is right where the other is wrong"),
        ("krippendorff_alpha_ordinal", "by ranks"),
        ("ECE", "reliability diagram"),
        ("normalize", "ConfusionDisplay"),
        ("display_labels", "ConfusionDisplay"),
        ("F-measure", "harmonic mean of precision and recall"),
        ("F score", "f_beta"),
        ("Cramer's V", "cramers_v"),
        ("KS statistic", "greatest informedness over all thresholds"),
        ("pointwise mutual information", "cell_mutual_information"),
        ("AURC", "RiskCoverageDisplay"),
        ("error-reject curve", "ErrorRejectDisplay"),
    ],
)
def test_what_people_ask(name, said):
    done = CliRunner().invoke(app, ["explain", name])
    assert done.exit_code == 0, done.output
    assert said in " ".join(done.output.split())


def test_unknown_words_get_the_nearest_of_all_kinds():
    for wrong, near in (("accurasy", "'accuracy'"), ("treshold", "'threshold'"), ("proficency", "'proficiency'")):
        done = CliRunner().invoke(app, ["explain", wrong])
        assert done.exit_code == 2
        assert near in done.stderr


def test_the_glossary_points_to_metrics_that_exist_and_hides_none():
    known = {entry.name for domain in get_args(Domain) for entry in all_metrics(domain)}
    for name, word in read_glossary().items():
        assert set(word.see) <= known, name
        assert word.meaning, name
    for entry in all_metrics():
        assert entry.name in " ".join(explain_word(entry.name, 80)), entry.name


def test_no_word_has_two_lines_of_which_the_last_would_win():
    lines = (files("infoscope") / "data" / "glossary.txt").read_text(encoding="utf-8").splitlines()
    names = [fold_name(name) for line in lines if line and not line.startswith("#") for name in listed(line)]
    assert {name for name in names if names.count(name) > 1} == set()
    assert "precision, recall and F1 of two classes are about" in " ".join(explain_word("positive", 400))
    assert "belong together" in " ".join(explain_word("groups", 400))


def listed(line):
    return [name for name in re.split(r"\s+\|\s*|\s*\|\s+", line)[0].split(", ") if name.strip()]


@pytest.mark.slow
def test_tags_actions_commands_and_options_are_known():
    for rule in RULES:
        assert not asked([rule.tag, rule.action, rule.code])
    assert "two classes are hardly distinguished" in " ".join(explain_word("two classes alike", 400))
    assert not asked(["threshold off", "best", "not significant", "highest", "no information", "ok", "FAIL", "open"])
    for command in COMMANDS:
        assert not asked([command])
    assert "infoscope sweep: " in " ".join(explain_word("sweep", 400))
    for option in ("--by", "--ordinal", "--examples", "--inconclusive", "-s"):
        assert explain_word(option, 80)
    assert "One table for each value" in " ".join(explain_word("--by", 400))


def test_headings_of_the_first_reports_are_known():
    headings = []
    for kind in ("evaluation", "comparison", "sweep", "gate"):
        headings += [to_plain(section.heading) for section in make_outline(example(kind)).sections]
    assert len(headings) > 12
    assert not asked(headings)


@pytest.mark.parametrize(
    "word",
    ["true positive", "FP", "type II error", "TNR", "entropy", "purity", "micro avg", "AUPRC", "gini",
     "ECE", "over-confident", "multiclass", "OvO", "cluster", "dummy", "score", "paired by row", "Holm-corrected",
     "prior tree", "exit status", "most frequent class", "sample size", "weights", "precision at k"],
)  # fmt: skip
def test_common_words_of_the_field_are_known(word: str) -> None:
    assert not asked([word])


def test_cards_say_how_to_call_the_metric():
    assert "infoscope.metrics.proficiency(y_true, y_pred)" in " ".join(explain_word("proficiency", 100))
    assert "Call it with" not in " ".join(explain_word("class_recall", 100))


@pytest.mark.parametrize(
    "word",
    ["NMI", "AMI", "V-measure", "AC1", "Fleiss kappa", "Randolph kappa", "ordinal alpha", "interval alpha", "McNemar",
     "pair confusion matrix", "extended B-cubed", "partial AUC", "one-vs-rest", "Brier score", "D2 Brier score", "LR+",
     "diagnostic odds ratio", "Jaccard", "weighted kappa", "IDTP", "transfers", "object F-beta",
     "pAUC", "OvR AUC", "OvO AUC", "F0.5", "D2 score", "adjusted Rand", "weighted average", "macro average",
     "mean average precision"],
)  # fmt: skip
def test_what_other_packages_have_is_explained_by_its_usual_names(word: str) -> None:
    done = CliRunner().invoke(app, ["explain", word])
    assert done.exit_code == 0, done.output
