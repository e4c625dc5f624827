"""``infoscope explain`` knows every name: those of the papers, of scikit-learn, and every title and symbol."""

import re
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from infoscope import catalogue
from tests.api import MULTILABEL_MEASURES, app, find_metrics
from tests.reference import PUBLISHED, published_document, reference_file, why_absent

ABSENT = why_absent(PUBLISHED) or why_absent("METRICS.md")


def explained(name: str) -> str:
    done = CliRunner().invoke(app, ["explain", name])
    assert done.exit_code == 0, f"{name}: {done.output}"
    return done.output


def names_of_the_tables() -> Iterator[tuple[set[str], str]]:
    """Ids and other names of METRICS.md: rows | `id` | definition | also called |."""
    for line in reference_file("METRICS.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        ids = set(re.findall(r"`(\w+)`", cells[0])) if len(cells) == 3 else set()
        if ids:
            for name in (*ids, *(part.strip() for part in re.split(r",(?![^()]*\))", cells[2]))):
                if name:
                    yield ids, name


@pytest.mark.reference
@pytest.mark.skipif(ABSENT is not None, reason=ABSENT or "")
def test_every_name_of_the_vocabulary_is_known() -> None:
    shown = {"captured": "proficiency", "completeness of V-measure": "information_precision"}
    for ids, name in names_of_the_tables():
        assert {entry.name for entry in find_metrics(name)} & (ids | {shown.get(name, "")}), name


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.skipif(ABSENT is not None, reason=ABSENT or "")
def test_every_printed_name_of_a_metric_is_known() -> None:
    printed = {(each["as_printed"], each["metric"]) for each in published_document()["figures"] if each["metric"]}

    assert len(printed) > 20
    for name, metric in sorted(printed):
        assert metric in explained(name), name


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.skipif(ABSENT is not None, reason=ABSENT or "")
def test_every_number_that_a_paper_prints_has_a_name_that_is_known() -> None:
    """Also those that are no metric of a table; what is about one category of the data is not asked for."""
    document = published_document()
    printed = {each["as_printed"] for each in document["figures"] if each["kind"] == "value"}
    printed |= {each["quantity"] for each in document["split_triangle_values"]}
    printed |= {each["metric"] for each in document["reference_values"] if each.get("metric")}
    of_the_data = re.compile(r"^N of \[|never used \[|^OCR examples|random committees$")

    for name in sorted(name for name in printed if not of_the_data.search(name)):
        assert explained(name)


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.skipif(ABSENT is not None, reason=ABSENT or "")
def test_every_id_of_the_vocabulary_is_explained() -> None:
    text = reference_file("METRICS.md").read_text(encoding="utf-8")
    others = {"T", "S", "D", "code", "Posterior", "evaluate"}

    for name in sorted(set(re.findall(r"`([A-Za-z_]\w*)`", text)) - others):
        assert explained(name)


@pytest.mark.slow
def test_every_title_and_symbol_is_known() -> None:
    for name, card in catalogue.items():
        for said in (card.title, card.symbol):
            assert find_metrics(said), (name, said)
        if name not in {entry.name for entry in MULTILABEL_MEASURES}:
            assert name in {entry.name for entry in find_metrics(card.title)}, card.title


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("PPV", "precision"),
        ("PPV", "weighted_ppv"),
        ("ADC", "proficiency"),
        ("normalized conditional entropy", "missed_information_ratio"),
        ("Eriksson's condition", "only if this error is at most 0.5"),
        ("I_e", "mutual_information"),
        ("H_e", "truth_entropy"),
        ("Bayesian error", "bayes_error"),
        ("H(Y|T)", "false_information"),
        ("∂I/∂U1", "equations 27 to 30"),
        ("TPR-TNR-NI", "two maxima"),
        ("R-P curve", "average_precision"),
        ("generic classification", "rejection_rate"),
        ("normalized average mutual information", "infoscope sweep"),
        ("dual-variable measure", "four"),
        ("IGR", "proficiency"),
        ("IGR", "information_precision"),
        ("dependency", "proficiency"),
        ("dependency", "nmi_joint"),
        ("RA", "truth_random_accuracy"),
        ("RP", "random_accuracy"),
        ("Pro", "proficiency"),
        ("lift quality", "2·AUC − 1"),
        ("LQ", "2·AUC − 1"),
        ("dI/dTP", "sensitivities"),
        ("Brier", "squared distance"),
        ("entropy decrement", "mutual_information"),
        ("FAR", "false_alarm_rate"),
        ("FDR", "FDR is 1 − precision"),
        ("FOR", "FOR is 1 − npv"),
        ("FNR", "FNR is 1 − recall"),
        ("miss rate", "1 − recall"),
        ("TNR", "specificity"),
        ("AUC", "area under the ROC curve"),
        ("roc_auc_score", "area under the ROC curve"),
        ("NAI", "perfect ranker"),
        ("log loss", "cross-entropy"),
        ("likelihood ratio test", "g_statistic"),
        ("phi coefficient", "phi"),
        ("Matthews correlation coefficient", "mcc"),
        ("matthews_corrcoef", "mcc"),
        ("accuracy_score", "accuracy"),
        ("balanced_accuracy_score", "balanced_accuracy"),
        ("f1_score", "f1"),
        ("normalized_mutual_info_score", "nmi_arithmetic"),
        ("mutual_info_score", "mutual_information"),
        ("adjusted_rand_score", "adjusted_rand_index"),
        ("Cohen's kappa", "kappa"),
        ("cohen_kappa_score", "kappa"),
        ("ξ", "error_information_ratio"),
    ],
)
def test_names_that_people_say(name: str, said: str) -> None:
    assert said in " ".join(explained(name).split())


def test_a_name_that_nobody_says_is_rejected() -> None:
    for name in ("banana", "recall banana", "recall P"):
        assert CliRunner().invoke(app, ["explain", name]).exit_code == 2, name


@pytest.mark.parametrize(
    ("metric", "scope"),
    [
        ("recall", "partial (one operating point); 1 independent variable of two classes: TP"),
        ("precision", "partial (one operating point); 2 independent variables of two classes: TP, FP"),
        ("accuracy", "partial (one operating point); 2 independent variables of two classes: TP, TN"),
        ("error_rate", "partial (one operating point); 2 independent variables of two classes: FN, FP"),
        ("proficiency", "2 independent variables of two classes, with rejections 4: TP, TN, U1, U2"),
        ("accepted_accuracy", "2 independent variables of two classes, with rejections 4: TP, TN, U1, U2"),
        ("rejection_rate", "0 independent variables of two classes, with rejections 2: U1, U2"),
        ("truth_entropy", "no independent variable of two classes: their sizes say all"),
        ("roc_auc", "overall (all operating points); 2 independent variables of two classes"),
    ],
)
def test_cards_say_partial_or_overall_and_how_many_variables_are_independent(metric: str, scope: str) -> None:
    assert scope in " ".join(explained(metric).split())


def test_a_card_of_costs_claims_no_scope() -> None:
    """The cost matrix alone says which counts matter."""
    assert "\nscope " in explained("accuracy")
    assert "\nscope " not in explained("expected_cost")


def test_an_empty_word_is_not_explained() -> None:
    done = CliRunner().invoke(app, ["explain", " "])
    assert done.exit_code == 2
    assert "the name to explain is empty" in done.output
