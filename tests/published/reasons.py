"""Why a printed figure is wrong or out of reach, in our words; only numbers come from the reference data."""

from collections.abc import Callable
from math import log

from tests.published.figures import Figure, figures

_NO_MATRIX = "No confusion matrix is printed."
_NO_RUNS = "The runs of Weka's learners are not among the reference data."
_MAGNETIC = (
    "The authors' repository has the annotated search events (proficiency-metric, data/magnetic_annotated.txt); the "
    "reference data do not."
)
_CLASSES_OF_HOLT = 8
Reason = str | Callable[[Figure], str]


def _printed(figure: Figure, name: str) -> float:
    """The number that the same row of the paper prints in another column."""
    return next(f.value for f in figures() if (f.input, f.as_printed) == (figure.input, name))


def _two_accuracies(figure: Figure) -> str:
    rate = _printed(figure, "TPR")
    return f"Equations (2) and (5) define one quantity, and the row prints {figure.printed}% and {rate:.3f} for it."


def _column_against_rate(figure: Figure) -> str:
    return f"{_NO_MATRIX} One true-positive rate fits all columns of the row and gives {figure.recomputed:.4g} here."


def _implied_information(figure: Figure) -> str:
    nats = (1 - _printed(figure, "TPR")) / figure.value
    share = nats / log(_CLASSES_OF_HOLT)
    return (
        f"{_NO_MATRIX} At the printed TPR, this ξ means {nats:.3f} nats captured, {share:.1%} of ln {_CLASSES_OF_HOLT}."
    )


def _implied_output_entropy(figure: Figure) -> str:
    captured = (1 - _printed(figure, "TPR")) / _printed(figure, "xi") / log(_CLASSES_OF_HOLT)
    ratio = figure.value - 1 + 2 * captured
    return f"{_NO_MATRIX} With the printed ξ it makes H(S) equal to {ratio:.3f} of H(T), which must not exceed 1."


def _loss_bound(figure: Figure) -> str:
    bound = -log(_printed(figure, "TPR") / _CLASSES_OF_HOLT)
    return f"{_NO_MATRIX} By Jensen's inequality the loss is at least {bound:.3f} nats at the printed TPR, and it is."


def _spread_of_runs(figure: Figure) -> str:
    return f"{_NO_RUNS} An independent rerun found {figure.recomputed:.2e}, which only says that the size is right."


def _correlation_of_runs(figure: Figure) -> str:
    return f"{_NO_RUNS} An independent rerun found {figure.recomputed:.2f}; so few runs determine it only roughly."


def _halves_of_magnetic(figure: Figure) -> str:
    found = f"An independent run over 100 splits found {figure.recomputed:.2f}%"
    return f"{_MAGNETIC} {found}; the paper's page has the command that shows ours."


