"""Compare: from rows or tables to who is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from infoscope.cards import Metric, find
from infoscope.comparison.answers import Answers, PairCells
from infoscope.comparison.classical import homogeneity_p_value, mcnemar_p_value, swap_p_values
from infoscope.comparison.differences import (
    Belief,
    Difference,
    Factor,
    belief,
    correlation,
    difference,
    exact_information_gap,
    factor,
)
from infoscope.comparison.document import Comparison, Pair, Ranking
from infoscope.comparison.ranking import Place, rank
from infoscope.errors import InputError, UnknownNameError
from infoscope.metrics import truth_entropy
from infoscope.posterior import Posterior
from infoscope.posterior.resampling import ClusterBootstrap
from infoscope.readers import How, read_joint
from infoscope.readers.labels import Cleaning
from infoscope.tables import Contingency
from infoscope.tables.hashing import data_hash
from infoscope.tables.labels import Label

__all__ = ["DEFAULT_METRICS", "compare", "compare_answers"]

DEFAULT_METRICS = ("erroneous_information_ratio", "proficiency")
_LOSSES = {"erroneous_information_ratio", "error_rate", "missed_information_ratio"}
_SWAPS = 999
_SWAP_ALL_PAIRS = 6
"""With more systems, the swap test is run against the baseline, or between neighbours in the ranking, only."""


@dataclass(frozen=True)
class _Question:
    metrics: tuple[Metric, ...]
    level: float
    rope: float | None
    prior: Any
    seed: int
    baseline: str | None
    swaps: bool = True


def compare(  # noqa: PLR0913 - the public front
    source: Any,
    *,
    truth: Any = None,
    system: Sequence[str] | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    baseline: str | None = None,
    rope: float | None = None,
    weight: Any = None,
    cluster: Any = None,
    reject: Label | None = None,
    positive: Label | None = None,
    prior: Any = "default",
    level: float = 0.95,
    seed: int = 0,
    clean: Cleaning = (),
    how: How | None = None,
) -> Comparison:
    """Which system is better, by how much, and how sure that is.

    ``source`` is a mapping of names to label sequences with ``truth`` the true labels, or anything ``read`` takes with
    column names in ``truth`` and ``system``: then the comparison is paired, row by row. A mapping of names to
    ``Contingency`` tables is compared unpaired. ``cluster`` says which rows belong together (patients, documents), by a
    column's name or a sequence: then these are resampled whole. ``clean`` and ``how`` say how rows are read.

    >>> truth = ["cat", "dog", "cow"] * 30
    >>> good = truth[:-3] + ["dog", "cow", "cat"]
    >>> poor = ["cat", "cat", "cow"] * 30
    >>> result = compare({"good": good, "poor": poor}, truth=truth)
    >>> [(pair.metric, pair.verdict) for pair in result.pairs]
    [('erroneous_information_ratio', "can't tell"), ('proficiency', 'better')]
    """
    if not 0 < level < 1:
        raise InputError(f"the level of an interval is {level}; it must lie between 0 and 1, such as 0.95")
    question = _Question(tuple(_comparable(name) for name in metrics), level, rope, prior, seed, baseline)
    if isinstance(source, Mapping) and all(isinstance(part, Contingency) for part in source.values()):
        if cluster is not None:
            raise InputError("finished tables do not know which rows belong together; cluster= needs the rows")
        return replace(_compare_tables(dict(source), question), hashes=_hashes(source))
    if isinstance(source, Mapping) and truth is not None and not isinstance(truth, str):
        answers = Answers.from_labels(
            truth, source, sample_weight=weight, cluster=cluster, reject=reject, positive=positive
        )
    else:
        if not isinstance(truth, str) or system is None:
            raise InputError("name the truth column and at least two system columns, or give a mapping of tables")
        if cluster is not None and (not isinstance(cluster, str) or cluster in (truth, *system)):
            raise InputError(f"cluster is {cluster!r}; name a column of its own, beside truth and systems")
        beside = () if cluster is None else (cluster,)
        joint = read_joint(source, truth=truth, system=[*system, *beside], weight=weight, clean=clean, how=how)
        answers = Answers.from_joint(joint, cluster=cluster, reject=reject, positive=positive)
    found = _compare_answers(answers, question)
    return replace(found, hashes=_hashes({name: answers.table(name) for name in found.systems}))


def _hashes(tables: Mapping[str, Contingency]) -> dict[str, str]:
    return {name: data_hash(table) for name, table in tables.items()}


def compare_answers(
    answers: Answers,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    level: float = 0.95,
    prior: Any = "default",
    seed: int = 0,
    known: Mapping[str, Posterior] | None = None,
) -> Comparison:
    """The same for rows that were read already, without swap tests.

    ``known`` holds beliefs about systems from all the rows that each answered; they serve every pair that shares these.
    """
    question = _Question(tuple(_comparable(name) for name in metrics), level, None, prior, seed, None, swaps=False)
    return _compare_answers(answers, question, known or {})


def _comparable(name: str) -> Metric:
    entry = find(name)
    if entry.card.level != "table" or entry.card.posterior == "none":
        raise UnknownNameError(f"{name!r} cannot be compared: it has no posterior; choose another metric")
    return entry


def _checked_names(names: Sequence[str], question: _Question) -> tuple[str, ...]:
    if len(names) < 2:
        raise InputError(f"comparing takes at least two systems; there is {', '.join(map(repr, names)) or 'none'}")
    if question.baseline is not None and question.baseline not in names:
        raise UnknownNameError(f"baseline {question.baseline!r} is not among the systems {', '.join(map(repr, names))}")
    return tuple(names)


# ── the same rows ────────────────────────────────────────────────────────────────────────────────


def _compare_answers(
    answers: Answers, question: _Question, known: Mapping[str, Posterior] = MappingProxyType({})
) -> Comparison:
    names = _checked_names(answers.names, question)
    if answers.cluster is not None and question.prior != "default":
        raise InputError("resampling clusters takes no prior; leave it out")
    rng = np.random.default_rng(question.seed)
    beliefs = _Beliefs(question, {name: (answers.table(name).total, known[name]) for name in known})
    cells = {(a, b): answers.pair(a, b) for a, b in combinations(names, 2)}
    pairs = [_paired(a, b, both, entry, beliefs) for (a, b), both in cells.items() for entry in question.metrics]
    if answers.cluster is not None:
        samples = {name: answers.table(name).total for name in names}
        return _document(names, samples, pairs, beliefs, _notes(answers, samples, question))
    asked = _worth_a_swap_test(names, pairs, question) if question.swaps else set()
    checks = {
        key: _checks(both, question, rng, swaps=_swaps(len(names)) if frozenset(key) in asked else 0)
        for key, both in cells.items()
    }
    pairs = [checks[(pair.a, pair.b)].beside(pair) for pair in pairs]
    samples = {name: answers.table(name).total for name in names}
    return _document(names, samples, pairs, beliefs, _notes(answers, samples, question))


class _Beliefs:
    """Posterior summaries by system and table, computed once where a pair shares all rows."""

    def __init__(
        self, question: _Question, given: Mapping[str, tuple[float, Posterior]] = MappingProxyType({})
    ) -> None:
        self.question = question
        self.given = given
        self.latest: dict[tuple[str, str], Belief] = {}
        self._known: dict[tuple[str, str], tuple[Contingency, Belief]] = {}
        self._posteriors: dict[str, tuple[Contingency, Posterior | ClusterBootstrap]] = {}

    def of(self, name: str, table: Contingency, entry: Metric, clusters: Any = None) -> Belief:
        known = self._known.get((name, entry.name))
        if known is None or known[0] != table:
            held = self._posteriors.get(name)
            if held is None or held[0] != table:
                held = self._posteriors[name] = (table, self._made(name, table, clusters))
            known = (table, belief(table, held[1], entry, self.question.level))
            self._known[(name, entry.name)] = known
        self.latest.setdefault((name, entry.name), known[1])
        return known[1]

    def _made(self, name: str, table: Contingency, clusters: Any) -> Posterior | ClusterBootstrap:
        if clusters is not None:
            return ClusterBootstrap(table, clusters, seed=self.question.seed)
        whole = self.given.get(name)
        if whole is not None and abs(whole[0] - table.total) <= 1e-9 * table.total:
            return whole[1]
        return Posterior(table, self.question.prior, seed=self.question.seed)

    def correlation(self, a: str, b: str, cells: PairCells, entry: Metric) -> float:
        """How the errors of two systems go together: over the rows, or over the resampled clusters."""
        held = [self._posteriors[name][1] for name in (a, b)]
        drawn = [bootstrap.draws(entry.name) for bootstrap in held if isinstance(bootstrap, ClusterBootstrap)]
        if len(drawn) < 2:
            return correlation(cells, entry)
        both = np.isfinite(drawn[0]) & np.isfinite(drawn[1])
        one, other = drawn[0][both], drawn[1][both]
        return float(np.corrcoef(one, other)[0, 1]) if min(one.std(), other.std()) > 0 else 0.0


def _paired(a: str, b: str, cells: PairCells, entry: Metric, beliefs: _Beliefs) -> Pair:
    one = beliefs.of(a, cells.table_a, entry, cells.clusters_a)
    other = beliefs.of(b, cells.table_b, entry, cells.clusters_b)
    rho = beliefs.correlation(a, b, cells, entry)
    question = beliefs.question
    result = difference(one, other, rho, entry, level=question.level, rope=question.rope)
    improvement = _improvement(entry, (one, other), rho, question.level)
    return Pair(a, b, entry.name, True, result, _verdict(result, question), improvement)


def _improvement(entry: Metric, both: tuple[Belief, Belief], rho: float, level: float) -> Factor | None:
    """Holt's improvement factor: of a loss itself, and of 1 − accuracy where accuracy is asked for."""
    if entry.name in _LOSSES:
        return factor(*both, rho, level)
    if entry.name == "accuracy":
        wrong = [Belief(1 - x.value, 1 - x.mean, x.sd, 1 - x.high, 1 - x.low) for x in both]
        return factor(wrong[0], wrong[1], rho, level)
    return None


