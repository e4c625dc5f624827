"""Findings about judged rows: what may be wrong with labels and judge, how good the judge is, and whether it changed.

``describe_judged`` is what an evaluation and a comparison say of judged rows, ``describe_judge_quality`` what a
comparison adds, ``describe_judge_drift`` whether a judge changed between periods. Each check has the threshold from
which on it is reported beside it, and docs/contributors/judge.md says how often each finds a real problem.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.metrics import accuracy
from infoscope.metrics.chance import CHANCE_LEVEL, chance_p_value, information_nats, permuted_p_value
from infoscope.posterior import Summary
from infoscope.posterior.summary import DrawnBelief
from infoscope.results.finding import Finding
from infoscope.results.notation import state_p_value
from infoscope.studies.judge_strata import RIGHT
from infoscope.tables import Contingency
from infoscope.tables.rows import Rows
from infoscope.typing import Json

if TYPE_CHECKING:
    from infoscope.studies.judge import Judged

SELECTED = 0.01
"""P below which labelled rows are said to be no random sample in verdict × prediction."""
EASIER, HARDER = 1.9, 2.6
"""Standard deviations from which on labelled rows are said to be easier, or harder, than others: 3.3% false alarms."""
DEPENDENT = 0.05
"""P below which verdicts are said to depend on something else than the true class."""
USEFUL = 0.95
"""Share of the sd of the labels alone that labels and judge must stay below for the judge to be of use."""
MENTIONED = 0.05
"""Share of rows in strata without labels from which on they are mentioned."""
FEWEST_RANDOM = 10
"""Labels that there were before others were asked for, from which on these are tested."""
PERMUTATIONS = 999
DRAWS = 4000


def describe_judged(judged: Judged) -> Iterator[Finding]:
    """Yield what may be wrong with labels or judge, rows left out, and classes that were never labelled."""
    yield from judged.findings()
    for name in judged.systems:
        lost = judged.strata(name).rows_without_verdict
        if lost:
            text = f"{lost:,.6g} rows of {name} have no verdict, less than 1%; they are left out."
            yield Finding("rows_without_verdict", text, evidence={"system": name, "rows": lost})
    if judged.unlabelled_classes:
        names = ", ".join(repr(str(label)) for label in judged.unlabelled_classes[:5])
        more = f" and {len(judged.unlabelled_classes) - 5} more" if len(judged.unlabelled_classes) > 5 else ""
        yield Finding(
            "class_never_labelled",
            f"No labelled row is of class {names}{more}, which verdicts or predictions name: it is taken as a class "
            "that may occur among the other rows.",
            "warning",
            {"classes": [str(label) for label in judged.unlabelled_classes]},
        )


def diagnose_judged(judged: Judged, *, level: float = 0.95, seed: int = 0) -> Iterator[Finding]:
    """Yield findings about the labels of each system, about the judge, and about a judge that favours a system."""
    if judged.label_count >= judged.row_count:
        return
    for name in judged.systems:
        yield from _check_labels(judged, name, seed)
        yield from _check_judge(judged, name, seed)
    if len(judged.systems) < 2:
        return
    accepts, favours = ("accepts", "it favours") if len(judged.judges) == 1 else ("accept", "they favour")
    for pair in compare_accepted_errors(judged, level, seed=seed):
        if pair.favoured is None:
            continue
        low, high = sorted(abs(100 * end) for end in pair.difference)
        (one, first), (other, second) = zip((pair.first, pair.second), pair.rates, strict=True)
        yield Finding(
            "judge_favours_system",
            f"{judged.judge_title()} {accepts} {first:.0%} of the wrong predictions of {one} and {second:.0%} of those "
            f"of {other} (difference {low:.0f} to {high:.0f} points): {favours} {pair.favoured}. The comparison "
            "accounts for it.",
            "warning",
            {"systems": [one, other], "rates": [first, second], "favoured": pair.favoured},
        )


# Labels: a random sample? ---------------------------------------------------------------------------------------------


def _check_labels(judged: Judged, name: str, seed: int) -> Iterator[Finding]:
    """Yield findings about labels that were asked for, strata without any, and labels that are no random sample."""
    before = judged.settled
    if before is not None:
        labels = judged.label_count - before.label_count
        evidence: dict[str, Json] = {"system": name, "labels": labels}
        text = f"{labels:,.6g} of the {judged.label_count:,.6g} labels were asked for by verdict and prediction"
        if not judged.drawn_by and len(judged.systems) > 1:
            text += (
                ", and the sheet has no column chance that would say by which system's: figures of the others are "
                "biased. Give the sheet as it was written, with its labels filled in."
            )
            yield Finding("labels_asked_for", text, "warning", evidence)
        else:
            text += (
                f" of {judged.drawn_by[0] if judged.drawn_by else name}, so that they are no random sample of the "
                f"rows: the figures of {name} account for that, labels alone would not."
            )
            yield Finding("labels_asked_for", text, evidence=evidence)

    strata = judged.strata(name)
    rows = np.where(strata.counts.labelled.sum(axis=0) > 0, 0.0, strata.counts.everything)
    share = float(rows.sum() / strata.counts.everything.sum())
    if share > MENTIONED:
        largest_verdict, largest_prediction = np.unravel_index(int(np.argmax(rows)), rows.shape)
        yield Finding(
            "strata_without_labels",
            f"{share:.0%} of the rows have a verdict and prediction of {name} without any labelled row, most "
            f"of them verdict {strata.verdicts[largest_verdict]} and prediction "
            f"{strata.predictions[largest_prediction]!s}: label some of these first.",
            "warning",
            {"system": name, "share": share},
        )

    if before is not None and before.label_count < FEWEST_RANDOM:
        return
    at_random = judged if before is None else before  # labels of a plan differ from the others by design
    selection, ease = check_row_selection(at_random, name), measure_row_ease(at_random, name, seed=seed)
    if selection.is_significant:
        chosen = ""
        if ease.is_apart:  # rows that were chosen by ease look like a choice by verdict and prediction
            how, often, off = ("easy", "often", "high") if ease.z > 0 else ("hard", "rarely", "low")
            chosen = (
                f" They lie where {name} is right more {often} than elsewhere: if {how} rows were chosen, and not "
                f"verdicts and predictions, the figures are too {off}."
            )
        yield Finding(
            "labels_not_random",
            f"The labelled rows are no random sample of the rows (they have more of verdict {selection.verdict} and "
            f"prediction {selection.prediction} of {name}; {state_p_value(selection.p_value)}): the figures account "
            f"for that, labels alone would not.{chosen}",
            evidence={"system": name, "p_value": selection.p_value, "z": ease.z},
        )
    elif ease.is_apart:
        beside = compare_with_labels_only(at_random, name, seed=seed)
        yield Finding(
            "labelled_rows_differ",
            f"The labels alone put the accuracy of {name} at {beside.labels_only:.1%}, with the judge it is "
            f"{beside.with_judge:.1%}: labelled rows seem {'easier' if ease.z > 0 else 'harder'} than others. If they "
            "were not drawn at random, label a random sample.",
            "warning",
            {"system": name, "metric": "accuracy", "z": ease.z},
        )


@dataclass(frozen=True)
class RowSelection:
    """A likelihood-ratio test of labelled rows against the others, by verdict × prediction."""

    p_value: float
    verdict: str
    """Of the stratum that is labelled most beyond its share, and its prediction."""
    prediction: str

    @property
    def is_significant(self) -> bool:
        """True if labelled rows are no random sample."""
        return self.p_value < SELECTED


def check_row_selection(judged: Judged, system: str) -> RowSelection:
    """Test labelled rows against the others, by verdict × prediction."""
    strata = judged.strata(system)
    counts = strata.counts
    inside = counts.labelled.sum(axis=0)
    outside = counts.everything - (inside if judged.population == "all" else 0.0)
    used = np.flatnonzero((inside + outside).ravel() > 0)
    both = np.stack([inside.ravel()[used], np.maximum(outside.ravel()[used], 0.0)])
    freedom = len(used) - 1
    p_value = float(gammaincc(freedom / 2, max(information_nats(both), 0.0))) if freedom and both[1].sum() else 1.0
    expected = both.sum(axis=0) * both[0].sum() / max(both.sum(), 1.0)
    most = used[int(np.argmax((both[0] - expected) / np.sqrt(np.maximum(expected, 1e-9))))]
    verdict, prediction = np.unravel_index(most, inside.shape)
    return RowSelection(p_value, strata.verdicts[verdict], str(strata.predictions[prediction]))


@dataclass(frozen=True)
class RowEase:
    """Shares of right predictions in the strata of the labelled rows, and in those of all rows.

    Under labels at random the difference has a known spread, whatever the strata hold; a test in this one direction
    finds more than the likelihood-ratio test of all strata.
    """

    labelled: float
    everything: float
    sd: float

    @property
    def z(self) -> float:
        """The difference in standard deviations; positive where labelled rows are easier."""
        return (self.labelled - self.everything) / self.sd if self.sd > 0 else 0.0

    @property
    def is_apart(self) -> bool:
        """True if labelled rows lie in easier or harder strata than labels at random do."""
        return self.z > EASIER or self.z < -HARDER


def measure_row_ease(judged: Judged, system: str, *, seed: int = 0) -> RowEase:
    """Compare labelled rows with all rows, by how often predictions of their verdict and prediction are right."""
    belief = judged.belief(system, seed=seed)
    counts, classes = belief.counts, belief.counts.predicted_class
    right = np.where(classes >= 0, belief.theta.mean(axis=0)[np.arange(len(classes)), np.maximum(classes, 0)], 0.0)
    labelled = counts.by_class.sum(axis=1)
    share, labels, rows = counts.rows / counts.rows.sum(), max(labelled.sum(), 1e-300), counts.rows.sum()
    mean = float(share @ right)
    apart = 1 / labels - 1 / rows if judged.population == "all" else 1 / labels + 1 / rows
    variance = float(share @ (right - mean) ** 2) * max(float(apart), 0.0)
    return RowEase(float(labelled @ right / labels), mean, float(np.sqrt(variance)))


# The judge: of use, and alike for all predictions? --------------------------------------------------------------------


def _check_judge(judged: Judged, name: str, seed: int) -> Iterator[Finding]:
    """Yield findings about a judge of no use, exchanged words, and verdicts that depend on predictions."""
    judges, many = judged.judge_title(name), len(judged.judges_of(name)) > 1
    beside = compare_with_labels_only(judged, name, seed=seed)
    if beside.is_useless:
        carried = float(_judge_belief(judged, name, seed).mean("proficiency"))
        about = "the truth's information" if judged.names_classes else f"the information in whether {name} is right"
        labels = f"{judged.counts(name).labels:,.0f} labels"
        yield Finding(
            "judge_of_no_use",
            f"{judges} {'add' if many else 'adds'} hardly anything to the {labels} for {name}: "
            f"{'they carry' if many else 'it carries'} {carried:.0%} of {about}. The labels alone are as good.",
            evidence={"system": name, "sd_ratio": beside.with_judge_sd / max(beside.labels_only_sd, 1e-300)},
        )

    before = judged.settled or judged
    if isinstance(judged.says, Mapping):
        # verdicts that call right predictions wrong, and wrong ones right: their words may be exchanged
        counts, accepts = before.counts(name), find_accepting_verdicts(before, name)
        used = np.flatnonzero(counts.prediction_class >= 0)
        right = np.zeros_like(counts.labelled)
        right[counts.prediction_class[used], :, used] = counts.labelled[counts.prediction_class[used], :, used]
        parts = (right, counts.labelled - right)
        table = Contingency.from_matrix(
            [[float((part * chosen).sum()) for chosen in (accepts, ~accepts)] for part in parts]
        )
        (a, b), (c, d) = np.asarray(table.counts).tolist()
        chance = chance_p_value(table) if a * d < b * c else 1.0
        if chance is not None and chance <= CHANCE_LEVEL:
            yield Finding(
                "verdicts_reversed",
                f"Of the labelled predictions of {name}, {a:,.6g} of {a + c:,.6g} that the judge accepts are right, "
                f"and {b:,.6g} of {b + d:,.6g} that it rejects ({state_p_value(chance)}): check that right= and "
                "wrong= of --judge (says=) name the verdicts for right and wrong the right way round.",
                "warning",
                {"system": name, "accepted": [a, a + c], "rejected": [b, b + d], "p_value": chance},
            )

    # right or wrong is about the prediction, so that dependence on it is no finding then
    p_value = compute_p_given_truth(before.counts(name).labelled, seed=seed) if judged.names_classes else 1.0
    if p_value < DEPENDENT:
        yield Finding(
            "verdicts_depend_on_predictions",
            f"Given the true class, verdicts of {judges} depend on the prediction of {name} "
            f"({state_p_value(p_value)}): verdicts taken as the truth would be off. The figures account for it.",
            evidence={"system": name, "p_value": p_value},
        )


def _judge_belief(judged: Judged, system: str, seed: int) -> DrawnBelief:
    """Return the judge as a system: by the true classes, or by right and wrong where its verdicts name none."""
    table = judged.judge_table if judged.names_classes else judged.correctness_table
    return DrawnBelief(table(system, seed=seed))


@dataclass(frozen=True)
class LabelsBesideJudge:
    """The accuracy by the labels alone and by labels with judge."""

    labels_only: float
    with_judge: float
    labels_only_sd: float
    with_judge_sd: float

    @property
    def is_useless(self) -> bool:
        """True if the judge adds nothing to the labels."""
        return self.with_judge_sd > USEFUL * self.labels_only_sd


def compare_with_labels_only(judged: Judged, system: str, *, seed: int = 0) -> LabelsBesideJudge:
    """Return the accuracy of a system both ways."""
    alone = judged.labels_posterior(system, seed=seed).summary("accuracy")
    both = judged.posterior(system, seed=seed).summary("accuracy")
    return LabelsBesideJudge(*(float(x) for x in (alone.mean, both.mean, alone.sd, both.sd)))


def find_accepting_verdicts(judged: Judged, system: str) -> NDArray[np.bool_]:
    """Return (verdicts, predictions): where the verdict says that the prediction is right."""
    strata = judged.strata(system)
    accepts = strata.counts.same.copy()
    if "right or wrong" in {judged.kinds[name] for name in judged.judges_of(system)}:
        words = [name.split(", ", maxsplit=1)[0].split(" (", maxsplit=1)[0] for name in strata.verdicts]
        accepts[[verdict for verdict, word in enumerate(words) if word == RIGHT]] = True
    return accepts


@dataclass(frozen=True)
class AcceptedErrors:
    """Shares of wrong predictions of two systems that the judge accepts."""

    first: str
    second: str
    rates: tuple[float, float]
    difference: tuple[float, float]
    """Interval of the first rate less the second."""

    @property
    def favoured(self) -> str | None:
        """The system whose errors are accepted more often; None where that may be chance."""
        low, high = self.difference
        return self.first if low > 0 else self.second if high < 0 else None


def compare_accepted_errors(judged: Judged, level: float = 0.95, *, seed: int = 0) -> Iterator[AcceptedErrors]:
    """Compare every pair of systems over the labelled rows, which they share."""
    rates = draw_accepted_errors(judged, seed=seed)
    tail = 100 * (1 - level) / 2
    for one, other in itertools.combinations(judged.systems, 2):
        low, high = np.percentile(rates[one] - rates[other], [tail, 100 - tail])
        yield AcceptedErrors(
            one, other, (float(rates[one].mean()), float(rates[other].mean())), (float(low), float(high))
        )


def draw_accepted_errors(judged: Judged, *, seed: int = 0) -> dict[str, Real]:
    """Draw how often the judge accepts wrong predictions of each system, over the same labelled rows.

    Rows whose labels were asked for by verdict and prediction are left out, since they were chosen by just that.
    """
    judged = judged.settled or judged
    place = judged.patterns.place(judged.truth)
    labelled = np.flatnonzero(judged.patterns.present[place])
    class_codes = {label: code for code, label in enumerate(judged.classes)}
    moves = np.array([*(class_codes.get(label, -1) for label in judged.patterns.labels[place]), -1], dtype=np.int64)
    truth = moves[judged.patterns.codes[place].astype(np.int64)][labelled]
    weights = np.random.default_rng(seed).standard_gamma(
        judged.patterns.counts[labelled].astype(np.float64), (DRAWS, len(labelled))
    )
    rng = np.random.default_rng([seed, 1])
    rates = {}
    for name in judged.systems:
        strata = judged.strata(name)
        verdict, prediction = strata.verdict_codes[labelled], strata.prediction_codes[labelled]
        predicted = strata.counts.prediction_class[np.maximum(prediction, 0)]
        wrong = (verdict >= 0) & (prediction >= 0) & (predicted != truth)
        accepts = find_accepting_verdicts(judged, name)[np.maximum(verdict, 0), np.maximum(prediction, 0)]
        hits = weights[:, wrong & accepts].sum(axis=1) + rng.standard_gamma(0.5, len(weights))
        misses = weights[:, wrong & ~accepts].sum(axis=1) + rng.standard_gamma(0.5, len(weights))
        rates[name] = np.asarray(hits / (hits + misses))
    return rates


def compute_p_given_truth(tables: Real, *, seed: int = 0) -> float:
    """Return P of verdicts that depend on something else, given the true class.

    The tables are (classes, verdicts, values) of labelled rows; the values are dealt again at random among the rows of
    each class.
    """
    counts = np.round(tables).astype(np.int64)
    used = [table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0] for table in counts]
    tested = [table for table in used if min(table.shape) > 1]
    return permuted_p_value(tested, PERMUTATIONS, np.random.default_rng(seed)) if tested else 1.0


# How good the judge is ------------------------------------------------------------------------------------------------


def describe_judge_quality(judged: Judged, systems: Sequence[str], *, level: float, seed: int) -> Iterator[Finding]:
    """Yield how good the judge is; and the accuracy of each system beside the labels alone and the verdicts alone.

    A judge of classes is measured by the strata of the first system, as in an evaluation, whatever the order here.
    """
    if judged.label_count >= judged.row_count:
        return
    for name in judged.systems[:1] if judged.names_classes else systems:
        captured = _judge_belief(judged, name, seed).summary("proficiency", level)
        capture = "captures" if len(judged.judges_of(name)) == 1 else "together capture"
        about = "the truth" if judged.names_classes else f"whether {name} is right"
        text = f"{judged.judge_title(name)} {capture} {_format_summary(captured)} of the information in {about}."
        yield Finding("judge_quality", text, evidence={"proficiency": float(captured.mean)})
    for name in systems:
        both = judged.posterior(name, seed=seed).summary("accuracy", level)
        alone = judged.labels_posterior(name, seed=seed).summary("accuracy", level)
        verdicts, further = judged.judge_as_truth(name), judged.further_labels(name, seed=seed)
        naive = "" if verdicts is None else f", {float(accuracy(verdicts)):.1%} if verdicts were true labels"
        worth = f"{further:,.0f} further labels" if further >= 1 else "no further labels"
        text = (
            f"{name}: accuracy {_format_summary(both)} over all rows; {_format_summary(alone)} by the labels "
            f"alone{naive}; the judge is worth {worth}."
        )
        evidence: dict[str, Json] = {
            "system": name,
            "with_judge": float(both.mean),
            "labels_only": float(alone.mean),
            "labels": further,
        }
        yield Finding("beside_labels_only", text, evidence=evidence)


def _format_summary(summary: Summary) -> str:
    return f"{float(summary.mean):.1%} ({100 * float(summary.low):.1f} – {100 * float(summary.high):.1f})"


# A judge over time ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgeDrift:
    """Verdicts of one judge from period to period."""

    judge: str
    periods: tuple[str, ...]
    labels: tuple[int, ...]
    """Labelled rows of each period."""
    p_value: float
    """Of verdicts that depend on the period, given the true class (and the prediction): labelled rows."""
    p_mix: float
    """Of verdicts and predictions that come in other proportions: all rows. It cannot tell judge from system."""
    period: str
    """The period whose verdicts differ most from the others', given the true class."""

    @property
    def is_significant(self) -> bool:
        """True if the judge changed."""
        return self.p_value < DEPENDENT


