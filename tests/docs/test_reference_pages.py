"""The reference pages are whole: every metric, finding, keyword and field has what a reader looks for."""

from pathlib import Path

import pytest

from tests.api import read_findings

pytest.importorskip("sphinx")

from tools.site.finding_pages import evidence_fields
from tools.site.metric_pages import PAGES, metric_label

pytestmark = pytest.mark.slow
WORKED = ("table", "label_sets", "tracks")


def section(reference: Path, page: str, label: str) -> str:
    text = (reference / page).read_text(encoding="utf-8")
    return text.partition(label)[2].partition("\n## ")[2].partition("\n## ")[0]


def test_the_section_of_every_metric_is_complete(reference: Path) -> None:
    for page in PAGES:
        for entry in page.entries():
            text = section(reference, f"metrics/{page.name}.md", f"({metric_label(entry)})=")
            for part in ("| in Python |", "| range |", "| undefined |", "| source |"):
                assert part in text, (entry.name, part)
            if entry.card.aliases:
                assert "| also called |" in text, entry.name
            if page.domain in WORKED:
                assert "<summary>Worked example</summary>" in text, entry.name
                if entry.card.level == "table" and entry.card.better != "none":
                    assert "<summary>When it misleads</summary>" in text, entry.name


def test_pages_say_where_metrics_mislead(reference: Path) -> None:
    accuracy = section(reference, "metrics/agreement.md", "(metric-accuracy)=")
    deta = section(reference, "metrics/tracks.md", "(metric-tracks-deta)=")

    assert "| a rare class | 0.925 | 0.950 | **prefers the second** |" in accuracy
    assert "finds 45 of 50 ill" in (reference / "metrics" / "agreement.md").read_text(encoding="utf-8")
    assert "| identities | 0.900 |" in deta
    assert "**Identities**: it does not see who is who." in deta


def test_every_finding_says_what_triggers_it_and_what_to_do(reference: Path) -> None:
    text = (reference / "findings.md").read_text(encoding="utf-8")
    sections = dict(part.split("\n", 1) for part in text.split("\n### ")[1:])

    assert set(sections) == {entry.code for entry in read_findings()}
    for code, found in sections.items():
        assert "**When it appears.**" in found, code
        assert "**What to do.**" in found, code
    assert "`majority_share`" in sections["accuracy_paradox"]
    assert len(evidence_fields()) > 0.85 * len(read_findings())


def test_keywords_fields_and_parts_of_documents_have_types(reference: Path) -> None:
    python, documents = ((reference / f"{name}.md").read_text(encoding="utf-8") for name in ("python", "documents"))

    assert "population: Literal['all', 'unlabelled'] | None = None" in python
    assert "| `systems` | `tuple[SystemResult, ...]` |" in python
    assert "### Finding\n" in documents
    assert "| `severity` | `note` or `warning` |" in documents
