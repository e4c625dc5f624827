"""Every published figure against our code, through the public functions and to the printed digits."""

from dataclasses import replace

import pytest

from tests.published.figures import Figure, ReferenceValue, figures, reference_values, score, table_of
from tests.published.ledger import Fate, fate_of, rule_of
from tests.published.rules.valverde2013 import IDENTITIES, identity_holds, tass3_rows
from tests.reference import PUBLISHED, published_document, why_absent

pytestmark = pytest.mark.reference
if absent := why_absent(PUBLISHED):
    pytest.skip(absent, allow_module_level=True)


def with_law(*fates: Fate) -> list[Figure]:
    return [figure for figure in figures() if fate_of(figure)[0] in fates]


def named(entry: Figure | ReferenceValue) -> str:
    return f"{entry.paper}-{entry.metric or getattr(entry, 'where', '')}-{entry.input}"


@pytest.mark.parametrize("figure", with_law(Fate.COMPARED), ids=named)
def test_printed_number(figure: Figure) -> None:
    ours = score(figure.metric or "", table_of(figure.input or ""))

    assert ours == pytest.approx(figure.value, rel=0, abs=figure.tolerance), figure.convention


def compared_but_wrong() -> list[Figure]:
    return [figure for figure in with_law(Fate.REFUTED) if rule_of(figure) is None]


@pytest.mark.parametrize("figure", compared_but_wrong(), ids=named)
def test_number_that_differs_from_print(figure: Figure) -> None:
    ours = score(figure.metric or "", table_of(figure.input or ""))

    assert abs(ours - figure.value) > figure.tolerance, "it reproduces now: say so in the reference data"
    assert ours == pytest.approx(figure.recomputed / (100 if figure.unit == "%" else 1), abs=1e-12)


@pytest.mark.parametrize("figure", [figure for figure in figures() if rule_of(figure)], ids=named)
def test_formula_or_claim(figure: Figure) -> None:
    found = rule_of(figure)

    assert found is not None
    found.judge(figure)


@pytest.mark.parametrize("value", reference_values(), ids=named)
def test_reference_value(value: ReferenceValue) -> None:
    assert score(value.metric, table_of(value.input)) == pytest.approx(value.value, rel=1e-12, abs=1e-12)


def test_nothing_is_passed_over_in_silence() -> None:
    """A figure that can be tested is tested or waits; everything else says why it is not."""
    fates = {figure: fate_of(figure) for figure in figures()}
    silent = [figure.id for figure, (fate, why) in fates.items() if not why and fate is not Fate.COMPARED]
    dropped = {
        figure.as_printed
        for figure, (fate, _) in fates.items()
        if figure.testable and fate in {Fate.UNCHECKED, Fate.MISTAKEN}
    }

    assert silent == []
    assert dropped <= {
        "no overlap of the four distributions (p-value trivial)",
        "2^67 > 10^20",
    }


def test_the_identities_of_tass3_are_68_and_can_fail() -> None:
    rows = tass3_rows()
    tried = [(name, system) for system in rows for name in IDENTITIES]

    assert len(tried) == 68
    assert all(identity_holds(name, rows[system]) for name, system in tried)
    spoilt = rows["tass_uma-1"] | {"mu": replace(rows["tass_uma-1"]["mu"], published=1.224)}
    assert not any(identity_holds(name, spoilt) for name in ("k", "m", "nit"))


def test_every_matrix_of_the_reference_data_is_scored() -> None:
    scored = {value.input for value in reference_values()}

    assert set(published_document()["inputs"]) - scored <= {"ww_nu"}  # judged by moments, not by a score