def measure_judge_drift(
    patterns: Rows, given: Sequence[str], judge: str, systems: Sequence[str], period: str
) -> JudgeDrift:
    """Test verdicts given the true class, and the mix of verdicts and predictions, from period to period.

    ``given`` are the truth for verdicts that name classes, truth and prediction for those that say right or wrong.
    Rows without one of the columns are left out.
    """
    place = patterns.place(period)
    if len(patterns.labels[place]) < 2:
        raise InputError(f"column {period!r} has one value; a change is between two periods or more")
    columns = (*given, judge, period)
    complete = patterns.where(np.all([patterns.present[patterns.place(name)] for name in columns], axis=0))
    codes = {name: complete.codes[complete.place(name)].astype(np.int64) for name in columns}
    strata = np.unique([codes[name] for name in given], axis=1, return_inverse=True)[1].reshape(-1)
    shape = (int(strata.max(initial=0)) + 1, *(len(patterns.labels[patterns.place(name)]) for name in (judge, period)))
    tables = np.zeros(shape)
    np.add.at(tables, (strata, codes[judge], codes[period]), complete.counts)

    # a likelihood-ratio test of verdicts and predictions together against the period, over all rows
    rows = patterns.select([judge, *systems, period]).complete()
    keys = np.unique(rows.codes[:-1], axis=1, return_inverse=True)[1].reshape(-1)
    mix = np.zeros((int(keys.max(initial=0)) + 1, len(rows.labels[-1])))
    np.add.at(mix, (keys, rows.codes[-1].astype(np.int64)), rows.counts)
    mix = mix[:, mix.sum(axis=0) > 0]
    freedom = (mix.shape[0] - 1) * (mix.shape[1] - 1)
    p_mix = float(gammaincc(freedom / 2, max(information_nats(mix), 0.0))) if freedom > 0 else 1.0

    # the period whose verdicts are farthest from those of all periods
    totals = tables.sum(axis=(1, 2), keepdims=True)
    expected = tables.sum(axis=2, keepdims=True) * tables.sum(axis=1, keepdims=True) / np.maximum(totals, 1e-300)
    ratio = np.maximum(tables, 1e-300) / np.maximum(expected, 1e-300)
    parts = np.where(tables > 0, tables * np.log(ratio), 0.0).sum(axis=(0, 1))
    farthest = int(np.argmax(parts / np.sqrt(np.maximum(tables.sum(axis=(0, 1)), 1.0))))
    return JudgeDrift(
        judge,
        tuple(map(str, patterns.labels[place])),
        tuple(int(number) for number in tables.sum(axis=(0, 1))),
        compute_p_given_truth(tables),
        p_mix,
        str(patterns.labels[place][farthest]),
    )


