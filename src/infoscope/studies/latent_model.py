"""The model of a latent truth: class frequencies, and each system's predictions given the class, independent of others.

Dawid and Skene (1979), over counted patterns, so that the cost goes with distinct rows and not with items. ``arrange``
turns columns into channels, ``fit_model`` finds the most probable parameters, ``draw_chains`` draws from the posterior,
and ``estimate_posterior`` does all of it for ``latent.py``. A missing prediction contributes nothing. A *channel* is a
system, or systems that are taken as one; its predictions need not be the classes: a rejection is one more prediction,
and systems taken as one predict combinations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real, as_real
from infoscope.errors import InputError, UnknownNameError, list_names, suggest_name
from infoscope.metrics import accuracy, proficiency
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, sorted_labels
from infoscope.tables.rows import Rows

SMALLEST = 1e-300
FEW_PRODUCTS = 1 << 15
"""Up to so many products of numbers a sparse matrix takes longer to ask than a dense one to multiply."""
MAX_CLASSES = 10_000
MAX_PROBABILITIES = 500_000
"""Cells of the class × prediction tables of all systems: a hundred draws of them are half a gigabyte."""
MAX_BELIEFS = 60_000_000
"""Patterns × classes: probabilities that are kept at once."""
LARGE_WORK = 2_000_000
"""Patterns × classes × columns above which the draws use a random part of the items."""
LARGEST_SWEEP = 50_000_000
"""The same for each of the draws, which are made of fewer items above it."""
THINNED_ITEMS = 200_000
FEWEST_ITEMS_PER_CLASS = 20
WORK_OF_ROUNDS = 5e8
"""Patterns × classes × columns × rounds: some ten seconds."""
WORK_OF_DRAWS = 5e7
STORED_DRAWS = 6e7
"""Cells of all draws together: half a gigabyte."""
FEW_PATTERNS = 10_000
"""Below this many a round is cheap, and slow convergence is waited for."""
MORE_SWEEPS = 4
"""Factor of further sweeps where the chains do not agree yet."""
MOST_SWEEPS = 12_000
"""Sweeps after which chains that disagree are given up: what three thousand draws get after one more try."""
SETTLED = 1.05
"""Split R̂ up to which chains are said to agree."""
RIGHT, WRONG = 1.5, 0.5
"""Prior of right and wrong predictions (see ``draw_chains``)."""
SPARSENESS = np.exp2(np.arange(-7, 2.1, 0.25))
"""Pseudo-counts of each wrong prediction that are considered."""

Blocks = Sequence[str] | Sequence[Sequence[str]] | Mapping[str, Sequence[str]]


class NoLatentTruthError(InputError):
    """The systems do not determine a truth, or it is too large to be estimated; pairs of systems can still be shown."""

    def __init__(self, reason: str) -> None:
        """Add the way to the pairs to ``reason``, a sentence without its full stop."""
        super().__init__(f"{reason}; infoscope.agreement shows what the systems tell about each other")
        self.reason = reason


@dataclass(frozen=True)
class Channel:
    """One or several columns of predictions that err together, or one system that predicted several times."""

    name: str
    size: int
    """Number of possible predictions."""
    named: bool = True
    """True if the first predictions are the classes, in their order."""
    members: tuple[str, ...] = ()
    """Systems taken as one; empty for a single system."""
    combinations: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)
    """Members × predictions: what each member predicts in each combination that occurs."""


@dataclass(frozen=True, eq=False)
class Observations:
    """Patterns of predictions as one sparse matrix: patterns × all predictions of all columns."""

    classes: tuple[Label, ...]
    channels: tuple[Channel, ...]
    owner: tuple[int, ...]
    """The channel of each column; one that predicted several times owns several columns."""
    codes: NDArray[np.int64]
    """Columns × patterns, −1 where the prediction is missing."""
    counts: Real
    known: NDArray[np.int64]
    """The class of each pattern where it is labelled, −1 elsewhere."""

    @property
    def size(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def probabilities(self) -> int:
        """Number of probabilities of predictions given the class."""
        return self.size * sum(channel.size for channel in self.channels)

    @property
    def work(self) -> float:
        """Patterns × classes × columns: the cost of one round."""
        return float(self.codes.shape[1]) * self.size * len(self.owner)

    def is_large(self, draws: int = 0) -> bool:
        """Return True if this many draws would take long, or much memory."""
        return self.work > LARGE_WORK or draws * self.probabilities > 2 * STORED_DRAWS

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Positions at which the predictions of each channel begin among all."""
        return np.concatenate([[0], np.cumsum([channel.size for channel in self.channels])])

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The channel of each prediction among all."""
        return np.repeat(np.arange(len(self.channels)), np.diff(self.offsets))

    @cached_property
    def design(self) -> csr_array | Real:
        """Counts of each prediction of each channel by pattern; dense where that is the faster product."""
        there = self.codes.T >= 0
        places = self.codes.T + self.offsets[np.array(self.owner)]
        starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        shape = (self.codes.shape[1], int(self.offsets[-1]))
        design = csr_array((np.ones(int(starts[-1])), places[there], starts), shape=shape)
        design.sum_duplicates()
        return as_real(design.toarray()) if self.size * shape[0] * shape[1] <= FEW_PRODUCTS else design

    @cached_property
    def transposed(self) -> csr_array | Real:
        """The same by prediction."""
        return self.design.T if isinstance(self.design, np.ndarray) else csr_array(self.design.T.tocsr())

    @cached_property
    def labelled(self) -> NDArray[np.int64]:
        """Patterns whose class is known."""
        return np.flatnonzero(self.known >= 0)

    def split(self, stacked: Real) -> list[Real]:
        """Split classes × all predictions into the class × prediction tables of the channels."""
        return [stacked[..., start:end] for start, end in pairwise(self.offsets.tolist())]

    def count_predictions(self, belief: Real) -> Real:
        """Return expected counts of class × all predictions, from beliefs (patterns × classes) times their counts."""
        return as_real((self.transposed @ belief).T)

    def put_labels(self, belief: Real) -> Real:
        """Put known classes into beliefs, in place."""
        if len(self.labelled):
            belief[self.labelled] = 0.0
            belief[self.labelled, self.known[self.labelled]] = 1.0
        return belief

    def count_votes(self) -> Real:
        """Return the shares of votes for each class; channels whose predictions are not the classes do not vote."""
        votes = np.full((self.codes.shape[1], self.size), 1e-3)
        for codes, owner in zip(self.codes, self.owner, strict=True):
            if self.channels[owner].named:
                there = np.flatnonzero((codes >= 0) & (codes < self.size))
                votes[there, codes[there]] += 1.0
        return self.put_labels(votes / votes.sum(axis=1, keepdims=True))

    def find_present(self) -> NDArray[np.bool_]:
        """Return channels × patterns: where a channel has a prediction."""
        present = np.zeros((len(self.channels), self.codes.shape[1]), bool)
        for codes, owner in zip(self.codes, self.owner, strict=True):
            present[owner] |= codes >= 0
        return present

    def where(self, keep: NDArray[np.int64], counts: Real) -> Observations:
        """Return some of the patterns, with other counts."""
        return Observations(self.classes, self.channels, self.owner, self.codes[:, keep], counts, self.known[keep])


@dataclass(frozen=True, eq=False)
class Parameters:
    """Class frequencies, and each channel's predictions given the class."""

    frequencies: Real
    predictions: list[Real] = field(repr=False)

    def infer_classes(self, data: Observations) -> tuple[Real, float]:
        """Return class probabilities of each pattern, and the log likelihood of all."""
        stacked = np.log(np.maximum(np.concatenate(self.predictions, axis=1), SMALLEST))
        logs = as_real(data.design @ stacked.T) + np.log(np.maximum(self.frequencies, SMALLEST))
        highest = logs.max(axis=1, keepdims=True)
        belief = np.exp(logs - highest)
        sums = belief.sum(axis=1, keepdims=True)
        belief /= sums
        score = (np.log(sums) + highest)[:, 0]
        if len(data.labelled):
            score[data.labelled] = logs[data.labelled, data.known[data.labelled]]
        return data.put_labels(belief), float(score @ data.counts)


