"""Show a latent truth: each system without labels, the classes, and checks of shared errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from infoscope.figures import ComparisonDisplay
from infoscope.figures.comparison import rows_of
from infoscope.figures.display import Display
from infoscope.reports.outline import (
    Appendix,
    Column,
    Figure,
    Inline,
    Name,
    Outline,
    Phrase,
    Section,
    Strong,
    SystemValue,
    Table,
    Tile,
    Whisker,
)
from infoscope.reports.shared import tabulate
from infoscope.results.notation import (
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_number,
    format_p_value,
    format_share,
    format_share_with_interval,
)
from infoscope.studies.latent import LatentSystem, LatentTruth


def make_forest(result: LatentTruth) -> ComparisonDisplay:
    """Show the proficiency of each system with its interval, all without truth."""
    proficiencies = {system.name: system.metrics["proficiency"] for system in result.systems}
    return ComparisonDisplay(rows_of(proficiencies, "without truth"), "proficiency, estimated without truth")


PICTURES: dict[str, Callable[[LatentTruth], Display]] = {"forest": make_forest}


def outline(result: LatentTruth, unit: Units) -> Outline:
    """Write the outline: the systems, the best first; classes and checks are folded."""
    ranked = _rank_systems(result)
    pictured = any(system.metrics["proficiency"].shown is not None for system in result.systems)
    classes = tabulate(
        result.frequencies.items(),
        (Column("class", "name"), lambda item: Name(item[0])),
        (Column("frequency"), lambda item: format_share(item[1].shown)),
        (Column("interval"), lambda item: format_interval(item[1])),
    )
    chains = "" if result.r_hat is None else f", split R̂ at most {result.r_hat:.3f}"
    return Outline(
        title=f"{len(result.names)} systems without truth",
        kicker=(
            "estimated without truth",
            f"{len(result.names)} systems",
            f"{format_count(result.items)} items",
            f"{len(result.classes):,} classes",
            *([f"{format_count(result.labels)} labels"] if result.labels else []),
        ),
        headline=_write_headline(ranked),
        tiles=list(_make_tiles(ranked)),
        sections=[
            *_make_check_section(result),
            _make_system_section(result, unit, Figure(make_forest(result).panel()) if pictured else None),
            Section(
                "Classes",
                [Table(*classes, search="classes", max_rows=30)],
                "classes",
                aside="estimated frequencies",
                folded=True,
            ),
        ],
        appendix=Appendix(
            metrics=("proficiency", "accuracy", "kappa", "mutual_information"),
            method=(
                "Predictions are taken as independent given the class (Dawid and Skene 1979); the classes are not "
                "labelled but inferred from all systems together.",
                f"{result.patterns:,} different patterns of predictions; intervals, where there are any, come from "
                f"{result.draws:,} draws of the posterior (Gibbs sampling, two chains{chains}); how wrong predictions "
                "spread is learned from the data.",
                "Errors of some systems can be found by the checks of pairs and votes; errors of all cannot.",
            ),
        ),
    )


def _write_headline(ranked: Sequence[LatentSystem]) -> Phrase:
    best = ranked[0].metrics
    right, captured = (format_share_with_interval(best[name]) for name in ("accuracy", "proficiency"))
    follows: tuple[Inline, ...] = ()
    if len(ranked) > 1:
        follows = ("; ", Name(ranked[1].name), f" follows with {format_share(ranked[1].metrics['accuracy'].shown)}")
    return (
        "Without truth, ",
        Name(ranked[0].name),
        f" looks best: it is right in at most about {right} of the items and captures at most about {captured} of the "
        "information",
        *follows,
        ".",
    )


def _make_tiles(ranked: Sequence[LatentSystem]) -> Iterator[Tile]:
    """Show accuracy and captured information of every system."""
    for name, word in (("accuracy", "accuracy"), ("proficiency", "captured")):
        notation, first = MetricNotation(name), ranked[0].metrics[name]
        values = [SystemValue.from_estimate(each.name, each.metrics[name], notation) for each in ranked]
        tile = Tile(notation.shown(first), word, notation.interval(first), "at most about", name)
        yield replace(tile, systems=values if len(ranked) > 1 else ())


def _rank_systems(result: LatentTruth) -> list[LatentSystem]:
    """Return the systems, the best first."""
    return sorted(result.systems, key=lambda item: -(item.metrics["proficiency"].shown or 0.0))


def _make_system_section(result: LatentTruth, unit: Units, picture: Figure | None) -> Section:
    rows = tabulate(
        _rank_systems(result),
        (Column("system", "name"), lambda item: Name(item.name)),
        (
            Column("proficiency", metric="proficiency"),
            lambda item: Strong(format_share(item.metrics["proficiency"].shown)),
        ),
        (Column("interval", priority=8), lambda item: format_interval(item.metrics["proficiency"])),
        (Column("", "whisker"), lambda item: Whisker.from_estimate(item.metrics["proficiency"])),
        (Column("accuracy", priority=7, metric="accuracy"), lambda item: format_share(item.metrics["accuracy"].shown)),
        (Column("interval", priority=6), lambda item: format_interval(item.metrics["accuracy"])),
        (
            Column(f"captured, {unit.name}", priority=5, metric="mutual_information"),
            lambda item: unit.amount(item.metrics["mutual_information"].shown),
        ),
        (Column("items", priority=4), lambda item: format_count(item.items)),
    )
    table = Table(*rows, search="systems", note="Estimated without truth: read as “at most about”.")
    blocks = [*((picture,) if picture else ()), table]
    return Section("All numbers of the systems", blocks, "systems", folded=True)


def _make_check_section(result: LatentTruth) -> Sequence[Section]:
    if not result.pairs:
        return ()
    rows = tabulate(
        sorted(result.pairs, key=lambda item: item.p_value),
        (Column("systems", "name"), lambda item: Name(item.first)),
        (Column("and", "name"), lambda item: Name(item.second)),
        (Column("items", priority=3), lambda item: format_count(item.items)),
        (Column("agreement", priority=5), lambda item: format_share(item.agreement)),
        (Column("more than independent, points", priority=6), lambda item: format_number(100 * item.excess, "+.1f")),
        (Column("p"), lambda item: format_p_value(item.p_value)),
        (Column("power", priority=4), lambda item: format_share(item.power)),
    )
    note = "Power: the probability of finding that one copies half of its predictions from the other."
    blocks: list[Table] = [Table(*rows, title="Pairs", search="pairs", max_rows=10, note=note)]
    if result.votes is not None:
        votes = [
            (f"{systems}", format_count(round(seen)), f"{expected:,.0f}")
            for systems, (seen, expected) in enumerate(zip(result.votes.observed, result.votes.expected, strict=True))
            if seen >= 0.5 or expected >= 0.5
        ]
        blocks.append(
            Table(
                [Column("systems that agree"), Column("items"), Column("expected")],
                votes,
                title="Votes for the most frequent prediction",
                note=f"Spread of votes: P = {format_p_value(result.votes.p_value)}.",
            )
        )
    found = sum(pair.is_significant for pair in result.pairs)
    aside = f"{found} of {len(result.pairs)} pairs significantly" if found else "no pair significantly"
    return (Section("Do errors go together?", blocks, "shared-errors", aside=aside, folded=True),)
