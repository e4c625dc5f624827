"""Every row counts: no option stops early, and documents that were made of a part still load."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import infoscope as ifs
from tests.api import app


def test_until_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("gold,svm\n" + "a,a\nb,b\n" * 20)
    run = CliRunner().invoke(app, ["evaluate", str(path), "-t", "gold", "-s", "svm", "--until", "width=0.02"])

    assert run.exit_code == 2
    assert "all rows are read now, so leave it out" in " ".join(run.output.split())
    assert "Traceback" not in run.output
    with pytest.raises(TypeError, match="all rows are read now, so leave it out"):
        ifs.evaluate(path, truth="gold", system="svm", until="width=0.02")  # type: ignore[call-arg]


def test_documents_of_a_part_still_load(tmp_path: Path) -> None:
    evaluation = ifs.evaluate(["a", "b", "b"] * 9, ["a", "b", "a"] * 9)
    document = json.loads(evaluation.to_json())
    document["adaptive"] = {"goal": "proficiency.width=0.02", "reached": True, "share": 0.1, "blocks": 9}
    document["adaptive"] |= {"sorted": False, "text": "read 10.0% of it", "width": 0.019}
    document["findings"] = [{"code": "read_in_part", "text": "read 10.0% of it.", "severity": "note"}]
    path = tmp_path / "part.json"
    path.write_text(json.dumps(document))
    back = ifs.load(path)

    assert back["system"].number("accuracy") == pytest.approx(2 / 3)
    assert "read 10.0% of it" in back.to_text()
