"""Latent truth: what several systems say about a truth that nobody has labelled.

``latent_truth`` estimates each system's table from the agreement of the systems, by the model in ``latent_model.py``,
and checks whether their errors are independent. ``plan_labels`` says how many labels are needed where that is not
enough, and which items come first: the model only says where to look (``Allocation``), and what is estimated from the
labels is right by design, also where the model is wrong: its expectation over all items, corrected by the residuals of
the labelled ones (a difference estimator, ``LabelCorrection``). Sheets and results of plans are in ``labels.py``; the
page is ``reports/views/latent.py``. The measured coverage of the intervals is in docs/contributors/without-truth.md.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from shlex import quote
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real, as_real
from infoscope.core.validation import LEVEL, SEED, Number, validated
from infoscope.errors import InputError, UnknownNameError, suggest_name
from infoscope.metrics import proficiency
from infoscope.metrics.registry import find
from infoscope.posterior.measures import compute_influence, compute_information_sds, is_information
from infoscope.posterior.summary import DrawnBelief, summarize_draws
from infoscope.readers import ReadOptions
from infoscope.readers.columns import check_optional_name
from infoscope.readers.frames import is_column_mapping
from infoscope.readers.labels import Cleaning
from infoscope.readers.reader import read_distinct_rows
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate, drop_infinite
from infoscope.results.finding import Finding, shorten_list
from infoscope.results.frame import Record, make_tidy
from infoscope.results.provenance import Provenance
from infoscope.results.system import MeasuredSystem, find_system
from infoscope.studies.inputs import check_named_once, describe_blank_labels
from infoscope.studies.labels import (
    CURVE,
    FilledSheet,
    ItemToLabel,
    LabelledEstimate,
    LabelPlan,
    PlannedWidth,
    describe_labels,
    find_rows,
    list_values,
    match_lines,
    read_sheets,
)
from infoscope.studies.latent_model import (
    SMALLEST,
    Arrangement,
    Blocks,
    LatentDraws,
    LatentPosterior,
    NoLatentTruthError,
    Observations,
    arrange,
    check_size,
    estimate_posterior,
)
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, check_label_columns
from infoscope.tables.contingency import Estimation
from infoscope.tables.labels import Label
from infoscope.typing import Json, LabelsLike, Source

__all__ = ["LatentSystem", "LatentTruth", "NoLatentTruthError", "latent_truth", "plan_labels"]

SHOWN = ("proficiency", "accuracy", "kappa", "mutual_information", "missed_information", "false_information")
TWO_SYSTEMS = (
    "Two systems do not determine a truth: any split of their disagreement fits equally well. A third independent "
    "system, or labels, would tell more"
)
MIN_LABELS_PER_CLASS = 5
"""Labels that settle a class where only two systems are given."""
ALIKE = 0.1
"""Two classes are taken as merged where no system's predictions of them differ by more than this probability."""
MOST_CLASSES_COMPARED = 200
MOST_DRAWS = 100
"""Draws that the checks of shared errors use."""
MOST_ITEMS = 20_000
"""Items that are simulated per draw; of more, a random part is compared."""
MOST_SIMULATED = 1_000_000
"""Items × classes of the same."""
RANDOM_SHARE = 0.5
"""Of the labels, this many go to plainly random items: it costs some labels where the model is right, and is what makes
intervals hold where it is wrong."""
SMOOTHING = 0.5
"""Counts added to each cell before the influence is taken, so that rare cells have a finite one."""
FEWEST_LABELS = 10
SIGNIFICANT_PAIR = 0.03
SIGNIFICANT_VOTES = 0.02
"""Of both together, false alarms in at most 5% (measured: docs/contributors/without-truth.md)."""
FEWEST_SYSTEMS = 4
"""Of three, two that copy each other fit as well as two that are right."""
COPIED = 0.5
"""The power of the check is that against one system copying this share of another's predictions."""
KEPT = 0.8
"""Of the agreement that copies add, this much of what the other pairs do not absorb is seen (measured)."""
ENOUGH_POWER = 0.8
"""Less, and half of a system's predictions may be copied without a sign."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class LatentSystem(MeasuredSystem):
    """One system against the truth that all systems together suggest."""

    name: str
    items: float
    """Items with a prediction of this system, or their weight."""
    metrics: Mapping[str, Estimate]
    predictions: tuple[str, ...]
    """The labels that it may predict: the classes first, then further ones."""
    block: tuple[str, ...] = ()
    """The systems that it was taken together with, itself among them."""
    table: Contingency | None = field(default=None, compare=False, metadata={"stored": False})
    """Expected counts of class × prediction, of a system that was asked for by name; not in documents."""


@dataclass(frozen=True)
class PairCheck:
    """A test of whether two systems agree more, or less, than they would if all erred independently."""

    first: str
    second: str
    items: int
    agreement: float
    """Fraction of the items for which they predict the same class."""
    excess: float
    """Excess over what independent errors give."""
    p_value: float
    """Of the largest difference among all pairs (Bonferroni)."""
    power: float
    """Probability that the check finds it if one of them copies half of its predictions from the other."""

    @property
    def is_significant(self) -> bool:
        """True if errors are not independent."""
        return self.p_value < SIGNIFICANT_PAIR


@dataclass(frozen=True)
class VoteCheck:
    """A test of whether items agree and disagree as often as independent errors let them."""

    observed: tuple[float, ...]
    """Items by the number of systems that give the most frequent prediction, from 0."""
    expected: tuple[float, ...]
    p_value: float

    @property
    def is_significant(self) -> bool:
        """True if votes spread otherwise than the model has it."""
        return self.p_value < SIGNIFICANT_VOTES


@dataclass(frozen=True, eq=False, repr=False)
class LatentTruth(Result):
    """Each system's table and metrics without labels, from the agreement of the systems (Dawid and Skene 1979)."""

    kind: ClassVar[str] = "latent-truth"

    systems: tuple[LatentSystem, ...]
    classes: tuple[str, ...]
    frequencies: Mapping[str, Estimate]
    """Frequency of each class."""
    items: float
    patterns: int
    labels: int
    """Items whose label was mixed in."""
    log_likelihood: float
    """Of the most probable parameters, in nats."""
    draws: int
    r_hat: float | None
    """The largest split R̂ of a system's proficiency or accuracy."""
    settled: bool
    """True if the chains agree; where they do not, or errors may be shared, intervals are withheld."""
    pairs: tuple[PairCheck, ...] = ()
    votes: VoteCheck | None = None
    level: float = 0.95
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    tables: Mapping[str, Contingency] = field(default_factory=dict, metadata={"stored": False})
    """Expected counts of class × prediction for each system, estimated without truth; every metric works on them."""
    posterior: LatentPosterior | None = field(default=None, metadata={"stored": False})
    """Patterns, beliefs and draws, for plans of labels; not in documents."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems by name."""
        return tuple(system.name for system in self.systems)

    def __getitem__(self, name: str) -> LatentSystem:
        """Return one system by its name."""
        return replace(find_system(self.systems, name), table=self.tables.get(name))

    def draw_tables(self, name: str) -> Contingency:
        """Return draws of one system's table, as one batch."""
        table = self.tables[name]
        assert table.estimation is not None
        draws = table.estimation.draws
        return table.with_cells(draws.reshape(len(draws), -1))

    def records(self) -> Iterator[Record]:
        """Yield one record per system."""
        for system in self.systems:
            yield {"system": system.name, "items": system.items, **system.metrics}

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the numbers of each system, then the frequency of each class."""
        yield from super().tidy_rows()
        for label, frequency in self.frequencies.items():
            yield from make_tidy({"frequency": frequency}, {"class": label}, {})


# The study ------------------------------------------------------------------------------------------------------------


@validated(level=LEVEL, draws=Number(low=20, closed="low", whole=True), seed=SEED)
def latent_truth(
    source: Source,
    system: Sequence[str] | None = None,
    *,
    truth: str | None = None,
    together: Blocks = (),
    same: Blocks = (),
    classes: Sequence[Label] | None = None,
    weight: str | None = None,
    clean: Cleaning = (),
    prior: str | float = "learned",
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    draws: int | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    read: ReadOptions | None = None,
) -> LatentTruth:
    """Estimate each system's table without labels, from the agreement of three systems or more.

    Errors are taken as independent given the class. There are intervals where four systems or more show no sign of
    shared errors, and would show it if one copied half of another's predictions; what all systems get wrong together
    cannot be seen.

    Parameters
    ----------
    source
        Labels by system, or rows in any form that ``infoscope.read`` takes.
    system
        Columns of the systems; a mapping of names to labels needs none.
    truth
        Column with labels of some items, which are mixed in.
    together
        Systems that share errors and are taken as one: names, or several lists of names.
    same
        Columns that are repeated predictions of one system: names, several lists of names, or lists by system.
    classes
        The classes; the labels that two systems or more use by default. Other labels are further predictions.
    weight
        Column of weights.
    clean
        How labels are cleaned before they are counted.
    prior
        ``"learned"``, or a number of pseudo-counts for each prediction.
    level, confidence_level
        Probability of the intervals.
    draws
        Draws of the posterior that are kept; by default as many as are cheap.
    seed, rng
        Seed of the draws, or a generator.
    read
        How files are read.

    Returns
    -------
    LatentTruth
        Metrics and table of each system, class frequencies, and checks of shared errors.

    Raises
    ------
    NoLatentTruthError
        If the systems do not determine a truth, or it is too large to be estimated.
    InputError
        If columns are not named, or an option is out of its limits.

    References
    ----------
    A. P. Dawid and A. M. Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM algorithm",
    Journal of the Royal Statistical Society C 28(1).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(3, size=2000)
    >>> predictions = {name: np.where(rng.random(2000) < 0.8, truth, rng.integers(3, size=2000)) for name in "abcde"}
    >>> result = latent_truth(predictions)
    >>> low, high = result["a"].metrics["accuracy"].interval
    >>> bool(low < 0.8 + 0.2 / 3 < high)
    True
    """
    check_optional_name(truth)
    check_optional_name(weight)
    if isinstance(system, str):
        raise InputError(f"one system is named, {system!r}; a latent truth needs three or more")
    if system is None:
        if not is_column_mapping(source):
            raise InputError("name the columns of the systems, at least three of them")
        system = [str(name) for name in source if name not in (truth, weight)]
    check_named_once(system)
    if truth is not None and truth in system:
        raise InputError(f"column {truth!r} is named as truth and as system; it is one of them")
    if len(system) < 2:
        raise InputError(f"a latent truth needs three systems or more; {len(system)} is given")
    columns = [*system, *(() if truth is None else (truth,))]
    patterns = read_distinct_rows(source, columns, weight=weight, clean=clean, read=read)
    if not patterns.total or not np.isfinite(patterns.sample_size) or not patterns.sample_size:
        raise InputError("the rows have no weight, or none that differs from 0; there is nothing to estimate from")
    check_label_columns(patterns)

    arrangement = arrange(patterns.in_order(), truth, together=together, same=same, classes=classes)
    _check_identifiable(arrangement)
    check_size(arrangement.data)
    posterior = estimate_posterior(arrangement, prior, draws, seed)
    return _make_result(posterior, level, seed)


def _check_identifiable(arrangement: Arrangement) -> None:
    """Reject systems that do not determine a truth."""
    data = arrangement.data
    present = data.find_present()
    if len(data.channels) > 2:
        # channels that share no item with the others, directly or through further ones
        meets = (present.astype(np.float64) @ present.T.astype(np.float64)) > 0
        reached = {int(np.argmax(present.sum(axis=1)))}
        while more := {b for a in reached for b in range(len(meets)) if meets[a, b]} - reached:
            reached |= more
        apart = [channel.name for number, channel in enumerate(data.channels) if number not in reached]
        if apart:
            raise NoLatentTruthError(
                f"{', '.join(apart)}: no item in common with the other systems, so nothing connects them; leave them "
                "out, or give items that they share"
            )
    if _count_meeting(data) >= 3:
        return
    if len(data.labelled):
        labels = np.bincount(data.known[data.labelled], data.counts[data.labelled], data.size)
        least, fewest = int(np.argmin(labels)), float(labels.min())
        if fewest < MIN_LABELS_PER_CLASS:
            raise NoLatentTruthError(
                f"two systems do not determine a truth, and the class {data.classes[least]!r} has "
                f"{pluralize(fewest, 'label')}: label at least {MIN_LABELS_PER_CLASS} items of each "
                "class, or add a third independent system"
            )
        return
    if len(data.channels) > 2:
        raise NoLatentTruthError(
            f"no item has predictions of three systems or more, and two at a time do not determine a truth; give items "
            f"that three of the {len(data.channels)} systems share, or labels"
        )
    blocks = [channel for channel in data.channels if channel.members]
    if blocks and len(arrangement.systems) > 2:
        raise NoLatentTruthError(
            f"{len(arrangement.systems)} systems in {len(data.channels)} independent parts (together={blocks[0].name}) "
            "do not determine a truth; at least three parts, or labels, are needed"
        )
    raise NoLatentTruthError(TWO_SYSTEMS)


def _count_meeting(data: Observations) -> int:
    """Return the most channels that predict the same item."""
    return int(data.find_present().sum(axis=0).max(initial=0))


def _make_result(posterior: LatentPosterior, level: float, seed: int) -> LatentTruth:
    """Make the result of a posterior: tables with draws, metrics, checks and findings."""
    arrangement, draws = posterior.arrangement, posterior.draws
    data, patterns = arrangement.data, arrangement.patterns
    pairs: list[PairCheck] = []
    votes: VoteCheck | None = None
    if len(data.channels) >= FEWEST_SYSTEMS and posterior.settled:
        items, weight = _scale_to_items(arrangement)
        pairs = check_pairs(arrangement, items.counts, draws)
        votes = check_votes(items, draws, np.random.default_rng(seed + 1), weight)
    is_independent = (
        bool(pairs)
        and min(pair.power for pair in pairs) >= ENOUGH_POWER
        and not any(pair.is_significant for pair in pairs)
        and not (votes is not None and votes.is_significant)
    )
    has_intervals = posterior.settled and is_independent

    caveat = (
        f"Estimated without truth, from the agreement of {len(arrangement.systems)} systems. Errors that all systems "
        "share cannot be seen: read every proficiency as “at most about”. In simulations, 5% of such items raise it by "
        "0.04 to 0.07, 20% by 0.11 to 0.24."
    )

    def round_items(items: float) -> float:
        return items if patterns.is_weighted else round(items)

    tables, systems = {}, []
    for name in arrangement.systems:
        tables[name] = table = _make_table(posterior, name, caveat, has_interval=has_intervals)
        metrics = {}
        belief = DrawnBelief(table)
        for metric in SHOWN:
            entry = find(metric)
            value = Estimate.of(entry.score(table), entry.reason(table))
            if value.value is not None and has_intervals:
                value = value.with_belief(belief.summary(metric, level), counted=False)
            metrics[metric] = value
        channel = arrangement.place[name][0]
        columns = [place for place, owner in enumerate(data.owner) if owner == channel]
        item_count = round_items(float(((data.codes[columns] >= 0) * data.counts).sum()))
        predictions = tuple(map(str, arrangement.labels[name]))
        systems.append(LatentSystem(name, item_count, metrics, predictions, data.channels[channel].members))

    spread = summarize_draws(draws.frequencies, level)
    frequencies = {}
    for number, label in enumerate(data.classes):
        mean, sd, low, high = (float(part[number]) for part in (spread.mean, spread.sd, spread.low, spread.high))
        frequencies[str(label)] = Estimate(mean, mean, sd, *((low, high) if has_intervals else (None, None)))
    total = round_items(float(data.counts.sum()))
    result = LatentTruth(
        systems=tuple(systems),
        classes=tuple(map(str, data.classes)),
        frequencies=frequencies,
        items=total,
        patterns=len(patterns),
        labels=round(float(data.counts[data.labelled].sum())),
        log_likelihood=posterior.fit.log_likelihood,
        draws=len(draws),
        r_hat=drop_infinite(posterior.r_hat),
        settled=posterior.settled,
        pairs=tuple(pairs),
        votes=votes,
        level=level,
        provenance=Provenance(rows=None if patterns.is_weighted else round(total)),
        tables=tables,
        posterior=posterior,
    )
    findings = (
        Finding("estimated_without_truth", caveat, "warning"),
        *describe_blank_labels(BlankLabels.of_patterns(patterns)),
        *_describe_identifiability(result, posterior),
        *(_describe_independence(result, len(data.channels)) if posterior.settled else ()),
        *_describe_data(result, posterior),
    )
    return replace(result, findings=findings)


def _make_table(posterior: LatentPosterior, name: str, caveat: str, *, has_interval: bool) -> Contingency:
    """Return expected counts of one system, with draws; as many independent samples as its proficiency is worth."""
    arrangement = posterior.arrangement
    counts = arrangement.select_system(name, posterior.draws.counts)
    table = Contingency.from_matrix(counts, truth=arrangement.data.classes, system=arrangement.labels[name])
    predictions = arrangement.select_system(name, posterior.draws.predictions)
    drawn = posterior.draws.frequencies[:, :, None] * predictions
    total = float(table.total)
    spread = float(np.std(np.asarray(proficiency(table.with_cells(drawn.reshape(len(drawn), -1))))))
    alone = compute_information_sds(table, 1.0)["proficiency"]
    size = total
    if np.isfinite(spread) and spread > 0 and np.isfinite(alone) and alone > 0:
        size = float(np.clip((alone / spread) ** 2, 1.0, total))
    estimation = Estimation(caveat, drawn * total, has_interval=has_interval)
    return replace(table, weight_squares=total**2 / size, estimation=estimation)


# Checks of shared errors ----------------------------------------------------------------------------------------------
# Errors that some systems share can be found; errors that all share look like right predictions and cannot.


def _scale_to_items(arrangement: Arrangement) -> tuple[Observations, float]:
    """Return weights as counts of as many items as they are worth, which tests are about, and the weight of one."""
    data, patterns = arrangement.data, arrangement.patterns
    if not patterns.is_weighted:
        return data, 1.0
    weight = patterns.total / patterns.sample_size
    return data.where(np.arange(len(data.counts)), data.counts / weight), weight


def _pick_draws(draws: LatentDraws) -> NDArray[np.int64]:
    """Return some of the draws, evenly spaced."""
    return np.linspace(0, len(draws) - 1, min(MOST_DRAWS, len(draws))).astype(np.int64)


def check_pairs(arrangement: Arrangement, counts: Real, draws: LatentDraws) -> list[PairCheck]:
    """Compare how often each two systems agree with how often independent ones would; ``counts`` are items by pattern.

    The model has about one free number per system with which it fits these agreements, so that differences are smaller
    than those of independent samples by sqrt(1 − systems/pairs). Where one system copies another, the model takes their
    predictions for the truth, and it may be the others that seem to agree too often.
    """
    patterns, size = arrangement.patterns, arrangement.data.size
    if len(arrangement.data.channels) < FEWEST_SYSTEMS:
        return []
    picked = _pick_draws(draws)
    frequencies, predictions = draws.frequencies[picked], [table[picked] for table in draws.predictions]
    given_class = {name: arrangement.select_system(name, predictions)[:, :, :size] for name in arrangement.systems}
    codes = {name: patterns.codes[patterns.place(arrangement.columns[name][0])] for name in arrangement.systems}
    compared: list[tuple[str, str, float, float, float, float]] = []
    for one, other in itertools.combinations(arrangement.systems, 2):
        both = (codes[one] >= 0) & (codes[other] >= 0)
        items = float(counts[both].sum())
        if not items or arrangement.place[one][0] == arrangement.place[other][0]:
            continue
        alike = both & (codes[one] == codes[other]) & (codes[one] < size)
        agreement = float(counts[alike].sum()) / items
        expected = np.einsum("dt,dtp,dtp->d", frequencies, given_class[one], given_class[other], optimize=True)
        mean = float(expected.mean())
        sd = float(np.sqrt(expected.var() + mean * (1 - mean) / items))
        compared.append((one, other, items, agreement, mean, max(sd, SMALLEST)))
    left = 1 - len(arrangement.systems) / len(compared) if compared else 0.0
    if left <= 0:
        return []
    limit = -float(ndtri(SIGNIFICANT_PAIR / 2 / len(compared)))
    return [
        PairCheck(
            one,
            other,
            round(items),
            agreement,
            agreement - expected,
            min(1.0, 2 * len(compared) * float(ndtr(-abs(agreement - expected) / sd / np.sqrt(left)))),
            float(ndtr(KEPT * np.sqrt(left) * COPIED * (1 - expected) / sd - limit)),
        )
        for one, other, items, agreement, expected, sd in compared
    ]


def check_votes(data: Observations, draws: LatentDraws, rng: np.random.Generator, weight: float = 1.0) -> VoteCheck:
    """Compare items by how many systems give the most frequent prediction, observed and simulated, times their weight.

    Items that are hard for all leave too many of full and of poor agreement.
    """

    def count_most_frequent(codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many systems give each item's most frequent prediction; other names than classes do not count."""
        votes: NDArray[np.int64] = np.zeros((codes.shape[1], data.size), np.int64)
        for row, owner in zip(codes, data.owner, strict=True):
            if data.channels[owner].named:
                there = np.flatnonzero((row >= 0) & (row < data.size))
                votes[there, row[there]] += 1
        return np.asarray(votes.max(axis=1))

    columns = len(data.owner)
    observed = np.bincount(count_most_frequent(data.codes), data.counts, columns + 1)
    rounded = np.round(observed).astype(np.int64)
    total = max(int(rounded.sum()), 1)
    items = min(total, MOST_ITEMS, MOST_SIMULATED // data.size)
    seen = observed if items == total else rng.multivariate_hypergeometric(rounded, items)
    picked = _pick_draws(draws)
    missing = data.codes[:, rng.choice(len(data.counts), items, p=data.counts / data.counts.sum())] < 0
    simulated = []
    for draw in picked:
        truth = rng.choice(data.size, items, p=draws.frequencies[draw] / draws.frequencies[draw].sum())
        codes = np.empty(missing.shape, np.int64)
        for column, owner in enumerate(data.owner):
            table = draws.predictions[owner][draw]
            steps = np.cumsum(table / table.sum(axis=1, keepdims=True), axis=1)[truth, :-1]
            codes[column] = (rng.random((items, 1)) > steps).sum(axis=1)
        codes[missing] = -1
        simulated.append(np.bincount(count_most_frequent(codes), minlength=columns + 1))
    again = np.array(simulated)
    mean, sd = again.mean(axis=0), np.maximum(again.std(axis=0), 1.0)
    far = (((again - mean) / sd) ** 2).sum(axis=1)
    mine = float((((seen - mean) / sd) ** 2).sum())
    p_value = (1 + int((far >= mine).sum())) / (1 + len(picked))
    expected = mean * (weight * total / items)
    return VoteCheck(tuple((observed * weight).tolist()), tuple(expected.tolist()), p_value)


# Findings -------------------------------------------------------------------------------------------------------------


def _describe_identifiability(result: LatentTruth, posterior: LatentPosterior) -> Iterator[Finding]:
    """Yield what the data do not settle: chains that disagree, two systems, merged classes, names below chance."""
    data, draws = posterior.arrangement.data, posterior.draws
    if not result.settled:
        yield Finding(
            "not_settled",
            f"Not settled by these data: two chains of draws disagree (split R̂ {posterior.r_hat:.2f}). Intervals are "
            "withheld; more items, more systems or a few labels would settle it.",
            "warning",
            {"r_hat": result.r_hat},
        )
    if _count_meeting(data) < 3:
        yield Finding(
            "two_systems",
            f"Two systems do not determine a truth: what is estimated here rests on "
            f"{data.counts[data.labelled].sum():,.0f} labels. If these are no random sample, neither is the estimate "
            "right; a third independent system would tell more.",
            "warning",
        )
    means = [table.mean(axis=0) for table in draws.predictions]
    for one, other in itertools.combinations(range(data.size if data.size <= MOST_CLASSES_COMPARED else 0), 2):
        if max(float(np.abs(table[one] - table[other]).sum() / 2) for table in means) < ALIKE:
            names = f"{data.classes[one]} and {data.classes[other]}"
            yield Finding(
                "classes_merged",
                f"No system separates {names}: they are one class as far as these systems can tell.",
                "warning",
                {"classes": [str(data.classes[one]), str(data.classes[other])]},
            )
    kappas = {system.name: system.metrics["kappa"].shown for system in result.systems}
    defined = {name: value for name, value in kappas.items() if value is not None}
    if not defined or len(data.labelled):
        return
    if sum(defined.values()) < 0:
        yield Finding(
            "names_swapped",
            "On average the systems are below chance: the names of the classes may be swapped. A few labels settle it.",
            "warning",
        )
    elif below := [name for name, value in defined.items() if value < 0]:
        text = f"Below chance against the truth that the others suggest: {', '.join(below)}."
        yield Finding("below_chance", text)


_PLAN = "… --want width=0.1 --labels-out to-label.csv"
"""A plan of labels, which corrects errors that systems share."""


def _describe_independence(result: LatentTruth, channels: int) -> Iterator[Finding]:
    """Yield why intervals are withheld: errors that are shared, or might be."""

    def format_chance(p_value: float) -> str:
        return "P < 1%" if p_value < 0.01 else f"P = {p_value:.0%}"

    pairs = sorted(result.pairs, key=lambda pair: pair.p_value)
    shared = [pair for pair in pairs if pair.is_significant]
    if channels < FEWEST_SYSTEMS or not pairs:
        yield Finding(
            "independence_unchecked",
            f"{'Three' if channels == 3 else 'Two' if channels == 2 else channels} systems cannot show whether they "
            "err independently: if one copies another, their predictions look just so. Intervals are withheld; add a "
            f"{'further' if channels > 3 else 'fourth'} system, or plan labels.",
            "warning",
            {"systems": channels},
            "Label some rows",
            command=_PLAN,
        )
    if shared:
        worst, alike = shared[0], max(pairs, key=lambda pair: pair.agreement)
        how = "more" if worst.excess > 0 else "less"
        text = (
            f"{worst.first} and {worst.second} agree in {worst.agreement:.1%} of the items, "
            f"{abs(100 * worst.excess):.1f} points {how} than if all systems erred independently "
            f"({format_chance(worst.p_value)}), so intervals are withheld. Either these two share errors, or others "
            f"are copies: {alike.first} and {alike.second} are most alike ({alike.agreement:.1%}). Take systems that "
            f"have something in common as one, such as --together {alike.first},{alike.second}."
        )
        evidence: dict[str, Json] = {"systems": [worst.first, worst.second], "p_value": worst.p_value}
        evidence |= {"excess": worst.excess, "most_alike": [alike.first, alike.second]}
        command = f"… --together {quote(f'{alike.first},{alike.second}')}"
        yield Finding("shared_errors", text, "warning", evidence, "Take systems as one", command=command)
    if result.votes is not None and result.votes.is_significant:
        yield Finding(
            "votes_misfit",
            f"Items agree and disagree otherwise than independent errors let them "
            f"({format_chance(result.votes.p_value)}): some items are harder than others for several systems at once. "
            "Intervals are withheld.",
            "warning",
            {"p_value": result.votes.p_value},
        )
    if pairs and not shared and (power := min(pair.power for pair in pairs)) < ENOUGH_POWER:
        yield Finding(
            "copies_unnoticed",
            "Too few items, or too alike systems, to show that errors are independent: if one system copied half of "
            f"another's predictions, the check would find it with a probability of {power:.0%}. Intervals are "
            "withheld; add items or systems, or plan labels.",
            "warning",
            {"power": power},
            "Label some rows",
            command=_PLAN,
        )


def _describe_data(result: LatentTruth, posterior: LatentPosterior) -> Iterator[Finding]:
    """Yield labels mixed in, odd predictions, sparse and incomplete blocks, gaps, and items left out of the draws."""
    arrangement = posterior.arrangement
    data, labels = arrangement.data, result.labels
    if labels:
        yield Finding(
            "labels_mixed_in",
            f"{labels:,} label{'s are' if labels != 1 else ' is'} mixed in. Labels name the classes; they do not "
            "correct shared errors. For that, plan labels (--want).",
            "warning",
            {"labels": labels},
        )
    totals = [table.sum(axis=0) for table in data.split((data.transposed @ data.counts)[None, :])]
    for name in arrangement.systems:
        counts = arrangement.select_system(name, totals)
        used = [label for label, count in zip(arrangement.labels[name], counts, strict=True) if count]
        extra = [str(label) for label in used if label not in data.classes]
        if len(used) == 1:
            yield Finding("constant_system", f"{name} always predicts {used[0]!s}: it carries no information.")
        if extra:
            shown, every = shorten_list(extra)
            text = f"{name} also predicts {shown}, which is no class of two systems or more."
            yield Finding("extra_predictions", text).with_names(shown, every)
    for channel in data.channels:
        if channel.members and channel.size > 0.5 * float(data.counts.sum()):
            names = ", ".join(channel.members)
            yield Finding(
                "sparse_block",
                f"{names}, taken as one, predict {channel.size:,} different combinations in {data.counts.sum():,.0f} "
                "items, most of them once: hardly anything is learned from them. Take fewer systems together.",
                "warning",
                {"systems": list(channel.members), "combinations": channel.size},
            )
    if arrangement.lost:
        yield Finding(
            "incomplete_blocks",
            f"{arrangement.lost:,} items have predictions of only some of the systems taken as one; these predictions "
            "are not used.",
        )
    if (data.codes < 0).any():
        yield Finding("gaps", "Missing predictions are taken as random: they must not depend on the class.")
    if posterior.used_items < 0.999 * float(data.counts.sum()):
        yield Finding(
            "thinned",
            f"Intervals rest on {posterior.used_items:,.0f} of {data.counts.sum():,.0f} items, which makes them wider "
            "than need be.",
        )


# Plans of labels ------------------------------------------------------------------------------------------------------


@validated(half_width=Number(0, 1, example=0.02), level=LEVEL)
def plan_labels(
    latent: LatentTruth,
    metric: str = "proficiency",
    system: str | Sequence[str] | None = None,
    *,
    half_width: float = 0.02,
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    difference: bool = False,
) -> LabelPlan:
    """Plan how many labels give a metric of some systems to a half width, and which items come first.

    Parameters
    ----------
    latent
        The systems without truth, as ``latent_truth`` estimated them.
    metric
        Name of the metric.
    system
        One system or several; all by default.
    half_width
        Half width of the interval that is wanted of each.
    level, confidence_level
        Probability of the interval.
    difference
        Plan for the difference of two systems: items on which both predict alike fall out.

    Returns
    -------
    LabelPlan
        It draws items to label, and estimates from their labels.

    Raises
    ------
    InputError
        If the latent truth was loaded from a file, its items are weighted, or all of them have labels.
    UnknownNameError
        If there is no such system or metric.

    Examples
    --------
    >>> from infoscope import latent_truth
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(3, size=500)
    >>> predictions = {name: np.where(rng.random(500) < 0.8, truth, rng.integers(3, size=500)) for name in "abcd"}
    >>> plan = plan_labels(latent_truth(predictions, draws=60), "accuracy", "a", half_width=0.05)
    >>> plan.labels < plan.labels_random
    True
    """
    if latent.posterior is None:
        raise InputError("a latent truth that was loaded from a file has no patterns; estimate it again")
    if latent.posterior.arrangement.patterns.is_weighted:
        raise InputError("labels are planned for counted items; estimate the latent truth without weights")
    names = (system,) if isinstance(system, str) else tuple(system or latent.names)
    for name in names:
        if name not in latent.names:
            raise UnknownNameError(f"no system {name!r}; {suggest_name(name, latent.names)}")
    if difference and len(names) != 2:
        raise InputError(f"a difference is between two systems; {len(names)} are named")

    entry = find(metric)
    effects = Effects(latent.posterior, entry.name, names, difference)
    allocation, at_random = Allocation.spread(effects), Allocation.spread(effects, 1.0)
    items = round(float(effects.counts.sum()))
    labels = allocation.count_labels_needed(half_width, level)
    alone: int | None = None  # labels of a plain random sample, by the first-order error
    if not difference and is_information(entry.name):
        sd = max(compute_information_sds(effects.expect_table(name), 1.0)[entry.name] for name in names)
        wanted = (sd * float(ndtri(0.5 + level / 2)) / half_width) ** 2
        alone = int(np.ceil(wanted / (1 + wanted / items)))
    subject = " − ".join(names) if difference else ", ".join(names)
    compared = "" if alone is None else f"; {alone:,} without a plan"
    findings = (
        Finding(
            "labels_needed",
            f"To know the {entry.card.title_in_sentence} of {subject} to ±{half_width:g}: about {labels:,} labels, "
            f"half of them at random{compared}.",
            evidence={"labels": labels, "without_plan": alone},
        ),
        Finding(
            "plan_is_a_promise",
            "The number is right only if errors are independent. Label in rounds and estimate after each: the estimate "
            "holds either way, and says how many more labels are needed.",
        ),
    )
    return LabelPlan(
        metric=entry.name,
        systems=names,
        difference=difference,
        half_width=half_width,
        level=level,
        items=items,
        labels=labels,
        labels_random=at_random.count_labels_needed(half_width, level),
        labels_without_plan=alone,
        curve=tuple(
            PlannedWidth(
                number, allocation.expect_half_width(number, level), at_random.expect_half_width(number, level)
            )
            for number in CURVE
            if number <= items
        ),
        findings=findings,
        sampler=LatentSampler(allocation, labels),
    )


# Where labels pay -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects that each class of a pattern's items would have on a metric of some systems."""

    posterior: LatentPosterior
    metric: str
    systems: tuple[str, ...]
    """One system, several that matter alike, or two whose difference matters."""
    difference: bool = False

    @cached_property
    def unlabelled(self) -> NDArray[np.int64]:
        """Patterns whose class is not known."""
        return np.flatnonzero(self.posterior.arrangement.data.known < 0)

    @cached_property
    def counts(self) -> Real:
        """Items of these patterns."""
        return self.posterior.arrangement.data.counts[self.unlabelled]

    def list_columns(self, name: str) -> list[int]:
        """Return the columns of the patterns that hold a system's predictions."""
        arrangement = self.posterior.arrangement
        return [arrangement.patterns.place(column) for column in arrangement.columns[name]]

    def expect_table(self, name: str) -> Contingency:
        """Return the table that the model expects of one system, over all items."""
        arrangement = self.posterior.arrangement
        classes, labels = arrangement.data.classes, arrangement.labels[name]
        cells = np.zeros((len(classes), len(labels)))
        weighted = self.posterior.belief * arrangement.data.counts[:, None]
        for column in self.list_columns(name):
            codes = arrangement.patterns.codes[column]
            there = np.flatnonzero(codes >= 0)
            np.add.at(cells.T, codes[there].astype(np.int64), weighted[there])
        return Contingency.from_matrix(cells, truth=classes, system=labels)

    @cached_property
    def spread(self) -> dict[str, Real]:
        """Standard deviation of the effect within each unlabelled pattern: by system, or of the difference."""
        belief = self.posterior.belief[self.unlabelled]
        patterns = self.posterior.arrangement.patterns
        effects: dict[str, Real] = {}
        for name in self.systems:
            # unlabelled patterns × classes: the influence of an item of that class on the system's metric
            table = self.expect_table(name)
            smooth = table.with_cells(table.cells + SMOOTHING)
            effect = compute_influence(self.metric, smooth).reshape(table.shape)
            effects[name] = np.zeros((len(self.unlabelled), table.shape[0]))
            for column in self.list_columns(name):
                codes = patterns.codes[column, self.unlabelled].astype(np.int64)
                there = codes >= 0
                effects[name][there] += effect[:, codes[there]].T
        if self.difference:
            first, second = self.systems
            effects = {f"{first} − {second}": effects[first] - effects[second]}
        spread = {}
        for name, effect in effects.items():
            mean = (belief * effect).sum(axis=1, keepdims=True)
            spread[name] = np.sqrt(np.maximum((belief * (effect - mean) ** 2).sum(axis=1), 0.0))
        return spread


@dataclass(frozen=True, eq=False)
class Allocation:
    """The chance with which items of each unlabelled pattern are drawn, and how many labels that takes."""

    effects: Effects
    share: Real
    """Probability that a draw falls on a pattern; within it, items are alike."""

    @classmethod
    def spread(cls, effects: Effects, random_share: float = RANDOM_SHARE) -> Allocation:
        """Spread the draws: half by what a label is worth (Neyman), half at random."""
        counts = effects.counts
        if not counts.sum():
            raise InputError("every item is labelled already; there is nothing to plan")
        worth = counts * np.sqrt(as_real(np.mean([spread**2 for spread in effects.spread.values()], axis=0)))
        plain = counts / counts.sum()
        best = worth / worth.sum() if worth.sum() > 0 else plain
        return cls(effects, (1 - random_share) * best + random_share * plain)

    @cached_property
    def _variance(self) -> float:
        """Variance of one label, for the system with the largest."""
        counts = self.effects.counts
        total = float(self.effects.posterior.arrangement.data.counts.sum())
        used = self.share > 0
        return max(
            float((((counts / total) ** 2 * spread**2)[used] / self.share[used]).sum())
            for spread in self.effects.spread.values()
        )

    def count_labels_needed(self, half_width: float, level: float) -> int:
        """Return labels for an interval of this half width, if the model is right, of as many items as there are."""
        wanted = self._variance * (float(ndtri(0.5 + level / 2)) / half_width) ** 2
        return int(np.ceil(wanted / (1 + wanted / float(self.effects.counts.sum()))))

    def expect_half_width(self, labels: int, level: float) -> float:
        """Return the half width that this many labels would give."""
        left = max(1.0 - labels / float(self.effects.counts.sum()), 0.0)
        return float(ndtri(0.5 + level / 2)) * float(np.sqrt(self._variance * left / max(labels, 1)))


# Items to label, and labels that came back ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LatentSampler:
    """Draws items with replacement by what their unknown class is worth, and corrects the model by their labels."""

    allocation: Allocation
    planned: int

    def draw(
        self, source: Source, labels: int | None, rng: np.random.Generator, read: ReadOptions | None
    ) -> list[ItemToLabel]:
        """Draw items to label, each as often as it was drawn."""
        share, effects = self.allocation.share, self.allocation.effects
        patterns = effects.posterior.arrangement.patterns
        chosen = rng.choice(len(share), self.planned if labels is None else labels, p=share / share.sum())
        rows = find_rows(source, patterns, effects.unlabelled[np.unique(chosen)], read)
        times: Counter[int] = Counter()
        place_of: dict[int, int] = {}
        for place in chosen.tolist():
            row = int(rng.choice(rows[int(effects.unlabelled[place])]))
            times[row] += 1
            place_of[row] = place
        return [
            ItemToLabel(
                row,
                list_values(patterns, patterns.names, int(effects.unlabelled[place_of[row]])),
                float(share[place_of[row]] / effects.counts[place_of[row]]),
                number,
            )
            for row, number in times.items()
        ]

    def estimate(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelledEstimate:
        """Estimate every system of the plan: the model's expectation, corrected by the labels."""
        effects, level, half_width = self.allocation.effects, plan.level, plan.half_width
        sheet = match_sheet(self.allocation, labels, column, read)
        draws = float(sheet.times.sum())
        if draws < FEWEST_LABELS:
            raise InputError(
                f"{draws:.0f} items are labelled; at least {FEWEST_LABELS} labels are needed for an estimate"
            )
        systems: dict[str, Estimate] = {}
        tables: dict[str, Contingency] = {}
        widest = 0.0
        for name in effects.systems:
            correction = LabelCorrection.from_sheet(self.allocation, name, sheet)
            systems[name], reach = correction.estimate(effects.metric, level)
            widest = max(widest, reach)

            # as many samples as the metric is worth
            table, sd = correction.correct(sheet.times), systems[name].sd or 0.0
            total = size = float(table.total)
            alone = (
                compute_information_sds(table, 1.0).get(effects.metric, np.nan)
                if is_information(effects.metric)
                else np.nan
            )
            if sd > 0 and np.isfinite(alone) and alone > 0:
                size = (alone / sd) ** 2
            tables[name] = replace(table, weight_squares=total**2 / float(np.clip(size, 1.0, total)))
        more = int(np.ceil(draws * ((widest / half_width) ** 2 - 1))) if widest > half_width else 0
        expected = self.allocation.expect_half_width(round(draws), level)
        return LabelledEstimate(
            metric=effects.metric,
            labels=round(draws),
            systems=systems,
            more_labels=more,
            half_width=half_width,
            level=level,
            reached=widest,
            expected=expected,
            findings=tuple(describe_labels(more, half_width, widest, expected, sheet.unlabelled)),
            tables=tables,
        )

    def next_round(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelPlan:
        """Plan with the same chances for as many labels as the estimate still needs."""
        more = self.estimate(plan, labels, column, read).more_labels or 1
        return replace(plan, labels=more, sampler=replace(self, planned=more))


def match_sheet(allocation: Allocation, labels: LabelsLike, column: str, read: ReadOptions | None) -> FilledSheet:
    """Match labelled items to their place among the unlabelled patterns."""
    effects = allocation.effects
    arrangement = effects.posterior.arrangement
    names = [name for columns in arrangement.columns.values() for name in columns]
    sheets = read_sheets(labels, names, column, read)
    sheet = match_lines(sheets, arrangement.patterns, names, arrangement.data.classes, effects.unlabelled)
    place = np.full(len(arrangement.patterns), -1)
    place[effects.unlabelled] = np.arange(len(effects.unlabelled))
    return replace(sheet, place=place[sheet.place])


@dataclass(frozen=True, eq=False)
class LabelCorrection:
    """The model's cells over all items, and what each labelled draw adds to them."""

    base: Contingency
    added: Real
    """Labelled items × cells, for one draw each."""
    times: Real

    @classmethod
    def from_sheet(cls, allocation: Allocation, name: str, sheet: FilledSheet) -> LabelCorrection:
        """Weigh the residuals of the labelled items, in the cells of one system."""
        effects = allocation.effects
        patterns = effects.posterior.arrangement.patterns
        base = effects.expect_table(name)
        residual = -effects.posterior.belief[effects.unlabelled[sheet.place]]
        residual[np.arange(len(sheet.label)), sheet.label] += 1.0
        # each labelled draw stands for 1 / (draws × chance of the item) items
        chance = allocation.share[sheet.place] / effects.counts[sheet.place]
        residual *= (1.0 / (float(sheet.times.sum()) * chance))[:, None]
        added = np.zeros((len(sheet.label), *base.shape))
        for column in effects.list_columns(name):
            codes = patterns.codes[column, effects.unlabelled[sheet.place]].astype(np.int64)
            there = np.flatnonzero(codes >= 0)
            added[there, :, codes[there]] += residual[there]
        return cls(base, added.reshape(len(sheet.label), -1), sheet.times)

    def correct(self, times: Real) -> Contingency:
        """Return the corrected table, or a batch of them for several sets of draws; no cell below 0."""
        return self.base.with_cells(np.maximum(self.base.cells + times @ self.added, 0.0))

    def estimate(self, metric: str, level: float) -> tuple[Estimate, float]:
        """Estimate the metric with its interval, and how far that reaches, by leaving out one label after the other.

        A corrected table looks more dependent than it is where cells are few, and so do those with a label less: their
        excess is taken off (the jackknife's bias correction). Where the model is wrong a few labels carry most of the
        correction, and an sd that rests on few is itself uncertain: the limits are those of Student's t with the
        degrees of freedom that the kurtosis of the labels' effects leaves.
        """
        entry = find(metric)
        table = self.correct(self.times)
        value = Estimate.of(entry.score(table), entry.reason(table))
        if value.value is None:
            return value, 0.0
        draws = float(self.times.sum())
        # the corrected tables without one draw of each labelled item in turn, as a batch
        rest = (self.times @ self.added - self.added) * (draws / (draws - 1))
        one_less = self.base.with_cells(np.maximum(self.base.cells + rest, 0.0))
        effects = value.value - np.asarray(entry.score(one_less), dtype=np.float64)
        finite = np.isfinite(effects)
        if self.times[finite].sum() < draws / 2:
            return value, 0.0
        effects, times = effects[finite], self.times[finite]
        excess = -(draws - 1) * np.average(effects, weights=times)
        centred = effects - np.average(effects, weights=times)
        variance = float(np.average(centred**2, weights=times))
        sd = (draws - 1) * float(np.sqrt(variance / draws))
        kurtosis = float(np.average(centred**4, weights=times)) / variance**2 if variance > 0 else 3.0
        # degrees of freedom of a variance from this many draws (Satterthwaite): fewer the heavier the tails
        freedom = 2.0 / (max(kurtosis - 3.0, 0.0) / draws + 2.0 / (draws - 1))
        reach = sd * float(stdtrit(freedom, 0.5 + level / 2))
        centre = value.value - float(excess)
        centre, low, high = (float(x) for x in np.clip([centre, centre - reach, centre + reach], *entry.card.range))
        return replace(value, value=centre, mean=centre, sd=sd, low=low, high=high), reach
