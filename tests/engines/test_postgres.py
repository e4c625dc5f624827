"""A real PostgreSQL server gives the same tables, by every way in, and says no clearly."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError, UnknownNameError
from tests.engines.cases import CASES, TIME_CASES, Case, counted, expected
from tests.engines.judged_log import JUDGED_LOG, check_tensors, check_weighted_grades
from tests.engines.pattern_log import PATTERN_LOG, check_patterns, check_results
from tests.engines.servers import postgres, postgres_programs
from tests.engines.writers import fill_table

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
adbc = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="the ADBC driver is not installed")
pytestmark = pytest.mark.skipif(
    postgres_programs() is None, reason="PostgreSQL is not installed (apt-get install postgresql)"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with postgres(tmp_path_factory.mktemp("postgres")) as url:
        yield url


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:FutureWarning")
@pytest.mark.parametrize("case", [*CASES, *TIME_CASES], ids=lambda case: case.name.replace(" ", "-"))
def test_postgres_counts_as_by_hand(case: Case, server: str) -> None:
    with psycopg.connect(server) as connection:
        fill_table(connection, case, "%s")
        connection.commit()
        right = expected(case)

        assert counted((connection, "log"), case) == right
        assert counted((connection, "SELECT * FROM log;"), case) == right
        assert counted((connection, "public.log"), case) == right
    assert counted((server, "log"), case) == right
    assert counted("log", case, read=ReadOptions(engine="sql", url=server)) == right
    with adbc.connect(server) as connection:
        assert counted((connection, "log"), case) == right


def test_few_labels_and_a_judge(server: str) -> None:
    with psycopg.connect(server) as connection:
        fill_table(connection, JUDGED_LOG, "%s")
        connection.commit()
        check_tensors((connection, "log"))
    check_weighted_grades((server, "SELECT * FROM log"))


def test_patterns_without_truth(server: str) -> None:
    with psycopg.connect(server) as connection:
        fill_table(connection, PATTERN_LOG, "%s")
        connection.commit()
        check_patterns((connection, "log"))
    check_results((server, "SELECT * FROM log"))


@pytest.mark.filterwarnings("ignore")
def test_ibis_on_postgres_is_a_guest(server: str) -> None:
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
    case = CASES[0]
    with psycopg.connect(server) as connection:
        fill_table(connection, case, "%s")
    table = ibis.connect(server).table("log")

    assert counted(table, case) == expected(case)


def test_nan_weights_are_missing_and_infinite_ones_rejected(server: str) -> None:
    with psycopg.connect(server) as connection:
        connection.execute("DROP TABLE IF EXISTS heavy")
        connection.execute("CREATE TABLE heavy (t text, s text, w float8)")
        connection.execute("INSERT INTO heavy VALUES ('a', 'a', 'NaN'), ('a', 'a', 1)")
        reading = read_tables((connection, "heavy"), truth="t", system="s", weight="w")
        assert reading.ignored == {"missing weight in 'w'": 1}

        connection.execute("INSERT INTO heavy VALUES ('a', 'a', 'Infinity')")
        with pytest.raises(InputError, match="infinite"):
            read((connection, "heavy"), truth="t", system="s", weight="w")


def test_more_systems_than_a_statement_can_tell_apart(server: str) -> None:
    names = [f"s{i}" for i in range(40)]
    columns = ", ".join(f"'{name}' AS {name}" for name in names)
    tables = read_tables((server, f"SELECT 'a' AS t, {columns}"), truth="t", system=names).by_group[()]

    assert [tables[name].system_labels for name in names] == [(name,) for name in names]


def test_adbc_answers_again_after_a_rejected_query(server: str) -> None:
    with adbc.connect(server) as connection:
        for _ in range(2):
            with pytest.raises(InputError, match='"absent" does not exist'):
                read((connection, "absent"), truth="t", system="s")

        assert read((connection, "SELECT 'a' AS t, 'b' AS s"), truth="t", system="s").total == 1


def test_hostile_names_stay_names(server: str) -> None:
    name = 'x" FROM pg_user; DROP TABLE log; --'
    quoted = name.replace('"', '""')
    with psycopg.connect(server) as connection:
        connection.execute(f'DROP TABLE IF EXISTS "{quoted}"')
        connection.execute(f'CREATE TABLE "{quoted}" ("{quoted}" text, s text)')
        connection.execute(f"INSERT INTO \"{quoted}\" VALUES ('a', 'b')")

        assert read((connection, name), truth=name, system="s").total == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("s3cret", "wrong"), "password authentication failed"),
        (("owner", "nobody"), "password authentication failed"),
        (("/postgres", "/nowhere"), "does not exist"),
    ],
)
def test_rejected_credentials_are_told_without_the_password(
    server: str, change: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        read((server.replace(*change), "log"), truth="gold", system="said")

    assert "s3cret" not in str(caught.value)
    assert "wrong" not in str(caught.value)


def test_missing_table_and_column(server: str) -> None:
    with ExitStack() as stack:
        connection = stack.enter_context(psycopg.connect(server, autocommit=True))
        connection.execute("DROP TABLE IF EXISTS small")
        connection.execute("CREATE TABLE small (gold text, said text)")

        with pytest.raises(InputError, match='"absent" does not exist'):
            read((connection, "absent"), truth="gold", system="said")
        with pytest.raises(UnknownNameError, match="did you mean 'said'"):
            read((connection, "small"), truth="gold", system="sad")


def test_server_is_not_left_behind(tmp_path: Path) -> None:
    with postgres(tmp_path) as url:
        pass
    with pytest.raises(InputError, match="cannot connect"):
        read((url, "log"), truth="gold", system="said")
