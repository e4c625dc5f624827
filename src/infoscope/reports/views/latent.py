"""What is shown of a latent truth: the banner, each system without labels, and checks of shared errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from infoscope.figures import ComparisonDisplay
from infoscope.figures.comparison import rows_of
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Figure, Name, Outline, Section, Strong, Table, Tile, Whisker
from infoscope.reports.shared import tabulate
from infoscope.results.notation import Units, format_count, format_interval, format_number, format_p_value, format_share
from infoscope.studies.latent import LatentSystem, LatentTruth


def forest(result: LatentTruth) -> ComparisonDisplay:
    """Proficiency of each system with its interval, all without truth."""
    known = {system.name: system.metrics["proficiency"] for system in result.systems}
    return ComparisonDisplay(rows_of(known, "without truth"), "proficiency, estimated without truth")


PICTURES: dict[str, Callable[[LatentTruth], Display]] = {"forest": forest}


def outline(result: LatentTruth, unit: Units) -> Outline:
    """The best system first, then every system, the classes and the checks."""
    best = _ranked(result)[0]
    proficiency = best.metrics["proficiency"]
    within = format_interval(proficiency)
    pictured = any(system.metrics["proficiency"].shown is not None for system in result.systems)
    return Outline(
        title=f"Latent truth of {len(result.names)} systems",
        kicker=(
            "Estimated without truth",
            f"{len(result.names)} systems",
            f"{format_count(result.items)} items",
            f"{len(result.classes):,} classes",
        ),
        headline=(
            "Without truth, ",
            Name(best.name),
            f" looks best: it captures at most about {format_share(proficiency.shown)} of the information.",
        ),
        tiles=[
            Tile(
                format_share(proficiency.shown),
                ("proficiency of ", Name(best.name)),
                within,
                "at most about",
            ),
            Tile(format_count(result.items), "items", "", f"{result.patterns:,} different patterns of predictions"),
            Tile(format_count(result.labels), "labels mixed in"),
        ],
        sections=[
            _systems(result, unit, Figure(forest(result).panel()) if pictured else None),
            _classes(result),
            *_checks(result),
        ],
        appendix=Appendix(metrics=("proficiency", "accuracy", "kappa", "mutual_information"), method=_method(result)),
    )


def _ranked(result: LatentTruth) -> list[LatentSystem]:
    """The systems, the best first."""
    return sorted(result.systems, key=lambda each: -(each.metrics["proficiency"].shown or 0.0))


def _systems(result: LatentTruth, unit: Units, picture: Figure | None) -> Section:
    rows = tabulate(
        _ranked(result),
        (Column("system", "name"), lambda each: Name(each.name)),
        (
            Column("proficiency", metric="proficiency"),
            lambda each: Strong(format_share(each.metrics["proficiency"].shown)),
        ),
        (Column("interval", priority=8), lambda each: format_interval(each.metrics["proficiency"])),
        (Column("", "whisker"), lambda each: Whisker.from_estimate(each.metrics["proficiency"])),
        (Column("accuracy", priority=7, metric="accuracy"), lambda each: format_share(each.metrics["accuracy"].shown)),
        (Column("interval", priority=6), lambda each: format_interval(each.metrics["accuracy"])),
        (
            Column(f"captured, {unit.name}", priority=5, metric="mutual_information"),
            lambda each: unit.amount(each.metrics["mutual_information"].shown),
        ),
        (Column("items", priority=4), lambda each: format_count(each.items)),
    )
    table = Table(*rows, search="systems", note="Estimated without truth: read as “at most about”.")
    return Section("Systems", [*((picture,) if picture else ()), table], "systems")


def _classes(result: LatentTruth) -> Section:
    rows = tabulate(
        result.frequencies.items(),
        (Column("class", "name"), lambda each: Name(each[0])),
        (Column("frequency"), lambda each: format_share(each[1].shown)),
        (Column("interval"), lambda each: format_interval(each[1])),
    )
    return Section("Classes", [Table(*rows, search="classes", max_rows=30)], "classes")


def _checks(result: LatentTruth) -> Sequence[Section]:
    if not result.pairs:
        return ()
    rows = tabulate(
        sorted(result.pairs, key=lambda each: each.p_value),
        (Column("systems", "name"), lambda each: Name(each.first)),
        (Column("and", "name"), lambda each: Name(each.second)),
        (Column("items", priority=3), lambda each: format_count(each.items)),
        (Column("agreement", priority=5), lambda each: format_share(each.agreement)),
        (Column("more than independent, points", priority=6), lambda each: format_number(100 * each.excess, "+.1f")),
        (Column("p"), lambda each: format_p_value(each.p_value)),
        (Column("power", priority=4), lambda each: format_share(each.power)),
    )
    note = "Power: the probability of finding that one copies half of its predictions from the other."
    blocks: list[Table] = [Table(*rows, title="Pairs", search="pairs", max_rows=10, note=note)]
    if result.votes is not None:
        votes = [
            (f"{at}", format_count(round(seen)), f"{expected:,.0f}")
            for at, (seen, expected) in enumerate(zip(result.votes.observed, result.votes.expected, strict=True))
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
    return (Section("Do errors go together?", blocks, "shared-errors"),)


def _method(result: LatentTruth) -> Sequence[str]:
    return (
        "Predictions are taken as independent given the class (Dawid and Skene 1979); the classes are not labelled but "
        "inferred from all systems together.",
        f"Intervals, where there are any, come from {result.draws:,} draws of the posterior (Gibbs sampling, two chains"
        + ("" if result.r_hat is None else f", split R̂ at most {result.r_hat:.3f}")
        + "); how wrong predictions spread is learned from the data.",
        "Errors of some systems can be found by the checks of pairs and votes; errors of all cannot.",
    )
