"""The protocol of every kind of result: one set of tests, in the manner of scikit-learn's common tests."""

from __future__ import annotations

import copy
import csv
import json
import pickle
import re
from dataclasses import replace
from html.parser import HTMLParser

import jsonschema
import pyarrow
import pytest

import infoscope as ifs
from infoscope import Finding
from infoscope.errors import InputError
from tests.api import KINDS, Provenance, Result, find_view, get_result_class
from tests.results.examples import EXAMPLES, example, schema_file

pytestmark = pytest.mark.parametrize("kind", sorted(KINDS))

FORMS = (".json", ".md", ".html", ".txt", ".csv", ".parquet")


@pytest.fixture
def result(kind: str) -> Result:
    return example(kind)


@pytest.fixture
def again(result: Result) -> Result:
    return type(result).from_dict(json.loads(result.to_json()))


def test_every_kind_has_an_example(kind):
    assert kind in EXAMPLES


def test_the_kind_names_its_class_and_schema(kind, result):
    assert get_result_class(kind) is type(result)
    assert result.kind == kind
    assert result.to_dict()["schema"] == f"infoscope/{kind}/2"


def test_it_knows_where_it_comes_from_and_what_was_found(result):
    assert isinstance(result.provenance, Provenance)
    assert all(isinstance(finding, Finding) for finding in result.findings)


def test_the_document_reads_back(result, again):
    assert again.to_dict() == result.to_dict()
    assert again.to_json() == result.to_json()


def test_it_goes_to_another_process_and_is_copied(result):
    """With its tables, which no document has: a worker hands back what it evaluated."""
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert type(other) is type(result)
        assert other.to_dict() == result.to_dict()
        assert list(other.rows()) == list(result.rows())


def test_text_markdown_and_rows_need_only_the_document(result, again):
    assert again.to_text() == result.to_text()
    assert again.to_markdown() == result.to_markdown()
    assert list(again.rows()) == list(result.rows())


def test_the_run_is_named_in_text_markdown_and_page(result):
    named = replace(result, provenance=replace(result.provenance, run="build 7"))
    for form in (named.to_text(), named.to_markdown(), named.to_html()):
        assert "run build 7" in " ".join(re.sub(r"<[^>]*>", "", form).split())


def test_the_page_and_the_notebook_need_only_the_document(result, again):
    assert again.to_html() == result.to_html()
    assert again._repr_html_() == result._repr_html_()


def test_the_document_fits_its_schema_file(kind, result):
    schema = json.loads(schema_file(kind).read_text(encoding="utf-8"))
    assert schema == type(result).json_schema(), "run `make docs`: the schema file is stale"
    jsonschema.Draft202012Validator(schema).validate(json.loads(result.to_json()))


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_text_keeps_within_its_width(result, width):
    from rich.cells import cell_len

    lines = result.to_text(width=width).splitlines()
    assert max(map(cell_len, lines)) <= width


def test_units_change_what_is_shown_and_not_the_document(result):
    before = result.to_json()
    for unit in ("bits", "nats"):
        assert result.to_text(unit=unit)
        assert result.to_markdown(unit=unit)
    assert result.to_json() == before
    with pytest.raises(InputError, match="unit"):
        result.to_text(unit="digits")


def test_the_repr_has_at_most_five_lines(result):
    lines = repr(result).splitlines()
    assert 1 <= len(lines) <= 5
    assert max(map(len, lines)) <= 160


class Elements(HTMLParser):
    """Open elements, and whether they end in order."""

    VOID = frozenset(
        {
            "meta",
            "img",
            "br",
            "input",
            "rect",
            "circle",
            "line",
            "path",
            "hr",
            "link",
            "polygon",
            "polyline",
            "ellipse",
        }
    )

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.scripts += tag == "script"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        pass


def test_the_page_is_whole_and_loads_nothing(result, again):
    for page in (result.to_html(), again.to_html()):
        parser = Elements()
        parser.feed(page)
        assert not parser.open
        assert "Content-Security-Policy" in page
        assert "http://" not in page.replace("http://www.w3.org/", "")
        assert 'src="https:' not in page