# From columns to channels ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The predictions as the model has them, and where each system is found in them."""

    data: Observations
    patterns: Rows
    """Columns of the systems, then that of the labels where there is one."""
    systems: tuple[str, ...]
    labels: Mapping[str, tuple[Label, ...]]
    """Possible predictions of each system: the classes first."""
    place: Mapping[str, tuple[int, int]]
    """The channel of each system, and its position among the systems taken as one (−1: alone)."""
    columns: Mapping[str, tuple[str, ...]]
    """The columns of each system: several where it predicted several times."""
    lost: int = 0
    """Items on which only some of the systems taken as one predicted: their predictions are not used."""

    def select_system(self, name: str, tables: Sequence[Real]) -> Real:
        """Return the class × prediction table of one system, from those of the channels; leading axes are kept."""
        channel, member = self.place[name]
        table = tables[channel]
        if member < 0:
            return table
        combinations = self.data.channels[channel].combinations
        assert combinations is not None
        order = np.argsort(combinations[member], kind="stable")
        predictions, starts = np.unique(combinations[member][order], return_index=True)
        selected = np.zeros((*table.shape[:-1], len(self.labels[name])))
        selected[..., predictions] = np.add.reduceat(table[..., order], starts, axis=-1)
        return as_real(selected)


def arrange(
    patterns: Rows,
    truth: str | None = None,
    *,
    together: Blocks = (),
    same: Blocks = (),
    classes: Sequence[Label] | None = None,
) -> Arrangement:
    """Arrange patterns of the systems (and of labels, in the column ``truth``) as observations of the model.

    Parameters
    ----------
    patterns
        Distinct rows of the columns.
    truth
        Column with labels of some items.
    together
        Systems that are taken as one.
    same
        Columns that are repeated predictions of one system.
    classes
        The classes, where they are stated.
    """
    columns = tuple(name for name in patterns.names if name != truth)
    blocks, repeats = _list_blocks(together, "together"), _list_blocks(same, "same")
    seen: Counter[str] = Counter()
    for option, named in (("together", blocks), ("same", repeats)):
        for name in (name for block in named.values() for name in block):
            if name not in columns:
                raise UnknownNameError(f"{option} names {name!r}; {suggest_name(name, columns, 'the systems are')}")
            seen[name] += 1
    twice = [name for name, times in seen.items() if times > 1]
    if twice:
        raise InputError(f"{twice[0]!r} is named twice in together or same; name it once")

    system_of = {column: column for column in columns}
    system_of |= {column: name for name, block in repeats.items() for column in block}
    used: dict[str, set[Label]] = {}
    for column in columns:
        used.setdefault(system_of[column], set()).update(patterns.labels[patterns.place(column)])
    truth_labels = () if truth is None else patterns.labels[patterns.place(truth)]
    classes = _choose_classes(used, truth_labels, classes, truth)
    labels = {name: (*classes, *sorted_labels(own - set(classes))) for name, own in used.items()}
    coded = patterns.on(
        {column: labels[system_of[column]] for column in columns} | ({} if truth is None else {truth: classes})
    )

    # systems taken as one first, then systems by themselves
    codes = dict(zip(coded.names, coded.codes.astype(np.int64), strict=True))
    known = np.full(len(coded), -1, np.int64) if truth is None else codes[truth]
    channels: list[Channel] = []
    owner: list[int] = []
    rows: list[NDArray[np.int64]] = []
    place: dict[str, tuple[int, int]] = {}
    lost = np.zeros(len(coded), bool)
    for name, block in blocks.items():
        # combinations that never occur have no code: six systems of ten classes have a million of them, and a prior on
        # each would drown the data
        members = np.stack([codes[member] for member in block])
        complete = np.all(members >= 0, axis=0)
        joined = np.full(members.shape[1], -1, np.int64)
        combinations, places = np.unique(members[:, complete], axis=1, return_inverse=True)
        joined[complete] = places.reshape(-1)  # NumPy 2.0 gives them as a row of a matrix
        rows.append(joined)
        lost |= (joined < 0) & np.any(members >= 0, axis=0)
        place |= {member: (len(channels), position) for position, member in enumerate(block)}
        owner.append(len(channels))
        channels.append(Channel(name, combinations.shape[1], named=False, members=block, combinations=combinations))
    for column in columns:
        if column in place and place[column][1] >= 0:
            continue
        name = system_of[column]
        if name not in place:
            place[name] = (len(channels), -1)
            channels.append(Channel(name, len(labels[name])))
        owner.append(place[name][0])
        rows.append(codes[column])
    counts = as_real(coded.counts)
    data = Observations(classes, tuple(channels), tuple(owner), np.array(rows), counts, known)
    systems = tuple(dict.fromkeys(system_of.values()))
    of_system = {name: tuple(column for column in columns if system_of[column] == name) for name in systems}
    return Arrangement(data, coded, systems, labels, place, of_system, int(counts[lost].sum()))


