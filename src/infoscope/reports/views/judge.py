"""Show the judge of an evaluation: how good it is, and every system by the judge, by the labels, and by both.

The view of an evaluation calls ``write_judge_sentences`` for its opening and ``make_judge_section`` for the section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from infoscope.core.markup import pluralize
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
    """Write how good the judge is, and each system over all rows beside the labels alone and the judge alone.

    Where rows were split, this is about the group of the system that is looked at.
    """
    for part in evaluation.judged_parts():
        result = part.judge
        if result is not None and result.group == focus.group:
            few = result.systems if len(result.systems) <= MOST_SYSTEMS else result.systems[:2]
            for judge in result.judge[: max(len(few), 1)]:
                yield _describe_judge(judge, result)
            for system in few:
                yield _describe_accuracy(part, system)


def _describe_judge(judge: SystemResult, result: JudgeResult) -> Phrase:
    captured, right = judge.metrics["proficiency"], judge.metrics["accuracy"]
    system = None if judge.group is None else judge.group.get("system")
    about = "the truth" if system is None or result.verdicts == "class" else f"whether {system} is right"
    verb, be, take = ("captures", "is", "it takes")
    if judge.name not in result.judges:
        verb, be, take = ("together capture", "are", "they take")
    parts: list[Inline] = [
        *_write_group(result),
        Name(judge.name),
        f" {verb} {format_share_with_interval(captured)} of the information in {about}",
    ]
    if right.shown is not None:
        parts.append(f" and {be} right in {format_share(right.shown)} of the rows")
    # classes that the judge takes for others, with the fraction of the class: those of most rows
    sizes = {item.label: item.shown("support") or 0.0 for item in judge.classes}
    wrong = [leak for leak in judge.leaks if leak.truth != leak.system and leak.system in sizes and sizes[leak.truth]]
    separator = f"; {take} "
    for leak in sorted(wrong, key=lambda leak: -leak.count)[:MOST_ERRORS]:
        rate = leak.count / sizes[leak.truth]
        if rate >= 0.005:
            parts += [separator, Name(leak.truth), " for ", Name(leak.system), f" in {format_share(rate)}"]
            separator = ", "
    return (*parts, ".")


def _write_group(result: JudgeResult) -> list[Inline]:
    """Write the group as the beginning of a sentence."""
    names = ", ".join(f"{key} {value}" for key, value in (result.group or {}).items())
    return [Name(names), ": "] if names else []


def _describe_accuracy(evaluation: Evaluation, system: JudgedSystem) -> Phrase:
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
    further = round(system.further_labels)
    worth = "no further labels" if further < 1 else pluralize(further, "further label")
    return (*parts, f"; the judge is worth {worth}.")


def make_judge_section(evaluation: Evaluation, unit: Units) -> Iterator[Section]:
    """Show the three estimates side by side, and folded the judge by class; of all groups together where there are."""
    parts = [(part, part.judge) for part in evaluation.judged_parts() if part.judge is not None]
    if not parts:
        return
    estimates: list[Block | Section] = [Figure(JudgeDisplay.from_judge(evaluation).panel()), _tabulate_estimates(parts)]
    details: list[Block | Section] = []
    by_class: list[Section] = []
    for part, result in parts:
        sections = [
            Section(("The judge by class: ", Name(judge.title)), tabulate_classes(judge, unit))
            for judge in (result.judge if result.verdicts == "class" else ())
        ]
        strata = []
        for system in result.systems:  # how often predictions are right, by verdict and prediction
            rows = tabulate(
                sorted(system.strata, key=lambda stratum: -stratum.rows),
                (Column("verdict", "name"), lambda stratum: Name(stratum.verdict)),
                (Column("prediction", "name"), lambda stratum: Name(stratum.prediction)),
                (Column("rows"), lambda stratum: format_count(round(stratum.rows))),
                (Column("labels"), lambda stratum: format_count(round(stratum.labels))),
                (Column("right"), lambda stratum: Strong(format_share(stratum.right.shown))),
                (Column("interval", priority=5), lambda stratum: format_interval(stratum.right)),
            )
            caption = "Fraction of right predictions by verdict and prediction"
            note = "Labelled rows represent the others with the same verdict and prediction."
            mosaic = Figure(StrataMosaicDisplay.from_judge(part, system.name).panel())
            heading: Phrase = ("Verdict and prediction: ", Name(part[system.name].title))
            strata.append(Section(heading, [mosaic, Table(*rows, caption, note=note, search="strata")]))
        if result.group is None:
            by_class = [*sections, *by_class]
            details += strata
        else:
            title: Phrase = ("Judge and strata: ", *_write_group(result)[:1])
            details.append(Section(title, [*sections, *strata], folded=True))
    favour: list[Section] = []
    if any(system.accepted_errors for _, result in parts if len(result.systems) > 1 for system in result.systems):
        picture = Figure(JudgeDisplay.from_favour(evaluation).panel())
        favour.append(Section("Whom the judge favours", [picture], only="page"))
    yield Section("Labels and judge", estimates, "judge")
    blocks = [*by_class, *favour, *_make_other_estimates(parts), *details]
    aside = "by class, by verdict and prediction"
    yield Section("The judge in detail", blocks, "judge-details", folded=True, aside=aside)


_OTHERS = {"ppi": "PPI++", "lee": "bias-adjusted"}


def _make_other_estimates(parts: Sequence[tuple[Evaluation, JudgeResult]]) -> Iterator[Section]:
    """Show the accuracy as others estimate it, folded."""
    estimates = [
        (part[system.name].title, name, estimate)
        for part, result in parts
        for system in result.systems
        for name, estimate in system.others.items()
    ]
    if not estimates:
        return
    has_reasons = any(estimate.undefined for _, _, estimate in estimates)
    rows = tabulate(
        estimates,
        (Column("system", "name"), lambda row: Name(row[0])),
        (Column("method", "name"), lambda row: _OTHERS[row[1]]),
        (Column("accuracy", metric="accuracy"), lambda row: format_share(row[2].shown)),
        (Column("interval"), lambda row: format_interval(row[2])),
        *([(Column("undefined", "text"), lambda row: row[2].undefined or "")] if has_reasons else []),
    )
    note = (
        "For who must report them: PPI++ (Angelopoulos et al. 2023) and the bias-adjusted estimator (Lee et al. 2025). "
        "Both take the labelled rows as a random sample; the second also takes the judge to err alike whatever the "
        "prediction."
    )
    yield Section("The accuracy by other estimators", [Table(*rows, note=note)], folded=True)


class ComparedEstimate(NamedTuple):
    """A metric of a system by labels and judge, by the labels alone, and if every verdict were right."""

    group: Mapping[str, str] | None
    system: str
    metric: str
    both: Estimate
    labels: Estimate
    verdicts: float | None


def _tabulate_estimates(parts: Sequence[tuple[Evaluation, JudgeResult]]) -> Table:
    """Tabulate each metric of each system by labels and judge, by labels alone, and with verdicts as truth."""
    estimates = []
    for part, result in parts:
        for system in result.systems:
            whole = part[system.name]
            for metric, alone in system.labels_only.items():
                if metric in whole.metrics:
                    naive = system.judge_as_truth.get(metric, Estimate(None)).shown
                    both = whole.metrics[metric]
                    estimates.append(ComparedEstimate(whole.group, system.name, metric, both, alone, naive))
    rows = tabulate(
        estimates,
        *make_group_columns(parts[0][1].group or ()),
        (Column("system", "name"), lambda row: Name(row.system)),
        (Column("metric", "name"), lambda row: find(row.metric).card.title_in_sentence),
        (Column("labels and judge"), lambda row: Strong(MetricNotation(row.metric).shown(row.both))),
        (Column("interval", priority=8), lambda row: format_interval(row.both)),
        (Column("labels only", priority=7), lambda row: MetricNotation(row.metric).shown(row.labels)),
        (Column("interval", priority=5), lambda row: format_interval(row.labels)),
        (
            Column("verdicts as truth", priority=6),
            lambda row: "–" if row.verdicts is None else MetricNotation(row.metric).value(row.verdicts),
        ),
    )
    note = (
        "Labels and judge: over all rows, corrected by the labels. Verdicts as truth: what would come out if every "
        "verdict were right."
    )
    return Table(*rows, "Each metric by labels and judge", note=note, search="metrics", max_rows=ALL_ROWS)
