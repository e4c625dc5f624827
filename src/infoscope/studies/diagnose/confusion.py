"""Rules about which classes are mixed up: renamed outputs and twins."""

from __future__ import annotations

import numpy as np

from infoscope.metrics import random_accuracy
from infoscope.posterior import Posterior
from infoscope.results.finding import Finding
from infoscope.studies.diagnose.confused_pairs import merge_losses
from infoscope.studies.diagnose.label_assignment import Renaming, best_renaming, evident_renaming
from infoscope.studies.diagnose.phrases import percent, points, quoted
from infoscope.studies.diagnose.statistics import TableStatistics
from infoscope.studies.diagnose.thresholds import THRESHOLDS
from infoscope.tables import Contingency
from infoscope.tables.labels import truth_value

__all__ = ["merged_pair", "named_clusters", "only_errors", "relabelled"]


def only_errors(facts: TableStatistics) -> Finding | None:
    """No prediction is right although chance alone would make some so: a file from which the right ones were taken."""
    if facts.accuracy != 0 or not facts.n or facts.occupied[0] < 3 or facts.truth_bits == 0:
        return None
    expected = float(random_accuracy(facts.table))
    renaming = best_renaming(facts.table)
    if (1 - expected) ** facts.n > THRESHOLDS.only_errors_chance:
        return None
    if renaming is not None and renaming.accuracy >= THRESHOLDS.only_errors_renamed:
        return None  # other names explain it
    hits = expected * facts.n
    return Finding(
        "only_errors",
        f"No prediction is right, where chance alone would make about {hits:,.0f} of {facts.n:,.0f} right: this looks "
        "like a list of errors, from which the right predictions were left out. Nothing can be estimated from it; "
        "evaluate the whole file.",
        evidence={"samples": facts.n, "expected": hits},
    )


_LIKE_ERRORS = " A list of errors alone looks the same."


def relabelled(facts: TableStatistics) -> Finding | None:
    """Another naming of the outputs is right clearly more often, beyond what fitting names to a sample explains."""
    if facts.accuracy is None:
        return _renamed_booleans(facts)
    renaming = evident_renaming(facts.table, facts.n)
    if renaming is None or not renaming.names:
        return None
    return Finding(
        "relabelled",
        f"The outputs look renamed: reading {_readings(renaming)} would lift accuracy in this sample from "
        f"{percent(facts.accuracy)} to {percent(renaming.accuracy)}; the information captured is the same either way."
        f"{_LIKE_ERRORS * (facts.accuracy == 0)}",
        evidence={
            "names": {str(said): str(meant) for said, meant in renaming.names.items()},
            "accuracy": facts.accuracy,
            "accuracy_renamed": renaming.accuracy,
        },
    ).with_names(_readings(renaming), _readings(renaming, len(renaming.names)))


def _renamed_booleans(facts: TableStatistics) -> Finding | None:
    """Yes and no under other names than in the truth, as 1 and 0."""
    labels = [*facts.table.truth_labels, *(label for label in facts.table.system_labels if label != facts.table.reject)]
    if facts.table.shape[0] != 2 or len(labels) != 4 or None in map(truth_value, labels) or facts.could_be_chance:
        return None
    renaming = best_renaming(facts.table)
    if renaming is None or not renaming.names:
        return None
    return Finding(
        "relabelled",
        f"The outputs look renamed: truth and predictions name yes and no differently; reading {_readings(renaming)}, "
        f"accuracy in this sample is {percent(renaming.accuracy)}.",
        evidence={
            "names": {str(said): str(meant) for said, meant in renaming.names.items()},
            "accuracy": None,
            "accuracy_renamed": renaming.accuracy,
        },
    )


def named_clusters(facts: TableStatistics) -> Finding | None:
    """Outputs with names of their own: which class each stands for, and how well."""
    if facts.accuracy is not None or facts.truth_bits == 0:
        return None
    renaming = best_renaming(facts.table)
    if renaming is None or not renaming.names:
        return None
    return Finding(
        "named_clusters",
        f"Truth and output share no label; read one to one as {_readings(renaming)}, accuracy in this sample would be "
        f"{percent(renaming.accuracy)}.",
        evidence={
            "names": {str(said): str(meant) for said, meant in renaming.names.items()},
            "accuracy_renamed": renaming.accuracy,
        },
    ).with_names(_readings(renaming), _readings(renaming, len(renaming.names)))


def _readings(renaming: Renaming, most: int = 4) -> str:
    stated = [said for said in renaming.names if said in renaming.telling] or list(renaming.names)
    shown = [f"{quoted(said)} as {quoted(renaming.names[said])}" for said in stated[:most]]
    if len(stated) > most:
        shown.append(f"{len(stated) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def merged_pair(facts: TableStatistics) -> Finding | None:
    """Two classes that the system hardly tells apart: of those, the pair whose merging loses least."""
    if facts.occupied[0] < 3 or len(facts.table.matches[0]) < 3 or facts.truth_bits == 0:
        return None
    pairs = merge_losses(facts.table)
    stated = pairs.known <= THRESHOLDS.pair_proficiency * pairs.to_know
    twins = np.flatnonzero(stated & (pairs.to_know >= THRESHOLDS.pair_weight * facts.truth_bits))
    if not len(twins):
        return None
    at = twins[np.lexsort((-pairs.to_know[twins], pairs.lost[twins]))[0]]
    if facts.belief is not None and not _surely_alike(facts.table, int(pairs.first[at]), int(pairs.second[at])):
        return None
    one, other = (pairs.labels[side[at]] for side in (pairs.first, pairs.second))
    lost, told_apart = float(pairs.lost[at]), float(pairs.known[at] / pairs.to_know[at])
    return Finding(
        "merged_pair",
        f"It hardly tells {quoted(one)} from {quoted(other)} (in this sample it captures {percent(told_apart)} of that "
        f"difference): merging the two would lose {_little(lost / facts.truth_bits)} of captured information.",
        evidence={
            "classes": [str(one), str(other)],
            "lost_bits": lost,
            "difference_bits": float(pairs.to_know[at]),
            "known_bits": float(pairs.known[at]),
        },
    )


def _surely_alike(table: Contingency, first: int, second: int) -> bool:
    """Whether the two classes are hardly distinguished with high posterior probability."""
    at = table.matches[0][[first, second]]
    rows = table.counts[at]
    counts = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)
    used = np.flatnonzero(counts.sum(axis=0))
    if table.sample_size is None:
        return False
    size = float(counts.sum()) * table.sample_size / float(table.total)
    alone = Posterior(Contingency.from_matrix(counts[:, used]), "perks", sample_size=size)
    return bool(alone.interval("proficiency")[1] <= THRESHOLDS.pair_limit)


def _little(share: float) -> str:
    return "nothing" if share < 1e-12 else "less than 0.1 points" if share < 0.001 else points(share)
