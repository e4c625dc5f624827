"""What is shown of a judge: how good it is, and every system by the judge, by the labels, and by both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from infoscope.core.markup import counted
from infoscope.figures.judge import JudgeDisplay, StrataMosaicDisplay
from infoscope.metrics.registry import find
from infoscope.reports.outline import ALL_ROWS, Block, Column, Figure, Inline, Name, Phrase, Section, Strong, Table
from infoscope.reports.shared import make_group_columns, tabulate
from infoscope.reports.systems import tabulate_classes
from infoscope.results.estimate import Estimate
from infoscope.results.notation import (
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_share,
    format_share_with_interval,
)
from infoscope.studies.evaluation import Evaluation, JudgedSystem, JudgeResult, SystemResult

MOST_ERRORS = 2
"""Kinds of error of the judge that the first sentence names."""
MOST_SYSTEMS = 3
"""Systems with a sentence each; of more, the two best have one, and a table has all."""


def write_judge_sentences(evaluation: Evaluation, focus: SystemResult) -> Iterator[Phrase]:
    """How good the judge is; each system over all rows beside the labels alone and the judge alone.

    Where rows were split, in the group of the system that is looked at.
    """
    for part in evaluation.judged_parts():
        found = part.judge
        if found is not None and found.group == focus.group:
            few = found.systems if len(found.systems) <= MOST_SYSTEMS else found.systems[:2]
            for judge in found.judge[: max(len(few), 1)]:
                yield _quality(judge, found)
            for system in few:
                yield _accuracy(part, system)


def _quality(judge: SystemResult, found: JudgeResult) -> Phrase:
    captured, right = judge.metrics["proficiency"], judge.metrics["accuracy"]
    system = None if judge.group is None else judge.group.get("system")
    about = "the truth" if system is None or found.verdicts == "class" else f"whether {system} is right"
    verb, be, take = ("captures", "is", "it takes")
    if judge.name not in found.judges:
        verb, be, take = ("together capture", "are", "they take")
    parts: list[Inline] = [
        *_within(found),
        Name(judge.name),
        f" {verb} {format_share_with_interval(captured)} of the information in {about}",
    ]
    if right.shown is not None:
        parts.append(f" and {be} right in {format_share(right.shown)} of the rows")
    for at, (truth, verdict, rate) in enumerate(_errors(judge)):
        parts += [f"; {take} " if at == 0 else ", ", Name(truth), " for ", Name(verdict), f" in {format_share(rate)}"]
    return (*parts, ".")


def _within(found: JudgeResult) -> list[Inline]:
    """The group, as the beginning of a sentence."""
    names = ", ".join(f"{key} {value}" for key, value in (found.group or {}).items())
    return [Name(names), ": "] if names else []


def _errors(judge: SystemResult) -> Iterator[tuple[str, str, float]]:
    """Classes that the judge takes for others, with the fraction of the class: those of most rows."""
    sizes = {item.label: item.shown("support") or 0.0 for item in judge.classes}
    wrong = [leak for leak in judge.leaks if leak.truth != leak.system and leak.system in sizes and sizes[leak.truth]]
    for leak in sorted(wrong, key=lambda leak: -leak.count)[:MOST_ERRORS]:
        if leak.count / sizes[leak.truth] >= 0.005:
            yield leak.truth, leak.system, leak.count / sizes[leak.truth]


def _accuracy(evaluation: Evaluation, system: JudgedSystem) -> Phrase:
    both = evaluation[system.name].metrics["accuracy"]
    alone, naive = system.labels_only.get("accuracy"), system.judge_as_truth.get("accuracy")
    rows, labels = f"{format_count(round(system.rows))} rows", f"{format_count(round(system.labels))} labels alone"
    if evaluation.judge is not None and evaluation.judge.reduced:
        rows = f"all rows, worth {format_count(round(system.rows))} independent ones"
        labels = f"labels alone, worth {format_count(round(system.labels))}"
    parts: list[Inline] = [
        Strong(evaluation[system.name].title),
        f": accuracy {format_share_with_interval(both)} over {rows}",
    ]
    if alone is not None and alone.shown is not None:
        parts.append(f"; {format_share_with_interval(alone)} by the {labels}")
    if naive is not None and naive.shown is not None:
        parts.append(f", {format_share(naive.shown)} if verdicts were true labels")
    return (*parts, f"; the judge is worth {_worth(system)}.")


def _worth(system: JudgedSystem) -> str:
    labels = round(system.further_labels)
    return "no further labels" if labels < 1 else counted(labels, "further label")


def make_judge_section(evaluation: Evaluation, unit: Units) -> Iterator[Section]:
    """The three estimates side by side, and the judge by class; where rows were split, of all groups together."""
    parts = list(evaluation.judged_parts())
    if not parts:
        return
    blocks: list[Block | Section] = [
        Figure(JudgeDisplay.from_judge(evaluation).panel()),
        _side_by_side(parts),
        *_favour(evaluation),
        *_others(parts),
    ]
    for part in parts:
        if part.judge is not None and part.judge.group is None:
            blocks[2:2] = _by_class(part.judge, unit)
            blocks += _by_stratum(part)
        elif part.judge is not None:
            title: Phrase = ("Judge and strata: ", *_within(part.judge)[:1])
            blocks.append(Section(title, [*_by_class(part.judge, unit), *_by_stratum(part)], folded=True))
    yield Section("Labels and judge", blocks, "judge")


def _favour(evaluation: Evaluation) -> Iterator[Section]:
    """How often the judge accepts wrong predictions of each system, where there are several."""
    several = [part for part in evaluation.judged_parts() if part.judge is not None and len(part.judge.systems) > 1]
    if any(system.accepted_errors for part in several if part.judge is not None for system in part.judge.systems):
        yield Section("Whom the judge favours", [Figure(JudgeDisplay.from_favour(evaluation).panel())], only="page")


def _by_class(found: JudgeResult, unit: Units) -> Iterator[Section]:
    for judge in found.judge if found.verdicts == "class" else ():
        yield Section(("The judge by class: ", Name(judge.title)), tabulate_classes(judge, unit))


def _by_stratum(part: Evaluation) -> Iterator[Section]:
    for each in () if part.judge is None else part.judge.systems:
        mosaic = Figure(StrataMosaicDisplay.from_judge(part, each.name).panel())
        yield Section(("Verdict and prediction: ", Name(part[each.name].title)), [mosaic, _strata(each)])


_OTHERS = {"ppi": "PPI++", "lee": "bias-adjusted"}


def _others(parts: Sequence[Evaluation]) -> Iterator[Section]:
    """The accuracy as others estimate it, folded."""
    found = [
        (part[system.name].title, name, estimate)
        for part in parts
        for system in (() if part.judge is None else part.judge.systems)
        for name, estimate in system.others.items()
    ]
    if not found:
        return
    has_reasons = any(estimate.undefined for _, _, estimate in found)
    rows = tabulate(
        found,
        (Column("system", "name"), lambda each: Name(each[0])),
        (Column("method", "name"), lambda each: _OTHERS[each[1]]),
        (Column("accuracy", metric="accuracy"), lambda each: format_share(each[2].shown)),
        (Column("interval"), lambda each: format_interval(each[2])),
        *([(Column("undefined", "text"), lambda each: each[2].undefined or "")] if has_reasons else []),
    )
    note = (
        "For who must report them: PPI++ (Angelopoulos et al. 2023) and the bias-adjusted estimator (Lee et al. 2025). "
        "Both take the labelled rows as a random sample; the second also takes the judge to err alike whatever the "
        "prediction."
    )
    yield Section("The accuracy by other estimators", [Table(*rows, note=note)], folded=True)


def _side_by_side(parts: Sequence[Evaluation]) -> Table:
    groups = [key for part in parts[:1] if part.judge is not None for key in part.judge.group or ()]
    found = [
        each
        for part in parts
        if part.judge is not None
        for system in part.judge.systems
        for each in _compared_estimates(part, system)
    ]
    rows = tabulate(
        found,
        *make_group_columns(groups),
        (Column("system", "name"), lambda each: Name(each.system)),
        (Column("metric", "name"), lambda each: find(each.metric).card.title_in_sentence),
        (Column("labels and judge"), lambda each: Strong(MetricNotation(each.metric).shown(each.both))),
        (Column("interval", priority=8), lambda each: format_interval(each.both)),
        (Column("labels only", priority=7), lambda each: MetricNotation(each.metric).shown(each.labels)),
        (Column("interval", priority=5), lambda each: format_interval(each.labels)),
        (
            Column("verdicts as truth", priority=6),
            lambda each: "–" if each.verdicts is None else MetricNotation(each.metric).value(each.verdicts),
        ),
    )
    note = (
        "Labels and judge: over all rows, corrected by the labels. Verdicts as truth: what would come out if every "
        "verdict were right."
    )
    return Table(*rows, "Each metric by labels and judge", note=note, search="metrics", max_rows=ALL_ROWS)


class _ComparedEstimate(NamedTuple):
    """A metric of a system by labels and judge, by the labels alone, and if every verdict were right."""

    group: Mapping[str, str] | None
    system: str
    metric: str
    both: Estimate
    labels: Estimate
    verdicts: float | None


def _compared_estimates(evaluation: Evaluation, system: JudgedSystem) -> Iterator[_ComparedEstimate]:
    whole = evaluation[system.name]
    for metric, alone in system.labels_only.items():
        if metric in whole.metrics:
            naive = system.judge_as_truth.get(metric, Estimate(None)).shown
            yield _ComparedEstimate(whole.group, system.name, metric, whole.metrics[metric], alone, naive)


def _strata(system: JudgedSystem) -> Table:
    """How often predictions are right, by verdict and prediction, those of most rows first."""
    rows = tabulate(
        sorted(system.strata, key=lambda stratum: -stratum.rows),
        (Column("verdict", "name"), lambda each: Name(each.verdict)),
        (Column("prediction", "name"), lambda each: Name(each.prediction)),
        (Column("rows"), lambda each: format_count(round(each.rows))),
        (Column("labels"), lambda each: format_count(round(each.labels))),
        (Column("right"), lambda each: Strong(format_share(each.right.shown))),
        (Column("interval", priority=5), lambda each: format_interval(each.right)),
    )
    note = "Labelled rows represent the others with the same verdict and prediction."
    return Table(*rows, "Fraction of right predictions by verdict and prediction", note=note, search="strata")
