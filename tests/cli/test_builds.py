"""A gate as build servers see it: JUnit, SARIF, annotations, the summary, and settings of the project."""

import json
import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import app, read_configuration

TRUTH = ["cat"] * 40 + ["dog"] * 40 + ["a<b>\x01&\n,:%"] * 40
PREDICTED = ["cat"] * 36 + ["dog"] * 4 + ["dog"] * 20 + ["cat"] * 20 + TRUTH[80:]
GATE = ifs.gate(TRUTH, PREDICTED, min={"proficiency.low": 0.9, "accuracy": 0.8, "recall[dog].value": 0.9})
"""Failed, left open, and failed for one class."""


def run(*words: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(app, list(words))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = zip(TRUTH[:80], PREDICTED[:80], strict=True)
    (tmp_path / "rows.csv").write_text("label,model\n" + "".join(f"{t},{p}\n" for t, p in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_junit_counts_what_the_gate_says() -> None:
    suite = Xml.fromstring(GATE.to_junit())
    cases = suite.findall("testsuite/testcase")

    assert [case.get("name") for case in cases] == [check.condition for check in GATE.checks]
    outcomes = [check.outcome for check in GATE.checks]
    assert suite.get("tests") == str(len(outcomes))
    assert suite.get("failures") == str(outcomes.count("failed")) == str(len(suite.findall(".//failure")))
    assert suite.get("skipped") == str(outcomes.count("inconclusive")) == str(len(suite.findall(".//skipped")))
    assert {"failed", "inconclusive"} <= set(outcomes)
    assert "causes" in str(suite.find(".//failure").text)


@pytest.mark.parametrize(("inconclusive", "failures", "skipped"), [("fail", 1, 0), ("pass", 0, 0), ("warn", 0, 1)])
def test_too_little_data_counts_as_it_was_asked(inconclusive: str, failures: int, skipped: int) -> None:
    gate = ifs.gate(TRUTH, PREDICTED, min={"accuracy": 0.8}, inconclusive=inconclusive)
    suite = Xml.fromstring(gate.to_junit())

    assert (suite.get("failures"), suite.get("skipped")) == (str(failures), str(skipped))
    levels = [result["level"] for result in json.loads(gate.to_sarif())["runs"][0]["results"]]
    assert levels.count("error") == failures


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("runs/my log#1 ü.csv", "runs/my%20log%231%20%C3%BC.csv"),
        ("s3://logs/day=1/log.parquet", "s3://logs/day=1/log.parquet"),
        ("/data/a b.csv", "file:///data/a%20b.csv"),
    ],
)
def test_places_in_sarif_are_addresses(source: str, uri: str) -> None:
    gate = replace(GATE, provenance=replace(GATE.provenance, source=source))
    (found,) = json.loads(gate.to_sarif())["runs"]
    assert found["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri}


def test_sarif_has_a_place_and_a_rule_for_every_result() -> None:
    document = json.loads(GATE.to_sarif())
    (found,) = document["runs"]
    rules = {rule["id"] for rule in found["tool"]["driver"]["rules"]}

    assert document["version"] == "2.1.0"
    assert {result["ruleId"] for result in found["results"]} == rules
    for result in found["results"]:
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    worst = [result["message"]["text"] for result in found["results"] if result["ruleId"] == "worst-class"]
    assert "'dog'" in worst[0]


OBJECTS: dict[str, tuple[set[str], set[str]]] = {
    "document": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"results", "properties"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"shortDescription", "defaultConfiguration"}),
    "result": ({"message"}, {"ruleId", "level", "locations"}),
}
"""Properties that sarif-schema-2.1.0.json of OASIS requires of an object, and those of it that are used here.

Documents of this test and of odd sources were validated against the schema, which allows no other properties.
"""