REASONS: tuple[tuple[dict[str, str], Reason], ...] = (
    (
        {"input": "holt_[AD]", "as_printed": "normalized score S_I/H(T)"},
        "Printed one unit too low in the last place. Cutting digits off instead of rounding gives this number, but "
        "classifier B is rounded in the same sentence, so the cause stays open.",
    ),
    ({"as_printed": "accuracy", "input": "holt_0[789]"}, _two_accuracies),
    ({"as_printed": "xi", "input": "holt_0[789]"}, _implied_information),
    ({"as_printed": "S_I/H(T)", "input": "holt_0[789]"}, _implied_output_entropy),
    ({"as_printed": "informational loss", "input": "holt_0[789]"}, _loss_bound),
    ({"as_printed": "[PNF]*", "input": "holt_0[789]", "evidence": "none"}, _NO_MATRIX),
    ({"as_printed": "quadratic loss", "input": "holt_0[789]"}, _NO_MATRIX),
    ({"input": "holt_0[789]"}, _column_against_rate),
    ({"paper": "holt2010", "as_printed": "equation number"}, "In the copy we read; by its place it is equation (20)."),
    ({"paper": "holt2010", "as_printed": "cross reference"}, "The ratio meant is defined in Equation (16)."),
    (
        {"as_printed": "loss functions use the joint probability*"},
        "The paper speaks of the difference from the identity matrix, and the losses are least there. That none is 0 "
        "is a convention: with P(k given i) in place of the joint distribution it could be.",
    ),
    ({"input": "krkopt_*", "as_printed": "*, std dev"}, _spread_of_runs),
    ({"input": "krkopt_*", "as_printed": "correlation*"}, _correlation_of_runs),
    (
        {"input": "krkopt_j48", "as_printed": "*, mean"},
        f"{_NO_RUNS} Options that give this number can be found, but only by looking at it, which proves nothing.",
    ),
    ({"as_printed": "number of *measures"}, "A count of what others published; nothing to compute."),
    ({"as_printed": "number of *literature"}, "A count of what others published; nothing to compute."),
    (
        {"as_printed": "expected H(X) <= H(Y)"},
        "The slides say what to expect, and warn otherwise; they do not say that no table differs. Their own a, c and "
        "f get the warning, and deserve it: all three predict one class too often.",
    ),
    ({"input": "tass_*", "as_printed": "accuracy"}, _NO_MATRIX),
    (
        {"as_printed": "modified accuracy is more pessimistic*"},
        "The printed row of uma-1 has 0.377 modified and 0.376 plain. Modified accuracy does not look at names, so no "
        "order between the two is guaranteed.",
    ),
    (
        {"paper": "valverde2013", "as_printed": "second line"},
        "A misprint: the left side has to be the entropy of the product of the marginals.",
    ),
    (
        {"paper": "hu2008", "where": "Property 3", "input": "hu_M18"},
        "The paper rejects samples of one class, c_i(m+1) = Rej, as in M9 and M10. The reference data left that out: "
        "the rejected samples of M18 are of two classes.",
    ),
    ({"as_printed": "illustration:*"}, "An illustration in round numbers, without data."),
    ({"paper": "valverde2013", "as_printed": "entropy triangles"}, "Pictures without a printed number."),
    (
        {"as_printed": "phi never disagrees*"},
        "It holds for the printed example (5 of 50 positive, phi above 0) and fails for other base rates or signs.",
    ),
    (
        {"as_printed": "random accuracy (OCR)"},
        "It depends on which part of the letters was tested; that is not stated.",
    ),
    ({"as_printed": "*(MNIST)"}, _NO_MATRIX),
    ({"as_printed": "*(OCR)"}, _NO_MATRIX),
    (
        {"as_printed": "OCR examples"},
        "The data set has 52,152 letters: a wrong digit, or 10,000 were left out for training.",
    ),
    ({"as_printed": "2^67 > 10^20"}, "Plain arithmetic, without a quantity of ours."),
    (
        {"as_printed": "H(A x B) >= H(A) + H(B)"},
        "A misprint, the sign is turned around: the sum of the categories' entropies is too large a denominator, never "
        "too small.",
    ),
    (
        {"as_printed": "list of categories the third labeler missed"},
        "What the paper lists is so; the list is one category short.",
    ),
    ({"input": "magnetic*", "as_printed": "std dev*"}, _halves_of_magnetic),
    (
        {"input": "magnetic*", "as_printed": "number of observations"},
        f"{_MAGNETIC} There are 9,873 objects without the category Negative, and 10,018 with it.",
    ),
    ({"as_printed": "error rate of a deep network*"}, "Quoted from other work; nothing to compute."),
)
"""By shell patterns of a figure's fields; the first that fits counts."""

CLAIMS: tuple[tuple[dict[str, str], str], ...] = (
    ({"as_printed": "normalized score S_I/H(T)", "input": "holt_[AD]"}, "S_I/H(T) of A is"),
    ({"as_printed": "loss functions use the joint probability*"}, "The quadratic and the linear loss reward"),
    ({"as_printed": "expected H(X) <= H(Y)"}, "Where n = p, H(X) ≤ H(Y) is expected"),
    ({"as_printed": "modified accuracy is more pessimistic*"}, "Modified accuracy a′ is a more pessimistic"),
    ({"paper": "valverde2013", "as_printed": "second line"}, "H(X,Y) = H(X) + H(Y)"),
    ({"paper": "hu2008", "where": "Property 3"}, "If no accepted sample is wrong"),
    ({"as_printed": "phi never disagrees*"}, "φ never contradicts both"),
    ({"as_printed": "H(A x B) >= H(A) + H(B)"}, "H(A × B) ≥"),
    ({"as_printed": "list of categories the third labeler missed"}, "Each labeler left categories out"),
)
"""How the statements begin that decide the claims that the reference data call wrong."""