def _list_blocks(given: Blocks, option: str) -> dict[str, tuple[str, ...]]:
    """Return blocks of names, given as a mapping, a sequence of sequences, or one sequence of names."""
    if isinstance(given, str):
        raise InputError(f"{option} is {given!r}; name at least two columns")
    if isinstance(given, Mapping):
        blocks = {str(name): tuple(block) for name, block in given.items()}
    else:
        listed = list(given)
        is_one_block = bool(listed) and all(isinstance(part, str) for part in listed)
        tuples = [tuple(map(str, part)) for part in ([listed] if is_one_block else listed)]
        blocks = {(block[0] if option == "same" else "+".join(block)): block for block in tuples if block}
    for block in blocks.values():
        if len(set(block)) < 2:
            raise InputError(f"{option} names {list_names(block)}; name at least two columns")
    return blocks


def _choose_classes(
    by_system: Mapping[str, Iterable[Label]],
    truth_labels: Sequence[Label],
    stated: Sequence[Label] | None,
    truth: str | None,
) -> tuple[Label, ...]:
    """Return the classes: as stated, or every label that two systems use or that the labels have."""
    used = Counter(label for labels in by_system.values() for label in set(labels))
    if stated is not None:
        classes = tuple(stated)
        if len(set(classes)) < max(len(classes), 2):
            raise InputError(f"classes names {len(set(classes))} different labels; name at least two, each once")
    else:
        strange = [label for label in truth_labels if label not in used]
        if strange:

            def shorten(labels: Iterable[Label], most: int = 8) -> str:
                shown = list(labels)
                more = f", … {len(shown) - most} more" if len(shown) > most else ""
                return ", ".join(map(repr, shown[:most])) + more

            raise InputError(
                f"column {truth!r} has the labels {shorten(truth_labels)} and the systems use "
                f"{shorten(sorted_labels(used))}: no system uses {shorten(strange)}; rename the labels, or state all "
                "classes with classes="
            )
        classes = sorted_labels({label for label, systems in used.items() if systems > 1} | set(truth_labels))
    if len(classes) < 2:
        raise InputError(
            f"{pluralize(len(classes), 'label')} used by two systems or more: a latent truth needs at least "
            "two classes that systems have in common; check the labels, or state classes="
        )
    if len(classes) > MAX_CLASSES:
        raise NoLatentTruthError(
            f"{len(classes):,} classes are too many for a latent truth, which has more parameters than counts then "
            f"(at most {MAX_CLASSES:,}); merge classes"
        )
    return classes