@dataclass(frozen=True)
class _Checks:
    """The classical tests of one pair, and the exact difference of information."""

    swap: Mapping[str, float]
    mcnemar: float | None
    exact: tuple[float, float, float]

    def beside(self, pair: Pair) -> Pair:
        found = {"swap_p_value": self.swap.get(pair.metric), "mcnemar_p_value": self.mcnemar}
        return replace(pair, checks={name: p for name, p in found.items() if p is not None}, exact=self.exact)


def _checks(cells: PairCells, question: _Question, rng: np.random.Generator, *, swaps: int) -> _Checks:
    swap = swap_p_values(cells, question.metrics, swaps=swaps, rng=rng) if swaps else {}
    return _Checks(swap, mcnemar_p_value(cells), exact_information_gap(cells, question.level))


def _swaps(systems: int) -> int:
    return _SWAPS if systems <= _SWAP_ALL_PAIRS else _SWAPS // 3


def _worth_a_swap_test(names: Sequence[str], pairs: Sequence[Pair], question: _Question) -> set[frozenset[str]]:
    """All pairs of a few systems; of many, those with the baseline, or neighbours in the order."""
    everyone = {frozenset((pair.a, pair.b)) for pair in pairs}
    if len(names) <= _SWAP_ALL_PAIRS:
        return everyone
    if question.baseline is not None:
        return {two for two in everyone if question.baseline in two}
    wins = dict.fromkeys(names, 0.0)
    for pair in pairs:
        if pair.metric == question.metrics[0].name:
            wins[pair.a] += pair.result.probability_a_better
            wins[pair.b] += 1 - pair.result.probability_a_better
    return {frozenset(two) for two in pairwise(sorted(names, key=lambda name: -wins[name]))}


