"""No sentence, page or document repeats a password, whoever wrote the words around it."""

import json
import sqlite3
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from infoscope import ReadOptions, evaluate, read
from infoscope.errors import InputError, UnknownNameError, hide_secrets, mask_secrets
from tests.api import app, show_progress, stores

SECRET = "hunter2"
ADDRESSES = [
    f"https://ann:{SECRET}@example.org/log.csv",
    f"https://{SECRET}@example.org/log.csv",
    f"http://ann:p@{SECRET}/x@example.org/log.csv",
    f"https://ann:{SECRET}'s@example.org/log.csv",
    f"https://ann:a?{SECRET}@example.org/log.csv",
    f"https://example.org/log.csv?sig={SECRET}&v=1",
    f"https://b.s3.amazonaws.com/x.parquet?X-Amz-Credential={SECRET}&X-Amz-Signature={SECRET}",
    f"s3a://KEY:{SECRET}/x+y@bucket/log.parquet",
    f"postgresql://ann:{SECRET}@db/logs",
    f"postgresql+psycopg://db/logs?user=ann&sslpassword={SECRET}",
    f"jdbc:oracle:thin:scott/{SECRET}@db:1521:x",
    f"sc://host:15002/;token={SECRET};user_id=ann",
    f"host=db user=ann password={SECRET} dbname=logs",
    f"host=db password = '{SECRET} {SECRET}' dbname=logs",
    f"Server=db;UID=ann;PWD={{{SECRET};{SECRET}}};Database=logs",
    f"DefaultEndpointsProtocol=https;AccountKey={SECRET}==;EndpointSuffix=core",
    f"aws_secret_access_key={SECRET}",
    f"CREATE SECRET (TYPE s3, KEY_ID 'x', SECRET '{SECRET}')",
    f"{{'user': 'ann', 'password': '{SECRET}'}}",
    f"Authorization: Bearer {SECRET}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_loses_its_secret_wherever_it_is_said(address: str) -> None:
    for sentence in (address, f"cannot open {address!r}: refused", f"{address}, {address} and 3 more"):
        assert SECRET not in mask_secrets(sentence)
        assert mask_secrets(mask_secrets(sentence)) == mask_secrets(sentence)
        assert SECRET not in str(InputError(sentence))
        assert SECRET not in str(UnknownNameError(sentence))


@pytest.mark.parametrize(
    "plain",
    [
        "https://example.org:8080/pkg@2/log.csv",
        "postgresql://ann@db/logs",
        "column 'token' is not there; did you mean 'tokens'?",
        "secretary_recall=0.5",
        "ann@example.org",
        "logs/day=3/part-0.parquet",
        "mypassword",
    ],
)
def test_what_is_no_secret_stays(plain: str) -> None:
    assert mask_secrets(plain) == plain


@given(
    user=st.text("abcXYZ019._-", min_size=1, max_size=8),
    password=st.text(st.characters(blacklist_categories=["Z", "C"]), min_size=1, max_size=12).map(lambda x: f"Q{x}Q9Q"),
    scheme=st.sampled_from(["https", "postgresql", "s3a", "mysql+pymysql"]),
)
def test_no_password_survives_whatever_its_signs(user: str, password: str, scheme: str) -> None:
    assert "Q9Q" not in mask_secrets(f"refused: {scheme}://{user}:{password}@host/x (timeout)")


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "ADDRESS", "-t", "t", "-s", "s"],
        ["evaluate", "ADDRESS", "-t", "t"],
        ["evaluate", "x", "-t", "t", "-s", "s", "--read", "engine=ADDRESS"],
        ["evaluate", "x", "-t", "t", "-s", "s", "--engine-url", "ADDRESS"],
        ["evaluate", "--matrix", "ADDRESS"],
        ["evaluate", "x", "-t", "t", "-s", "s", "--prevalence", "ADDRESS"],
        ["evaluate", "x", "-t", "t", "-s", "s", "--ADDRESS"],
        ["ADDRESS"],
        ["explain", "x", "ADDRESS"],
        ["count", "ADDRESS", "-t", "t", "-s", "s", "-o", "ADDRESS.ifs"],
        ["sweep", "ADDRESS", "-t", "t", "--score", "p"],
        ["multilabel", "ADDRESS", "ADDRESS"],
        ["agree", "ADDRESS", "-s", "a", "-s", "b"],
        ["track", "ADDRESS", "ADDRESS"],
        ["gate", "ADDRESS", "-t", "t", "-s", "s", "--baseline", "ADDRESS"],
    ],
    ids=" ".join,
)
def test_commands_do_not_repeat_a_password(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_PAUSES", (0.0, 0.0, 0.0))  # nobody will answer, however long we wait
    for address in (f"https://ann:{SECRET}@localhost:1/log.csv", f"postgresql://ann:{SECRET}@localhost:1/logs"):
        result = CliRunner().invoke(app, [word.replace("ADDRESS", address) for word in words])

        assert result.exit_code == 2, result.output
        assert SECRET not in result.output


def test_errors_behind_ours_are_masked_too() -> None:
    class StubbornError(Exception):
        def __str__(self) -> str:
            return f"https://ann:{SECRET}@example.org"

    def failing(kind: type[Exception]) -> None:
        try:
            raise kind(f"refused https://ann:{SECRET}@example.org")
        except kind as error:
            raise InputError("no answer") from error

    for kind in (RuntimeError, StubbornError):
        with pytest.raises(InputError) as raised, hide_secrets():
            failing(kind)
        shown = "".join(traceback.format_exception(raised.value))
        assert "no answer" in shown
        assert f":{SECRET}@" not in shown.replace('raise kind(f"refused https://ann:{SECRET}@example.org")', "")


def test_the_reader_hides_what_a_driver_says() -> None:
    with pytest.raises(InputError) as raised:
        read(
            (sqlite3.connect(":memory:"), f'SELECT 1 AS t, 2 AS s FROM "https://ann:{SECRET}@h" x'),
            truth="t",
            system="s",
        )

    assert SECRET not in "".join(traceback.format_exception_only(raised.value))
    assert raised.value.__cause__ is None or SECRET not in str(raised.value.__cause__)
    assert SECRET not in repr(ReadOptions(engine="sql", url=f"postgresql://ann:{SECRET}@db"))


@pytest.mark.slow
def test_documents_pages_and_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / f"x?token={SECRET}.csv"
    log.write_text("t,s\na,a\nb,b\nb,a\n")
    target = tmp_path / "out.html"
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["evaluate", log.name, "-t", "t", "-s", "s", "-o", str(target)])

    assert result.exit_code == 0, result.output
    assert SECRET not in target.read_text()
    assert SECRET not in json.dumps(evaluate(str(log), truth="t", system="s").to_dict())

    seen: list[str] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("infoscope.readers.progress._paint", lambda task, *_: seen.append(task))
    with show_progress(f"counting https://ann:{SECRET}@example.org/x"):
        pass
    assert seen == ["counting https://ann:…@example.org/x"]


@pytest.mark.slow
def test_an_internal_error_is_told_without_the_password() -> None:
    code = (
        "import infoscope.cli.commands.evaluate as e, infoscope.cli as c, sys\n"
        "def fail(*_, **__): raise RuntimeError(sys.argv[2])\n"
        "e.ask_chosen = fail\nc.main()"
    )
    words = ["evaluate", f"https://ann:{SECRET}@example.org/x.csv", "-t", "t", "-s", "s", "-v"]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)

    assert done.returncode == 70, done.stderr
    assert "RuntimeError" in done.stderr
    assert SECRET not in done.stderr


def test_the_name_of_a_run_keeps_no_password(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,p\na,a\nb,b\na,b\n")
    words = ["evaluate", str(path), "-t", "t", "-s", "p", "--run", "https://ann:s3cret@ci.example.org/7"]
    for form in ("json", "html", "markdown", "text"):
        found = CliRunner().invoke(app, [*words, "--format", form])
        assert found.exit_code == 0
        assert "s3cret" not in found.output
        assert "ci.example.org" in found.output