def check_size(data: Observations) -> None:
    """Reject observations that would take hours, or more memory than there is."""
    cells, beliefs = data.probabilities, data.codes.shape[1] * data.size
    systems = f"{len(data.channels)} systems with {data.size:,} classes"
    if cells > MAX_PROBABILITIES:
        raise NoLatentTruthError(
            f"{systems} have {cells:,} probabilities to estimate, and a latent truth takes {MAX_PROBABILITIES:,} at "
            "most; merge classes"
        )
    if beliefs > MAX_BELIEFS:
        raise NoLatentTruthError(
            f"{systems} and {data.codes.shape[1]:,} different rows of predictions are too many for a latent truth "
            f"(rows × classes: at most {MAX_BELIEFS:,}); give a random part of the items, or merge classes"
        )


# The most probable parameters -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Fit:
    """The end point of the rounds of expectation and maximisation."""

    parameters: Parameters
    log_likelihood: float
    rounds: int


def fit_model(
    data: Observations,
    prior: list[Real] | None,
    frequency_prior: float,
    start: Real | None = None,
    tolerance: float = 1e-10,
) -> Fit:
    """Expect and maximise in turn, from the fractions of votes or stated beliefs, until the likelihood stands still.

    Without a prior the likelihood itself is maximised, as in the paper.
    """
    belief = data.count_votes() if start is None else start
    parameters = maximize(data, belief, prior, frequency_prior)
    before = -np.inf
    most = int(np.clip(WORK_OF_ROUNDS / max(data.work, 1.0), 10, 5_000 if data.codes.shape[1] < FEW_PATTERNS else 500))
    for done in range(1, most + 1):
        belief, score = parameters.infer_classes(data)
        if abs(score - before) <= tolerance * max(1.0, abs(score)):
            return Fit(parameters, score, done)
        before = score
        parameters = maximize(data, belief, prior, frequency_prior)
    return Fit(parameters, before, most)