def _notes(answers: Answers, samples: Mapping[str, float], question: _Question) -> tuple[str, ...]:
    notes = [
        f"{name} lacks {answers.total - rows:g} of {answers.total:g} rows (no truth label or no answer); pairs with it "
        "use the rows that both answered"
        for name, rows in samples.items()
        if rows < answers.total
    ]
    if answers.weight is not None:
        notes.append(
            f"weights that sum to {answers.weight:,.6g} count as {answers.total:,.4g} independent samples, (Σw)²/Σw²"
        )
    if answers.cluster is not None:
        notes.append(
            f"intervals by resampling {len(answers.cluster.labels):,} clusters whole; tests that take rows as "
            "independent are left out"
        )
    elif len(samples) > _SWAP_ALL_PAIRS and question.swaps:
        notes.append("swap tests were run against the baseline, or for neighbours in the ranking, only")
    return tuple(notes)


# ── different rows ───────────────────────────────────────────────────────────────────────────────


def _compare_tables(tables: dict[str, Contingency], question: _Question) -> Comparison:
    names = _checked_names(tuple(tables), question)
    beliefs = _Beliefs(question)
    notes: list[str] = []
    pairs: list[Pair] = []
    for a, b in combinations(names, 2):
        shared = _same_truth(tables[a], tables[b])
        if not shared:
            entropies = [float(truth_entropy(tables[name])) for name in (a, b)]
            notes.append(f"{a} and {b}: different data sets: H(T) = {entropies[0]:.3f} against {entropies[1]:.3f} bits")
        for entry in question.metrics:
            if not shared and entry.card.unit in {"bits", "nats"}:
                raise InputError(
                    f"{a!r} and {b!r} were measured on different data sets, so a difference of {entry.name} in "
                    f"{entry.card.unit} means nothing; compare a ratio such as proficiency"
                )
            one, other = beliefs.of(a, tables[a], entry), beliefs.of(b, tables[b], entry)
            result = difference(one, other, 0.0, entry, level=question.level, rope=question.rope)
            p = homogeneity_p_value(tables[a], tables[b])
            checks = {} if p is None else {"homogeneity_p_value": p}
            improvement = factor(one, other, 0.0, question.level) if entry.name in _LOSSES else None
            pairs.append(Pair(a, b, entry.name, False, result, _verdict(result, question), improvement, checks))
    notes.append("unpaired: the systems' rows are not matched, so common hard rows cannot be accounted for")
    samples = {name: float(tables[name].total) for name in names}
    return _document(names, samples, pairs, beliefs, tuple(notes))


