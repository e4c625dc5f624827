"""An evaluation as text for a terminal of any width, with or without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from infoscope.evaluation import Evaluation, SystemResult, renders
from infoscope.report.by_class import by_class
from infoscope.report.layout import ASCII, UNICODE, Column, Look, beside, columns, meter, paired, shown, wrapped
from infoscope.report.ledger import COLOURS, ledger
from infoscope.report.numbers import amount, share, units
from infoscope.report.wording import facts_line, headline, key_numbers, left_out, limits, remark, told_apart

__all__ = ["as_text", "coloured", "text_lines"]

WARNINGS = {
    "majority_voter",
    "random",
    "relabelled",
    "accuracy_paradox",
    "abstains_for_free",
    "few_samples",
    "loud_prior",
    "unseen_classes",
    "lookalike_labels",
    "non_monotone",
}
MOST_ALIKE = 4
"""Groups of systems alike that are named; many systems make many groups, which overlap."""
WIDE = 150
"""From this width on, what to fix stands beside the classes."""


@renders("text")
def as_text(
    evaluation: Evaluation, *, width: int = 100, unit: str = "bits", ascii_only: bool = False, most: int = 8
) -> str:
    """Plain text without colour."""
    look = Look(width, units(unit), ASCII if ascii_only else UNICODE, most)
    lines = (line.plain.rstrip() for line in text_lines(evaluation, look))
    return "\n".join(lines) + "\n"


def coloured(lines: Sequence[Text], width: int, *, bold_only: bool) -> str:
    """The lines with terminal colours, or with bold alone."""
    out = StringIO()
    console = Console(
        file=out, width=width + 1, force_terminal=True, no_color=bold_only, highlight=False, legacy_windows=False
    )
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)
    return out.getvalue()


def text_lines(evaluation: Evaluation, look: Look) -> list[Text]:
    """The whole report, line by line."""
    many = len(evaluation.systems) > 1
    lines = _ranking(evaluation, look) if many else _one_system(evaluation, evaluation.systems[0], look)
    if many and all(system.group is None for system in evaluation.systems):
        best = evaluation.ranking[0]
        lines += [Text(), _heading("A closer look at the best"), Text()]
        lines += _one_system(evaluation, best, look, notes=False)
    lines += [Text(), *_footer(evaluation, look)]
    margin = Text("  ")
    return [Text(), *(margin.copy().append_text(line) for line in lines), Text()]


def _heading(title: str, rest: str = "") -> Text:
    line = Text(title, style="bold")
    return line.append(f"  {rest}", style="not bold dim") if rest else line


def _one_system(evaluation: Evaluation, system: SystemResult, look: Look, *, notes: bool = True) -> list[Text]:
    facts = Text(facts_line(system, evaluation.source, look.unit, look.signs.dot), "dim")
    lines = [*_headline(system, look), *_wrapped_styled(facts, look)]
    captured, false = system.number("proficiency"), system.number("false_information_ratio")
    if captured is not None and false is not None:
        lines += [Text(), *ledger(captured, false, min(look.room, 72), look.signs)]
    lines += [Text(), *_key_numbers(system, look)]
    lines += _details(system, look)
    if notes and system.diagnosis:
        lines += [Text(), *_notes(system, look)]
    return lines


def _details(system: SystemResult, look: Look) -> list[Text]:
    """What to fix and the classes, one below the other, or side by side where there is room."""
    if look.width < WIDE:
        blocks = [block for block in (_fixes(system, look), by_class(system, look)) if block]
        return [line for block in blocks for line in (Text(), *block)]
    aside = look.room * 2 // 5
    fixes = _fixes(system, replace(look, width=aside))
    classes = by_class(system, replace(look, width=look.width - aside - 2))
    return [Text(), *(beside(classes, fixes) if fixes else classes)]


def _headline(system: SystemResult, look: Look) -> list[Text]:
    name = Text(shown(system.title, look.signs), style="bold")
    captured, rest = headline(system)
    if not captured:
        return wrapped(rest, look.room, name.append(" "))
    line = name.append(" captures ", "not bold").append(captured, f"bold {COLOURS['captured']}")
    line.append(f" {rest}", "not bold")
    value = system.metrics["proficiency"]
    if value.low is not None and value.high is not None:
        range_ = f"{share(value.low, 0)} {look.signs.to} {share(value.high, 0)}"
        if value.value is not None and not value.low <= value.value <= value.high:
            range_ = f"rather {range_}: few samples look more informative than they are"
        line.append(f"  {range_}", "not bold dim")
    return _wrapped_styled(line, look)


def _wrapped_styled(line: Text, look: Look) -> list[Text]:
    """A line in as many as it needs, its styles kept."""
    return list(line.wrap(Console(file=StringIO(), width=look.room), look.room))


def _key_numbers(system: SystemResult, look: Look) -> list[Text]:
    numbers = list(key_numbers(system, look.signs.to))
    parts = [
        Column("", [Text(shown(number.word, look.signs)) for number in numbers]),
        Column("", [Text(number.shown, "bold") for number in numbers]),
        Column("", [Text(number.range, "dim") for number in numbers], priority=5),
        Column("", [Text(number.note and shown(number.note, look.signs), "dim") for number in numbers], priority=1),
    ]
    kept = [part for part in parts if part.width]
    return columns(kept, look.room, look.signs, header=False, gap=3)


def _fixes(system: SystemResult, look: Look) -> list[Text]:
    pairs = [pair for pair in system.confusions if pair.gain > 0][:5]
    if not pairs:
        return []
    most = pairs[0].gain
    sizes = [f"{amount(pair.count)} sample{'s' if pair.count != 1 else ' '}" for pair in pairs]
    spelt = [[shown(label, look.signs) for label in pair.classes] for pair in pairs]
    room = look.room - 18 - max(map(len, sizes))  # "+10.0 points" and the gaps
    size = min(24, max(room - max(cell_len(" / ".join(names)) for names in spelt), 6))
    names = [paired(one, other, max(room - size, 15), look.signs) for one, other in spelt]
    parts = [
        Column("", [Text(name) for name in names], least=12),
        Column("", [meter(pair.gain / most, size, look.signs, COLOURS["false"]) for pair in pairs], priority=1),
        Column("", [Text(f"+{100 * pair.gain:.1f} points", "bold") for pair in pairs], right=True),
        Column("", [Text(word, "dim") for word in sizes], right=True, priority=5),
    ]
    title = _heading("What to fix first", "captured if never confused")
    return [title, *columns(parts, look.room, look.signs, header=False)]


def _notes(system: SystemResult, look: Look, *, named: bool = False) -> list[Text]:
    lines: list[Text] = []
    room = min(look.room, 110)
    for finding in system.diagnosis:
        warning = finding.code in WARNINGS
        lead = Text("! " if warning else f"{look.signs.dot} ", style="bold yellow" if warning else "cyan")
        text = shown(finding.text, look.signs)
        lines += wrapped(text, room - 2 * named, lead)
    return [Text("  ").append_text(line) for line in lines] if named else lines


def _ranking(evaluation: Evaluation, look: Look) -> list[Text]:
    systems = list(evaluation.ranking)
    groups = list(dict.fromkeys(key for system in systems for key in system.group or {}))
    if groups:
        systems.sort(key=lambda system: tuple((system.group or {}).values()))
    lines = [*_wrapped_styled(_ranking_title(evaluation, look), look), Text()]
    lines += columns(_ranking_columns(systems, groups, look), look.room, look.signs)
    sentences = list(told_apart(evaluation))
    kept = sentences[: MOST_ALIKE if look.most else None]
    if len(sentences) > len(kept):
        kept.append(f"So it is with {len(sentences) - len(kept)} more groups of neighbours; -v names them.")
    for sentence in kept:
        lines += [Text(), *wrapped(shown(sentence, look.signs), look.room, Text(""))]
    spoken = [system for system in systems if system.diagnosis]
    if spoken:
        lines += [Text(), _heading("What the tables say")]
    for system in spoken:
        lines += [Text(shown(system.title, look.signs), "bold"), *_notes(system, look, named=True)]
    return lines


def _ranking_title(evaluation: Evaluation, look: Look) -> Text:
    systems = evaluation.systems
    count = len({system.name for system in systems})
    title = Text(f"{count} system{'s' if count != 1 else ''}", "bold")
    rows = evaluation.source.rows
    where = "" if evaluation.source.name is None else f" {look.signs.dot} {evaluation.source.name}"
    sizes = {system.n for system in systems if system.n is not None and not system.group}
    if len(sizes) > 1:
        size = f" on up to {amount(max(sizes))} samples"
    else:
        size = "" if rows is None else f" on {amount(rows)} samples"
    return title.append(f"{size}, the best informed first{where}", "not bold dim")


def _ranking_columns(systems: Sequence[SystemResult], groups: Sequence[str], look: Look) -> list[Column]:
    def numbers(metric: str, style: str = "") -> list[Text]:
        return [Text(share(system.number(metric)), style) for system in systems]

    def plain(metric: str) -> list[Text]:
        return [Text("undefined" if (x := system.number(metric)) is None else f"{x:.2f}") for system in systems]

    bars = [meter(system.number("proficiency") or 0.0, 20, look.signs, COLOURS["captured"]) for system in systems]
    ranges = [Text(limits(system.metrics["proficiency"], look.signs.to), "dim") for system in systems]
    ranges = ranges if any(cell.plain for cell in ranges) else []
    refused = numbers("rejection_rate") if any(system.number("rejection_rate") for system in systems) else []
    return [
        *(
            Column(key, [Text(shown((system.group or {}).get(key, ""), look.signs)) for system in systems], least=6)
            for key in groups
        ),
        Column("system", [Text(shown(system.name, look.signs), "bold") for system in systems], least=16),
        Column("captured", numbers("proficiency", "bold"), right=True),
        Column("range", ranges, right=True, priority=5),
        Column("", bars, priority=3),
        Column("false", numbers("false_information_ratio"), right=True, priority=7),
        Column("erroneous", plain("erroneous_information_ratio"), right=True, priority=4),
        Column("accuracy", numbers("accuracy"), right=True, priority=8),
        Column("refused", refused, right=True, priority=5),
        Column("in doubt", plain("remnant_classes"), right=True, priority=2),
        Column("", [Text(remark(system), COLOURS["missed"]) for system in systems], priority=6),
    ]


def _footer(evaluation: Evaluation, look: Look) -> list[Text]:
    lines: list[Text] = []
    for reason, rows in evaluation.source.ignored.items():
        sentence = left_out(rows, shown(reason, look.signs))
        lines += wrapped(sentence, look.room, Text("! ", "bold yellow"))
    if evaluation.source.until is not None:
        lead = Text("! ", "bold yellow") if evaluation.source.until["sorted"] else Text("note ", "dim")
        lines += wrapped(f"{evaluation.source.until['text']}.", look.room, lead)
    for sentence in dict.fromkeys(system.interval.text for system in evaluation.systems if system.interval is not None):
        told = sentence if look.signs.encoding == "utf-8" else shown(sentence, look.signs)
        lines += wrapped(f"{told}.", look.room, Text("note ", "dim"))
    hint = f"infoscope explain captured {look.signs.dot} --format json has every number"
    return lines + wrapped(hint, look.room, Text("next ", "cyan"))