def test_sarif_keeps_the_rules_of_its_schema() -> None:
    document = json.loads(GATE.to_sarif())
    (found,) = document["runs"]
    driver = found["tool"]["driver"]
    objects = [("document", document), ("run", found), ("tool", found["tool"]), ("driver", driver)]
    objects += [("rule", rule) for rule in driver["rules"]] + [("result", result) for result in found["results"]]

    for kind, value in objects:
        required, allowed = OBJECTS[kind]
        assert required <= set(value) <= required | allowed, kind
    levels = {value.get("level") or value["defaultConfiguration"]["level"] for _, value in objects[4:]}
    assert levels <= {"none", "note", "warning", "error"}
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    for result in found["results"]:
        (place,) = result["locations"]
        assert set(result["message"]) == {"text"}
        assert set(place["physicalLocation"]) == {"artifactLocation", "region"}
        assert place["physicalLocation"]["region"]["startLine"] >= 1


def test_names_of_classes_are_no_placeholders_and_no_links_in_sarif() -> None:
    truth, predicted = ["{0}", "[a](1)"] * 20, ["{0}", "{0}"] * 20
    (found,) = json.loads(ifs.gate(truth, predicted, min={"accuracy": 0.9}).to_sarif())["runs"]
    texts = " ".join(result["message"]["text"] for result in found["results"])

    assert "'{{0}}'" in texts
    assert "{0}" not in texts.replace("{{0}}", "")
    assert "'[a] (1)'" in texts
    assert "](" not in texts


def test_worst_classes_are_ordered_by_what_they_cost() -> None:
    shares = [each.missed_share for each in GATE.worst_classes]

    assert shares == sorted(shares, reverse=True)
    assert GATE.worst_classes[0].label == "dog"
    assert (GATE.worst_classes[0].predicted, GATE.worst_classes[0].count) == ("cat", 20)
    assert all(each.recall.value < 1 for each in GATE.worst_classes)
    assert "Worst classes" in ifs.reports.render(GATE, "markdown", max_rows=0)
    assert ifs.Gate.from_dict(GATE.to_dict()).worst_classes == GATE.worst_classes


@pytest.mark.slow
def test_annotations_are_one_line_each_and_escaped() -> None:
    many = [f"class {i},:%" for i in range(30)]
    gate = ifs.gate(many * 9, [many[0]] * 270, min={"proficiency.low": 0.9, "accuracy": 0.9})
    lines = gate.annotations()

    assert all("\n" not in line for line in lines)
    assert sum(line.startswith("::error") for line in lines) == 2
    assert sum(line.startswith("::warning title=class class ") for line in lines) == 5
    assert any("%2C%3A%25::" in line for line in lines)


def test_files_of_a_build(project: Path) -> None:
    summary = project / "summary.md"
    words = ("gate", "rows.csv", "-t", "label", "-s", "model", "--min", "proficiency.low=0.9", "--format", "json")
    done = run(
        *words, "--junit", "j.xml", "--sarif", "s.sarif", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary)
    )

    assert done.exit_code == 1
    assert json.loads(done.stdout)["outcome"] == "failed"
    assert "::error title=gate failed::model: proficiency.low at least 0.9" in done.stderr
    assert Xml.parse(project / "j.xml").getroot().get("failures") == "1"
    assert json.loads((project / "s.sarif").read_text())["runs"][0]["results"]
    assert "Worst classes" in summary.read_text()
    again = run(*words, "--junit", "j.xml")
    assert again.exit_code == 2
    assert "j.xml exists already; use --force" in again.stderr
    assert run(*words, "--junit", "same.xml", "--sarif", "same.xml").exit_code == 2
    assert not (project / "same.xml").exists()


SETTINGS = """
level = 0.8
truth = "label"
system = "model"

[gate]
min = {proficiency.low = 0.01, accuracy = 0.5}
baseline-system = "old"

[evaluate]
positive = "dog"
"""