def _same_truth(one: Contingency, other: Contingency) -> bool:
    """Whether the truth margins are the same, up to order and classes without samples."""
    left, right = (
        {label: total for label, total in zip(table.truth_labels, table.row_totals.tolist(), strict=True) if total}
        for table in (one, other)
    )
    return left == right


# ── the document ─────────────────────────────────────────────────────────────────────────────────


def _verdict(result: Difference, question: _Question) -> str:
    if result.equivalent is not None and result.equivalent > question.level:
        return "equivalent"
    tail = (1 - question.level) / 2
    if result.probability_a_better > 1 - tail:
        return "better"
    return "worse" if result.probability_a_better < tail else "can't tell"


def _document(
    names: tuple[str, ...],
    samples: Mapping[str, float],
    pairs: Sequence[Pair],
    beliefs: _Beliefs,
    notes: tuple[str, ...],
) -> Comparison:
    question = beliefs.question
    rankings = []
    for entry in question.metrics:
        places = rank(
            names,
            {name: beliefs.latest[(name, entry.name)] for name in names},
            {(pair.a, pair.b): pair.result for pair in pairs if pair.metric == entry.name},
            lower_is_better=entry.card.better == "lower",
            level=question.level,
            rng=np.random.default_rng(question.seed),
        )
        rankings.append(Ranking(entry.name, tuple(places), _statement(places, entry, question.level)))
    return Comparison(names, samples, question.level, tuple(pairs), tuple(rankings), question.baseline, notes)


def _statement(places: Sequence[Place], entry: Metric, level: float) -> str:
    """The ranking in a sentence that does not claim more than all pairs at once allow."""
    first = [place.name for place in places if 0 in place.groups]
    title = entry.card.title.lower()
    error = f"{1 - level:.0%} risk of any false claim over all pairs"
    if len(first) == 1:
        sure = places[0].probability_best
        chance = f"{sure:.1%}" if sure <= 0.999 else ">99.9%"
        return f"{first[0]} is best in {title} (probability {chance}; {error})"
    if len(first) == len(places):
        return f"no system can be told from the others in {title} ({error})"
    listed = ", ".join(first[:-1]) + f" and {first[-1]}"
    return f"{listed} cannot be told apart in {title} and lead the rest ({error})"
