"""Why it is not sure what columns hold, and what would settle it: on the command line, and on a page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from infoscope.errors import Advised
from infoscope.readers.roles.column_contents import ColumnContents, are_only_errors, association
from infoscope.readers.roles.column_evidence import ColumnEvidence, TruthCandidate, is_alternative

__all__ = ["predictions_question", "truth_question"]

MIN_ASSOCIATION = 0.2


def predictions_question(evidence: ColumnEvidence, best: TruthCandidate, twin: TruthCandidate | None) -> str | None:
    """What speaks against the best candidate and its predictions; None where nothing does."""
    truth, systems = best.truth, best.systems
    if evidence.is_headless:
        return _headless(evidence)
    if not systems:
        return _unknown_classes(evidence) if evidence.wanted else _no_predictions(evidence, truth)
    layout = evidence.layout(truth)
    if layout is not None:
        return _several_systems(evidence, layout)
    for column in systems:
        if are_only_errors(truth, column):
            return (
                f"{truth.name!r} and {column.name!r} differ in every one of {evidence.rows:,} rows: this looks like a "
                "list of errors, of which nothing can be estimated; give the file with all predictions"
            )
    rivals = [each for each in evidence.candidates if each not in (best, twin)]
    return (_rival_truths(evidence, best, rivals) if evidence.stated is None else None) or _features(evidence, best)


def truth_question(evidence: ColumnEvidence) -> str:
    """Why no column is the truth: of several systems predictions can be compared, of one the truth lies elsewhere."""
    if evidence.columns and not evidence.rows:
        return "there is a header and no row below it"
    if evidence.is_headless:
        return _headless(evidence)
    if evidence.wanted:
        return _unknown_classes(evidence)
    named = [column for column in evidence.columns if column.truth_name >= 2]
    for column in named:
        if not column.is_labels and column.known:
            return (
                f"{column.name!r} is named like the truth and holds {len(column.counts):,} different values in "
                f"{column.known:,} rows, like measurements, free text or identifiers"
            )
    for column in named:
        if len(column.counts) == 1:
            return f"{column.name!r} is named like the truth and has one class alone ({column.described()})"
    return _only_predictions(evidence)


def _only_predictions(evidence: ColumnEvidence) -> str:
    predicted = [column.name for column in evidence.labels if column.is_named_prediction]
    if evidence.key is not None and len(evidence.labels) == 1:
        predicted = [evidence.labels[0].name]  # as in a submission to a competition
    if not predicted:
        return "no column looks like the truth"
    like = "looks" if len(predicted) == 1 else "look"
    found = f"no column looks like the truth; {' and '.join(map(repr, predicted[:3]))} {like} like predictions"
    asked, by = "s the truth in another file?", "" if evidence.key is None else f", by {evidence.key!r}"
    sentence = Advised(
        found,
        terminal=f": i{asked} --truth-file LABELS.csv --key {shlex.quote(evidence.key or 'ID')}",
        page=f". I{asked} Put that file into this folder and add its column below{by}",
    )
    if len(predicted) == 1:
        return sentence
    compares = f"{_agree(evidence, predicted[:4])} compares them without a truth"
    return Advised(sentence, terminal=f"; {compares}", page=f"; in a terminal, {compares}")


def _no_predictions(evidence: ColumnEvidence, truth: ColumnContents) -> str:
    """A truth alone, or with predictions in other words, or with scores."""
    for column in evidence.labels:
        if column is not truth and column.predicted_name >= 3 and association(truth, column) > MIN_ASSOCIATION:
            return (
                f"{truth.name!r} ({truth.described()}) and {column.name!r} ({column.described()}) use different "
                "words: write both with the same, or name both columns to see which mean the same"
            )
    scores = evidence.scores or [c for c in evidence.columns if c.is_probability and c is not truth]
    if not scores:
        return f"no column looks like predictions of {truth.name!r}"
    options = " ".join(f"--score {shlex.quote(column.name)}" for column in scores[:4])
    command = f"infoscope sweep {evidence.source} -t {shlex.quote(truth.name)} {options}"
    return Advised(
        "there are scores and no predictions",
        terminal=f": {command}, if {truth.name!r} is the truth",
        page=": choose the truth and a score",
    )


def _several_systems(evidence: ColumnEvidence, layout: ColumnContents) -> str:
    by = f"--by {shlex.quote(layout.name)}"
    return Advised(
        f"{layout.name!r} names the system of each row ({layout.described()})",
        terminal=f": evaluate them apart with {by}",
        page=f"; in a terminal, infoscope evaluate {evidence.source} {by} evaluates them apart",
    )


def _rival_truths(evidence: ColumnEvidence, best: TruthCandidate, rivals: Sequence[TruthCandidate]) -> str | None:
    """Another column that may be the truth as well, or no name that says which one is."""
    truth, systems = best.truth, best.systems
    equal = [each.truth.name for each in rivals if _is_rival(each, best)]
    equal = equal or [c.name for c in systems if c.truth_name >= 2 and not best.certain]
    if equal:
        names = (truth.name, *equal[:3])
        sentence = f"{' and '.join(map(repr, names))} may {'both' if len(equal) == 1 else 'all'} be the truth"
        compares = f"{_agree(evidence, names)} compares annotators without one"
        return Advised(sentence, terminal=f"; {compares}", page=f"; in a terminal, {compares}")
    if truth.truth_name < 2 and len(evidence.columns) > 2:
        return f"nothing but its contents says that {truth.name!r} is the truth"
    named = bool(evidence.wanted) or any(column.is_named_prediction for column in systems)
    if truth.truth_name < 2 and not named:
        return f"no name says which column is the truth; {truth.name!r} would do as well as {systems[0].name!r}"
    return None


def _is_rival(other: TruthCandidate, best: TruthCandidate) -> bool:
    """Whether another candidate is as good: named alike, or with predictions where no name decides."""
    if other.truth.truth_name >= 2:
        return bool(other.systems) and other.points >= best.points - 1
    return best.truth.truth_name < 2 and bool(other.certain)


def _features(evidence: ColumnEvidence, best: TruthCandidate) -> str | None:
    """Columns with the same values that need not be predictions."""
    truth, systems = best.truth, best.systems
    plain = truth.truth_name >= 2 and not is_alternative(truth, systems[0])
    only_other = len(evidence.columns) == 2 and (truth.truth_name == 4 or plain)
    if evidence.wanted or best.certain or only_other:
        return None
    unsure = " and ".join(repr(column.name) for column in systems[:3])
    return f"{unsure} may hold predictions or be features with the same values ({truth.described()})"


def _unknown_classes(evidence: ColumnEvidence) -> str:
    return f"no column has the classes of {' and '.join(map(repr, evidence.wanted))}"


def _headless(evidence: ColumnEvidence) -> str:
    first = ", ".join(column.name for column in evidence.columns[:4]) or "each name several times"
    return f"its first line ({first}) looks like data: add a line with the names of the columns"


def _agree(evidence: ColumnEvidence, columns: Sequence[str]) -> str:
    return f"infoscope agree {evidence.source} -s {shlex.quote(','.join(columns))}"
