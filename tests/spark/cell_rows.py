"""Rows behind cells, found by Spark itself: those that were counted, the same whatever the partitions."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import infoscope as ifs
from infoscope.errors import InfoscopeError
from tests.api import CellPage, CellQuery, ChangeQuery, count_changed_predictions, read_cell_rows

ROWS = 300
NAMES = ("id", "the truth", "s.vm", "tree", "place", "score", "w", "tags")


def asked(frame: Any, **options: Any) -> CellPage:
    given = {"true_label": "cat", "predicted": "dog", "clean": ("strip", "casefold"), "limit": 200, **options}
    return read_cell_rows(frame, CellQuery("the truth", "s.vm", **given))


def ids(page: CellPage) -> list[Any]:
    return [row.values["id"] for row in page.rows]


class RowsBehindCells:
    """Tests of a class that has a session ``spark``."""

    @pytest.fixture(scope="class")
    def lines(self) -> list[tuple[Any, ...]]:
        rng = np.random.default_rng(31)
        truth = rng.choice(["Cat", "cat ", "dog", "cow"], ROWS)
        guess = np.char.strip(np.char.lower(truth))
        svm = np.where(rng.random(ROWS) < 0.6, guess, rng.choice(["cat", "dog", "?"], ROWS))
        place = rng.choice(["farm", "town"], ROWS)
        svm = np.where((truth == "cow") & (place == "town"), "dog", svm)
        return [
            (
                f"row {i}",
                None if i % 29 == 0 else str(truth[i]),
                None if i % 31 == 0 else str(svm[i]),
                str(rng.choice(["cat", "dog", "cow"])),
                str(place[i]),
                float(np.round(rng.random(), 4)),
                None if i % 17 == 0 else float(i % 3),
                [str(i), "x"],
            )
            for i in range(ROWS)
        ]

    @pytest.fixture(scope="class")
    def frame(self, spark: Any, lines: list[tuple[Any, ...]]) -> Any:
        rows = pa.table(list(map(list, zip(*lines, strict=True))), names=NAMES)  # without processes of Python
        return spark.createDataFrame(rows).repartition(3).cache()

    def test_rows_behind_every_cell_are_those_that_were_counted(self, frame: Any, lines: list[tuple[Any, ...]]) -> None:
        clean = ("strip", "casefold")
        table = ifs.read(frame, truth="the truth", system="s.vm", weight="w", reject="?", clean=clean)
        counts = {
            (str(t), str(s)): table.counts[i][j]
            for i, t in enumerate(table.truth_labels)
            for j, s in enumerate(table.system_labels)
        }
        assert ("cow", "?") in counts
        for (truth, predicted), count in list(counts.items())[:4]:
            found = asked(frame, true_label=truth, predicted=predicted, weight="w")
            expected = [
                line
                for line in lines
                if line[1]
                and line[2]
                and line[6] is not None
                and line[1].strip().lower() == truth
                and line[2] == predicted
            ]
            assert found.weight == count == sum(line[6] for line in expected)
            assert found.total == len(expected)
            assert sorted(ids(found)) == sorted(line[0] for line in expected)
            assert all(row.number is None for row in found.rows)

    def test_the_same_rows_whatever_the_partitions(self, frame: Any) -> None:
        few = asked(frame, limit=7)
        assert ids(asked(frame.repartition(5), limit=7)) == ids(few)
        assert ids(asked(frame, limit=7, seed=1)) != ids(few)
        assert few.total > 7 == len(few.rows)
        assert few.rows[0].values["tags"].startswith("[")

    def test_equal_rows_count_each(self, frame: Any) -> None:
        one = frame.filter("id = 'row 1'").drop("id")
        page = read_cell_rows(
            one.unionByName(one).unionByName(one),
            CellQuery("the truth", "s.vm", *one.select("`the truth`", "`s.vm`").first(), limit=2),
        )
        assert (page.total, len(page.rows)) == (3, 2)

    def test_orders_search_and_segments(self, frame: Any, lines: list[tuple[Any, ...]]) -> None:
        surest = [row.values["score"] for row in asked(frame, order="most confident", score="score").rows]
        assert surest == sorted(surest, reverse=True)
        found = asked(frame, true_label="cow", search="TOWN", by=("place",))
        assert found.matches == sum(line[1] == "cow" and line[2] == "dog" and line[4] == "town" for line in lines)
        assert [(each.column, each.value) for each in found.segments] == [("place", "town")]
        assert not asked(frame, by=("place",)).segments
        with pytest.raises(InfoscopeError, match="no column 'plac'"):
            asked(frame, by=("plac",))

    def test_examples_of_an_evaluation(self, frame: Any, lines: list[tuple[Any, ...]]) -> None:
        options = {"clean": ("strip", "casefold"), "examples": 3, "show": ["id", "place"]}
        once, again = (
            ifs.evaluate(rows, truth="the truth", system="s.vm", **options)["s.vm"].examples
            for rows in (frame, frame.repartition(4))
        )
        assert once == again
        by_id = {line[0]: line for line in lines}
        for cell in once:
            assert len(cell.rows) == min(3, cell.count)
            for row in cell.rows:
                line = by_id[row.values["id"]]
                assert (line[1].strip().lower(), line[2]) == (cell.truth, cell.system)

    def test_changes_between_two_systems(self, frame: Any, lines: list[tuple[Any, ...]]) -> None:
        found = count_changed_predictions(frame, "the truth", "s.vm", "tree")
        worse = [line for line in lines if line[1] and line[2] and line[1] == line[2] != line[3]]
        assert found.count("worse") == len(worse)
        page = read_cell_rows(frame, ChangeQuery("the truth", "s.vm", "tree", "worse", limit=200))
        assert sorted(ids(page)) == sorted(line[0] for line in worse)