@pytest.mark.slow
def test_settings_of_a_project_hold_for_its_commands(project: Path) -> None:
    (project / "infoscope.toml").write_text(SETTINGS.replace('baseline-system = "old"', ""))
    (project / "deep").mkdir()
    found = run("gate", "rows.csv", "--format", "json")
    checks = json.loads(found.stdout)["checks"]

    assert [check["condition"] for check in checks] == ["proficiency.low at least 0.01", "accuracy at least 0.5"]
    assert json.loads(run("evaluate", "rows.csv", "--format", "json").stdout)["systems"][0]["interval"]["level"] == 0.8
    assert "of 'dog'" in run("evaluate", "rows.csv").stdout
    typed = run("gate", "rows.csv", "--min", "accuracy=0.6", "--format", "json")
    assert [check["condition"] for check in json.loads(typed.stdout)["checks"]] == ["accuracy at least 0.6"]
    environment = run("gate", "rows.csv", "--format", "json", INFOSCOPE_GATE_MIN="accuracy=0.55")
    assert [check["condition"] for check in json.loads(environment.stdout)["checks"]] == ["accuracy at least 0.55"]
    without = run("--no-config", "gate", "rows.csv")
    assert without.exit_code == 2
    assert "gate without conditions" in without.stderr


@pytest.mark.slow
def test_the_project_file_is_found_above_and_others_are_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "[tool.other]",
        "[tool.infoscope]",
        'truth = "label"',
        'system = ["model"]',
        "[tool.infoscope.gate]",
        'min = "accuracy=0.5"',
    ]
    (project / "pyproject.toml").write_text("\n".join(lines))
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")

    assert run("gate", "../rows.csv").exit_code == 0
    shown = run("--show-config").stdout
    assert shown.startswith(f"# {project / 'pyproject.toml'}")
    assert json.loads(shown.partition("\n")[2])["gate"] == {"min": "accuracy=0.5"}
    (project / "strict.toml").write_text('truth = "label"\nsystem = "model"\n[gate]\nmin = "accuracy=0.99"\n')
    assert run("--config", "../strict.toml", "gate", "../rows.csv").exit_code == 1
    assert run("gate", "../rows.csv", INFOSCOPE_CONFIG="../strict.toml").exit_code == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[gate]\nmim = 1\n", "there is no option 'gate.mim'; did you mean 'min'?"),
        ("levle = 0.9\n", "there is no option 'levle'; did you mean 'level'?"),
        ("[gat]\nmin = 1\n", "there is no option 'gat'; did you mean 'gate'?"),
        ('level = "high"\n', "infoscope.toml: level is 'high': 'high' is not a valid float"),
        ("level = true\n", "infoscope.toml: level is True: it takes a value, not true or false"),
        ("level = [0.9]\n", "infoscope.toml: level is [0.9]: it takes one value, not a list"),
        ("strict = 3\n", "infoscope.toml: strict is 3: write true or false"),
        ("[evaluate]\nseed = 1.5\n", "infoscope.toml: seed is 1.5: write a whole number"),
        ("truth = 2026-11-16\n", "it takes text or a number"),
        ('[gate]\ninconclusive = "maybe"\n', "infoscope.toml: inconclusive is 'maybe': 'maybe' is not one of 'fail'"),
        ("gate = 3\n", "gate is a command; write its options in a table [gate]"),
        ("level = \n", "is not TOML"),
        (f"level = {'[' * 10**5}{']' * 10**5}\n", "is not TOML: it is nested too deeply"),
        (f"level = {'{a=' * 10**5}1{'}' * 10**5}\n", "is not TOML: it is nested too deeply"),
        (f"[{'.'.join('a' * 10**5)}]\n", "infoscope.toml: "),
        (f"seed = {'9' * 5000}\n", "is not TOML: Exceeds the limit"),
        ('output = "rows.csv"\nforce = true\n', "infoscope.toml: output is no setting"),
        ("[gate]\nforce = true\n", "infoscope.toml: force is no setting"),
        ('[gate]\njunit = "rows.csv"\n', "type --junit"),
        ('[gate]\nsarif = "rows.csv"\n', "type --sarif"),
        ('level = "high"\n', "'high' is not a valid float"),
    ],
)
def test_settings_that_nothing_knows_are_rejected(project: Path, text: str, sentence: str) -> None:
    (project / "infoscope.toml").write_text(text)
    words = ["evaluate"] if text.startswith("[evaluate]") else ["gate", "--min", "accuracy=0.1"]
    done = run(*words, "rows.csv", "-t", "label", "-s", "model")

    assert done.exit_code == 2
    assert sentence in " ".join(done.stderr.split())
    assert not done.stdout