def maximize(data: Observations, belief: Real, prior: list[Real] | None, frequency_prior: float) -> Parameters:
    """Return the parameters that go best with these beliefs about the patterns' classes."""
    weighted = belief * data.counts[:, None]
    sums = weighted.sum(axis=0) + frequency_prior
    tables = data.split(data.count_predictions(weighted))
    if prior is not None:
        tables = [table + more for table, more in zip(tables, prior, strict=True)]
    predictions = [table / np.maximum(table.sum(axis=1, keepdims=True), SMALLEST) for table in tables]
    return Parameters(sums / sums.sum(), predictions)


def make_weak_prior(data: Observations) -> list[Real]:
    """Return one pseudo-count per class and channel, half of it on the class's own name, to keep names in place."""
    priors = []
    for channel in data.channels:
        prior = np.full((data.size, channel.size), (0.5 if channel.named else 1.0) / channel.size)
        if channel.named:
            prior[np.arange(data.size), np.arange(data.size)] += 0.5
        priors.append(prior)
    return priors


# Draws from the posterior ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LatentDraws:
    """Draws of all parameters, chain after chain."""

    chains: int
    frequencies: Real
    """Draws × classes."""
    predictions: list[Real]
    """For each channel, draws × classes × predictions."""
    counts: list[Real]
    """For each channel, expected counts of class × prediction: the mean over the draws."""

    def __len__(self) -> int:
        """Return the number of draws."""
        return len(self.frequencies)

    def thin(self, size: int) -> LatentDraws:
        """Keep about ``size`` draws, evenly spaced; neighbours tell the same where a chain moves slowly."""
        step = max(len(self) // size, 1)
        kept = np.arange(len(self)).reshape(self.chains, -1)[:, step - 1 :: step].ravel()
        predictions = [tables[kept] for tables in self.predictions]
        return LatentDraws(self.chains, self.frequencies[kept], predictions, self.counts)


def draw_chains(
    data: Observations,
    starts: Sequence[Parameters],
    burn: int,
    keep: int,
    seed: int,
    prior: list[Real] | None = None,
    *,
    frequency_prior: float | None = None,
) -> LatentDraws:
    """Draw one chain from each start by Gibbs sampling: items are split over the classes, then parameters are drawn.

    The prior decides the coverage. With a fixed number of pseudo-counts for each wrong prediction, systems look too
    good (a small number) or too bad (a large one) as classes grow. So the prior has two steps: right or wrong,
    Beta(1.5, 0.5); then which wrong prediction, Dirichlet(s), with s drawn from its evidence in the wrong predictions
    of all systems (docs/contributors/decisions.md).

    Parameters
    ----------
    data
        The observations.
    starts
        Where the chains start.
    burn, keep
        Sweeps of each chain that are dropped, and that are kept after those.
    seed
        Seed of all chains.
    prior
        Stated pseudo-counts of each channel instead of the learned prior.
    frequency_prior
        Pseudo-counts of each class; one over all classes by default.
    """
    each_class = 1.0 / data.size if frequency_prior is None else frequency_prior
    streams = np.random.default_rng(seed).spawn(len(starts))
    kept: list[Parameters] = []
    sums = np.zeros((data.size, int(data.offsets[-1])))
    for start, rng in zip(starts, streams, strict=True):
        for state, predicted in islice(_sweep(data, start, rng, prior, each_class), burn, burn + keep):
            kept.append(state)
            sums += predicted
    frequencies = np.array([state.frequencies for state in kept])
    predictions = [np.array([state.predictions[channel] for state in kept]) for channel in range(len(data.channels))]
    return LatentDraws(len(starts), frequencies, predictions, data.split(sums / len(kept)))


def _sweep(
    data: Observations,
    state: Parameters,
    rng: np.random.Generator,
    prior: list[Real] | None,
    frequency_prior: float,
) -> Iterator[tuple[Parameters, Real]]:
    """Yield the states of a chain, with the counts of class × all predictions that each was drawn from."""
    prediction_gammas = _PredictionGammas(data)
    counts = np.round(data.counts).astype(np.int64)
    alone, several = np.flatnonzero(counts == 1), np.flatnonzero(counts != 1)
    sparseness, turn = 0.5, 0
    while True:
        belief, _ = state.infer_classes(data)
        split = np.zeros_like(belief)
        # patterns that occur once: the class by a look at the cumulated probabilities
        steps = np.cumsum(belief[alone], axis=1)
        chosen = (rng.random(len(steps))[:, None] * steps[:, -1:] > steps[:, :-1]).sum(axis=1)
        split[alone, chosen] = 1.0
        often = belief[several]
        split[several] = rng.multinomial(counts[several], often / often.sum(axis=1, keepdims=True))
        frequencies = _draw_dirichlet(rng, split.sum(axis=0) + frequency_prior)
        predicted = data.count_predictions(split)
        tables = data.split(predicted)
        if prior is not None:
            predictions = [_draw_dirichlet(rng, table + more) for table, more in zip(tables, prior, strict=True)]
        else:
            if turn % 3 == 0:
                sparseness = draw_sparseness(rng, tables, data.channels)
            predictions = data.split(prediction_gammas.draw(rng, predicted, sparseness))
        state = Parameters(frequencies, predictions)
        turn += 1
        yield state, predicted


def _draw_dirichlet(rng: np.random.Generator, alpha: Real) -> Real:
    """Draw along the last axis."""
    drawn = np.maximum(rng.standard_gamma(np.maximum(alpha, 1e-12)), SMALLEST)
    return drawn / drawn.sum(axis=-1, keepdims=True)


@cache
def _find_wrong(classes: int, predictions: int) -> NDArray[np.int64]:
    """Return where the wrong predictions of each class lie in a table that is read row by row."""
    return np.flatnonzero(~np.eye(classes, predictions, dtype=bool)).reshape(classes, -1)


def _select_wrong(table: NDArray[Any], channel: Channel) -> NDArray[Any]:
    """Return the wrong predictions, class by class; all of a channel whose predictions are not the classes."""
    return table.ravel()[_find_wrong(*table.shape)] if channel.named else table


def draw_sparseness(rng: np.random.Generator, tables: list[Real], channels: tuple[Channel, ...]) -> float:
    """Draw the pseudo-counts of each wrong prediction by their evidence (Dirichlet-multinomial)."""

    def sum_log_gammas(counts: Real, pseudo_counts: Real) -> Real:
        """Return Σ log Γ(count + x) − log Γ(x) for each number x; counts that occur often are looked at once."""
        values, times = np.unique(counts, return_counts=True)
        return as_real((gammaln(values + pseudo_counts[:, None]) - gammaln(pseudo_counts)[:, None]) @ times)

    wrong = [_select_wrong(table, channel) for table, channel in zip(tables, channels, strict=True)]
    evidence = sum_log_gammas(np.concatenate([part[part > 0] for part in wrong]), SPARSENESS)
    for width in {part.shape[1] for part in wrong}:
        sums = np.concatenate([part.sum(axis=1) for part in wrong if part.shape[1] == width])
        evidence -= sum_log_gammas(sums, SPARSENESS * width)
    chance = np.exp(evidence - evidence.max())
    return float(rng.choice(SPARSENESS, p=chance / chance.sum()))


class _PredictionGammas:
    """Gamma variables behind the predictions given the class: right or wrong first, then which wrong one.

    All channels are drawn in one call, one after the other: the wrong predictions, then two variables for each class,
    of which the first is this share of both: Beta(hits + 1.5, wrong + 0.5).
    """

    def __init__(self, data: Observations) -> None:
        size, width = data.size, int(data.offsets[-1])
        self.data = data
        self.named = np.flatnonzero([channel.named for channel in data.channels])
        classes = np.arange(size)[:, None]
        # where the right predictions lie, (classes, named channels), in counts that are read row by row
        self.own = classes * width + data.offsets[self.named] + classes
        # places in the order of drawing: among all predictions, then the hits, then the misses
        places = np.split(np.arange(size * width).reshape(size, width), data.offsets[1:-1], axis=1)
        both = iter(size * width + np.arange(2 * self.own.size).reshape(2, size, -1).transpose(2, 1, 0))
        order = []
        for channel, part in zip(data.channels, places, strict=True):
            order += [_select_wrong(part, channel).ravel(), *([next(both).ravel()] if channel.named else [])]
        self.order = np.concatenate(order)

    def draw(self, rng: np.random.Generator, counts: Real, sparseness: float) -> Real:
        """Draw predictions of all channels given the class, with this many pseudo-counts of each wrong one."""
        starts = self.data.offsets[:-1]
        hits = counts.ravel()[self.own]
        wrong = np.maximum(np.add.reduceat(counts, starts, axis=1)[:, self.named] - hits, 0.0)
        shapes = np.concatenate([counts.ravel() + sparseness, hits.ravel() + RIGHT, wrong.ravel() + WRONG])
        drawn = np.zeros(shapes.size)
        drawn[self.order] = np.maximum(rng.standard_gamma(shapes[self.order]), SMALLEST)
        out, (hit, missed) = drawn[: counts.size].reshape(counts.shape), drawn[counts.size :].reshape(2, *hits.shape)
        right = hit / (hit + missed)
        left = 1.0 / np.maximum(np.add.reduceat(out, starts, axis=1), SMALLEST)
        left[:, self.named] *= 1 - right
        out *= left[:, self.data.owners]
        out.ravel()[self.own] = right
        return np.maximum(out, SMALLEST)


def compute_split_r_hat(chains: Real) -> float:
    """Return split R̂ of chains × draws: how much wider all half chains are together than each by itself (1: alike).

    >>> rng = np.random.default_rng(0)
    >>> round(compute_split_r_hat(rng.normal(size=(2, 1000))), 2)
    1.0
    """
    half = chains.shape[1] // 2
    if half < 2:
        return float("nan")
    halves = np.concatenate([chains[:, :half], chains[:, -half:]])
    within = float(halves.var(axis=1, ddof=1).mean())
    between = half * float(halves.mean(axis=1).var(ddof=1))
    if within <= 0:
        return 1.0 if between <= 0 else float("inf")
    return float(np.sqrt(((half - 1) / half * within + between / half) / within))


# All of it ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LatentPosterior:
    """The posterior of the parameters and of the class of each pattern."""

    arrangement: Arrangement
    fit: Fit
    draws: LatentDraws
    belief: Real
    """Class probabilities of each pattern at the mean of the draws."""
    used_items: float
    """Items that the draws rest on: fewer than all where a random part was enough."""
    r_hat: float

    @property
    def settled(self) -> bool:
        """True if the chains agree."""
        return bool(self.r_hat <= SETTLED)


def estimate_posterior(arrangement: Arrangement, prior: str | float, draws: int | None, seed: int) -> LatentPosterior:
    """Find the most probable parameters, then draw two chains from there and from elsewhere.

    Chains that disagree are drawn anew with more sweeps, as long as that is feasible.
    """
    data = arrangement.data
    stated: list[Real] | None = None
    if isinstance(prior, str):
        if prior != "learned":
            raise InputError(f"prior is {prior!r}; give 'learned', or a number of pseudo-counts for each prediction")
    elif isinstance(prior, bool) or not 0 < prior < np.inf:
        raise InputError(f"prior is {prior}; a number of pseudo-counts for each prediction must be above 0")
    else:
        stated = [np.full((data.size, channel.size), float(prior)) for channel in data.channels]

    fit_prior = make_weak_prior(data) if stated is None else stated
    fit = fit_model(data, fit_prior, 1.0 / data.size)
    if len(data.labelled):
        # votes may name the classes wrongly, and rounds do not find back from there: also start from the labels alone
        labelled = data.where(data.labelled, data.counts[data.labelled])
        by_labels = maximize(labelled, labelled.count_votes(), make_weak_prior(labelled), 1.0 / data.size)
        other = fit_model(data, fit_prior, 1.0 / data.size, by_labels.infer_classes(data)[0])
        fit = max(fit, other, key=lambda candidate: candidate.log_likelihood)

    rng = np.random.default_rng(seed)
    sample = _sample_items(arrangement, rng)
    if draws is None:
        # many where they are cheap, for few systems mix slowly; fewer where they need much memory
        keep = int(np.clip(WORK_OF_DRAWS / max(sample.work, 1.0), 300, 3000))
        keep = max(min(keep, int(STORED_DRAWS / sample.probabilities)), 60)
    else:
        keep = max(draws, 20)
    noise = rng.dirichlet(np.ones(data.size), sample.codes.shape[1])
    near = fit.parameters.infer_classes(sample)[0] if len(sample.labelled) else sample.count_votes()
    mixed = sample.put_labels(0.5 * near + 0.5 * noise)
    starts = [fit.parameters, maximize(sample, mixed, make_weak_prior(sample), 1.0 / data.size)]
    effort = 1
    while True:
        burn = max(keep * effort // 6, min(50, keep // 2))
        chains = draw_chains(sample, starts, burn, max(keep * effort // 2, 10), seed, stated)
        r_hat = compute_largest_r_hat(arrangement, chains)
        effort *= MORE_SWEEPS
        if r_hat <= SETTLED or keep * effort > MOST_SWEEPS or sample.is_large(keep * effort):
            break
    if draws is not None:
        chains = chains.thin(draws)
    used = float(sample.counts.sum())
    chains = replace(chains, counts=[table * (float(data.counts.sum()) / used) for table in chains.counts])
    mean = Parameters(chains.frequencies.mean(axis=0), [table.mean(axis=0) for table in chains.predictions])
    belief, _ = mean.infer_classes(data)
    return LatentPosterior(arrangement, fit, chains, belief, used, r_hat)


def _sample_items(arrangement: Arrangement, rng: np.random.Generator) -> Observations:
    """Return whole counts of as many items as tell as much: weights scaled down, very many items thinned."""
    data, patterns = arrangement.data, arrangement.patterns
    counts = data.counts
    # items that a sweep can go through in a moment, but some of each class
    most = min(int(LARGEST_SWEEP / (data.size * len(data.owner))), THINNED_ITEMS)
    most = max(most, FEWEST_ITEMS_PER_CLASS * data.size)
    if patterns.is_weighted:
        scaled = counts * (patterns.sample_size / patterns.total)
        counts = np.floor(scaled) + (rng.random(len(scaled)) < scaled - np.floor(scaled))
    elif data.is_large() and counts.sum() > most:
        counts = as_real(rng.multivariate_hypergeometric(counts.astype(np.int64), most, method="marginals"))
    keep = np.flatnonzero(counts > 0)
    return data if len(keep) == len(counts) and not patterns.is_weighted else data.where(keep, as_real(counts[keep]))


def compute_largest_r_hat(arrangement: Arrangement, draws: LatentDraws) -> float:
    """Return the largest split R̂ of any system's proficiency or accuracy."""
    largest = [1.0]
    for name in arrangement.systems:
        table = draws.frequencies[:, :, None] * arrangement.select_system(name, draws.predictions)
        batch = Contingency.from_matrix(table, truth=arrangement.data.classes, system=arrangement.labels[name])
        for measure in (proficiency, accuracy):
            values = np.asarray(measure(batch))
            if np.isfinite(values).all():
                largest.append(compute_split_r_hat(values.reshape(draws.chains, -1)))
    return max(largest)