def describe_judge_drift(drift: JudgeDrift) -> Finding:
    """Return the finding about a judge over time."""
    fewest = min(drift.labels)
    evidence: dict[str, Json] = {
        "judge": drift.judge,
        "p_value": drift.p_value,
        "p_mix": drift.p_mix,
        "labels": list(drift.labels),
    }
    if drift.is_significant:
        return Finding(
            "judge_changed",
            f"Given the true class, verdicts of {drift.judge} differ between periods (P = {drift.p_value:.2g}), most "
            f"in {drift.period}: labels of one period do not correct the verdicts of another. Evaluate "
            "periods one by one, with labels of each.",
            "warning",
            evidence,
        )
    # how often a judge that falls from 85% to 70% is found with this many labels per period (measured)
    if fewest >= 250:
        power = "in simulations a judge that falls from 85% to 70% is found in 97% of the cases"
    elif fewest >= 100:
        power = "in simulations a judge that falls from 85% to 70% is missed in a third of the cases"
    else:
        power = "most changes are missed with fewer than 100"
    certainty = f"P = {drift.p_value:.2g}; {fewest:,} labels in the smallest period: {power}"
    if drift.p_mix < SELECTED:
        return Finding(
            "verdicts_shifted",
            f"Verdicts of {drift.judge} and predictions come in other proportions from period to period; the labels "
            f"do not decide whether the judge, the system or the rows changed ({certainty}).",
            "warning",
            evidence,
        )
    text = f"No change of {drift.judge} between periods is found ({certainty})."
    return Finding("judge_steady", text, evidence=evidence)
