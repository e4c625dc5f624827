"""The reference pages are whole: every metric, finding, keyword and field has what a reader looks for."""

from pathlib import Path

import pytest

import infoscope as ifs
from tests.api import read_findings

pytest.importorskip("sphinx")

from tools.site.finding_pages import evidence_fields
from tools.site.metric_pages import page_name

pytestmark = pytest.mark.slow
DOMAINS = ("table", "label_sets", "tracks")


def test_every_metric_page_is_complete(reference: Path) -> None:
    for domain in DOMAINS:
        for entry in ifs.metrics.registry.all_metrics(domain):
            text = (reference / "metrics" / f"{page_name(entry)}.md").read_text(encoding="utf-8")
            for part in ("| in Python |", "| range |", "| undefined |", "| source |", "## Worked example"):
                assert part in text, (entry.name, part)
            if entry.card.aliases:
                assert "| also called |" in text, entry.name
            if entry.card.level == "table" and entry.card.better != "none":
                assert "## When it misleads" in text, entry.name


def test_pages_say_where_metrics_mislead(reference: Path) -> None:
    accuracy, deta = (
        (reference / "metrics" / f"{name}.md").read_text(encoding="utf-8") for name in ("accuracy", "tracks-deta")
    )

    assert "**prefers the second**" in accuracy
    assert "finds 45 of 50 ill" in accuracy
    assert "| identities | misses one of ten objects, and follows the others | 0.900 |" in deta
    assert "**Identities**: it does not see who is who." in deta


def test_every_finding_has_a_page_with_what_triggers_it_and_what_to_do(reference: Path) -> None:
    for entry in read_findings():
        text = (reference / "findings" / f"{entry.code}.md").read_text(encoding="utf-8")
        assert "**When it appears.**" in text
        assert "**What to do.**" in text
    paradox = (reference / "findings" / "accuracy_paradox.md").read_text(encoding="utf-8")
    assert "`majority_share`" in paradox
    assert len(evidence_fields()) > 0.85 * len(read_findings())


def test_keywords_fields_and_parts_of_documents_have_types(reference: Path) -> None:
    python, documents = ((reference / f"{name}.md").read_text(encoding="utf-8") for name in ("python", "documents"))

    assert "population: Literal['all', 'unlabelled'] | None = None" in python
    assert "| `systems` | `tuple[SystemResult, ...]` |" in python
    assert "### Finding\n" in documents
    assert "| `severity` | `note` or `warning` |" in documents