@pytest.mark.parametrize("root", ["pyproject.toml", ".git", "home"])
def test_settings_above_the_root_of_a_project_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    (tmp_path / "infoscope.toml").write_text("level = 0.5\n")
    inside = tmp_path / "project" / "deep"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert read_configuration(None).settings == {"level": 0.5}
    if root == "home":
        monkeypatch.setenv("HOME", str(tmp_path / "project"))
        monkeypatch.setenv("USERPROFILE", str(tmp_path / "project"))
    else:
        (tmp_path / "project" / root).touch()

    assert read_configuration(None).path is None
    (tmp_path / "project" / "infoscope.toml").write_text("level = 0.6\n")
    assert read_configuration(None).settings == {"level": 0.6}


@pytest.mark.parametrize("name", ["infoscope.toml", "pyproject.toml"])
def test_settings_of_other_users_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / name
    path.write_text("[tool.infoscope]\nlevel = 0.5\n")
    monkeypatch.chdir(tmp_path)
    owners = {path: 4711}
    stat = Path.stat

    def stat_of_another_user(place: Path, **how: bool) -> os.stat_result:
        found = stat(place, **how)
        return os.stat_result((*found[:4], owners.get(place, found.st_uid), *found[5:10]))

    monkeypatch.setattr(Path, "stat", stat_of_another_user)
    assert read_configuration(None).settings == {}
    assert f"{path} belong to another user and are not used" in capsys.readouterr().err
    assert read_configuration(str(path)).settings == {"level": 0.5}
    path.write_text("[tool.infoscope]\nlevel = [")
    assert read_configuration(None).settings == {}  # nor does one that is no TOML, or may not be read, stop anything
    path.write_text("[tool.infoscope]\nlevel = 0.5\n")
    owners[path] = 0
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert read_configuration(None).settings == {"level": 0.5}


def test_settings_say_how_files_are_read(project: Path) -> None:
    (project / "rows.csv").write_text("a;a\nb;b\na;b\n" * 9)
    words = ["evaluate", "rows.csv", "-t", "0", "-s", "1", "--format", "json"]
    for text in (
        "read = {header = false, delimiter = ';'}",
        "[evaluate.read]\nheader = false\ndelimiter = ';'",
        "[evaluate]\nread = ['header=no', 'delimiter=;']",
    ):
        (project / "infoscope.toml").write_text(text)
        done = run(*words)
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout)["systems"][0]["n"] == 27
    (project / "infoscope.toml").write_text("read = {heder = false}")
    assert "infoscope.toml: read is ['heder=False']: 'heder=False'; write KEY=VALUE, where KEY is" in run(*words).stderr


def test_a_baseline_of_another_truth_or_schema_is_rejected(project: Path) -> None:
    words = ("gate", "rows.csv", "-t", "label", "-s", "model", "--baseline")
    other = ifs.evaluate(["x", "y"] * 20, {"model": ["x", "x", "y", "y"] * 10})
    other.save(project / "other.json")
    ifs.compare(["x", "y"] * 20, {"a": ["x", "x"] * 20, "b": ["x", "y"] * 20}).save(project / "pairs.json")

    truth = run(*words, "other.json")
    assert (truth.exit_code, truth.stdout) == (2, "")
    assert "other.json is about other true classes ('x', 'y') than model ('cat', 'dog')" in truth.stderr
    schema = run(*words, "pairs.json")
    assert schema.exit_code == 2
    assert "'infoscope/comparison/2', and 'infoscope/evaluation/2' is required" in schema.stderr