def test_a_notebook_cell_runs_no_code(result):
    cell = result._repr_html_()
    assert "<script" not in cell
    parser = Elements()
    parser.feed(cell)
    assert not parser.open


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_hold_the_rows(result, backend):
    pytest.importorskip(backend)
    for wide, rows in ((False, result.tidy_rows()), (True, result.rows())):
        found = result.to_frame(backend, wide=wide)
        assert type(found).__module__.split(".")[0] == backend
        assert found.shape[0] == len(list(rows)) > 0
        assert pyarrow.table(found).num_rows == found.shape[0]
        assert hasattr(found, "__arrow_c_stream__")


def test_tidy_rows_have_one_contract(result, again):
    frame = result.to_frame("pyarrow")
    words, numbers = ("system", "group", "class", "metric"), ("value", "low", "high", "sample_value")
    assert tuple(frame.column_names[:9]) == (*words, *numbers, "undefined")
    assert all(frame.schema.field(name).type == pyarrow.string() for name in (*words, "undefined"))
    assert all(frame.schema.field(name).type == pyarrow.float64() for name in numbers)
    assert list(again.tidy_rows()) == list(result.tidy_rows())
    for row in frame.to_pylist():
        assert row["metric"]
        assert row["undefined"] is None or row["value"] is None
        if row["low"] is not None and row["value"] is not None:
            assert row["low"] <= row["value"] <= row["high"]


def test_every_number_of_the_wide_rows_is_in_the_tidy_ones(result):
    """What is shown under a name of its own, a mean and a standard deviation apart."""
    tidy = {row["value"] for row in result.tidy_rows()} | {part for row in result.tidy_rows() for part in row.values()}
    for row in result.rows():
        for name, value in row.items():
            if isinstance(value, float) and not name.endswith((".mean", ".sd")):
                assert value in tidy, name


def test_an_unknown_backend_is_rejected(result):
    with pytest.raises(InputError, match="pandas, polars, pyarrow"):
        result.to_frame("excel")


@pytest.mark.parametrize("suffix", FORMS)
def test_it_is_saved_by_suffix_and_replaced_only_by_force(result, tmp_path, suffix):
    path = tmp_path / f"result{suffix}"
    assert result.save(path) == path
    assert path.stat().st_size > 0
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    if suffix != ".html":  # a page of ours may be replaced by a page
        with pytest.raises(InputError, match="exists"):
            result.save(path)
    result.save(path, force=True)


def test_saved_forms_hold_what_the_methods_give(result, tmp_path):
    assert result.save(tmp_path / "a.json").read_text(encoding="utf-8") == result.to_json() + "\n"
    assert result.save(tmp_path / "a.md").read_text(encoding="utf-8") == result.to_markdown()
    assert result.save(tmp_path / "a.txt").read_text(encoding="utf-8") == result.to_text()
    with result.save(tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(list(result.tidy_rows()))
    import duckdb

    path = result.save(tmp_path / "a.parquet")
    with duckdb.connect() as connection:
        counted = connection.execute(f"SELECT count(*) FROM '{path}'").fetchall()
    assert counted == [(len(rows),)]


def test_an_unknown_suffix_is_rejected(result, tmp_path):
    with pytest.raises(InputError, match=r"\.json"):
        result.save(tmp_path / "result.docx")
    assert not list(tmp_path.iterdir())


def test_a_saved_document_is_loaded_as_its_own_kind(result, tmp_path):
    found = ifs.load(result.save(tmp_path / "result.json"))
    assert type(found) is type(result)
    assert found.to_dict() == result.to_dict()


def test_a_document_of_another_schema_is_rejected(kind, result):
    document = json.loads(result.to_json())
    with pytest.raises(InputError, match="schema"):
        type(result).from_dict(document | {"schema": "infoscope/other/2"})
    with pytest.raises(InputError):
        type(result).from_dict({"schema": f"infoscope/{kind}/2"})


def test_pictures_are_drawn_by_name(result):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    names = list(find_view(result.kind).PICTURES)
    if result.kind == "sweep":  # the example moves a threshold
        for name in ("risk_coverage", "error_reject"):
            names.remove(name)
            with pytest.raises(InputError, match="probabilities of every class"):
                result.plot(name)
    for name in names:
        assert result.plot(name).ax_ is not None
        pyplot.close("all")
    with pytest.raises(InputError, match="picture"):
        result.plot("no such picture")
