"""Confusion matrices as Weka prints and MATLAB saves them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy.io import savemat
from scipy.sparse import csc_array

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import app, read_matrices, read_matrix, recognise_matrix

OUTPUT = """=== Stratified cross-validation ===

Correctly Classified Instances         144               96      %

=== Detailed Accuracy By Class ===

                 TP Rate  FP Rate  Class
                 0.980    0.000    Iris setosa

=== Confusion Matrix ===

  a  b  c   <-- classified as
 49  1  0 |  a = Iris setosa
  0 47  3 |  b = x = y
  0  2 48 |  c = Iris-virginica

"""


TRAINING = OUTPUT.replace("Stratified cross-validation", "Error on training data").replace("49  1", "50  0")
VW = """raw test errors: 3 out of 20
confusion matrix (rows = truth, columns = prediction):
 9  1
 2  8
png test errors: 1 out of 20
confusion matrix (rows = truth, columns = prediction):
10  0
 1  9
"""


def _written(folder: Path, text: str, name: str = "output.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_matrix_of_an_output_of_weka(tmp_path: Path) -> None:
    table = read_matrix(_written(tmp_path, OUTPUT))
    assert table.truth_labels == table.system_labels == ("Iris setosa", "x = y", "Iris-virginica")
    assert table.counts.tolist() == [[49, 1, 0], [0, 47, 3], [0, 2, 48]]


def test_more_than_26_classes_and_weights(tmp_path: Path) -> None:
    names = [*"abcdefghijklmnopqrstuvwxyz", "aa"]
    rows = [
        f" {' '.join('1.5' if i == j else '0' for j in range(27))} | {name} = class {name}"
        for i, name in enumerate(names)
    ]
    table = read_matrix(_written(tmp_path, f"  {'  '.join(names)}   <-- classified as\n" + "\n".join(rows)))
    assert table.shape == (27, 27)
    assert table.total == pytest.approx(27 * 1.5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OUTPUT + OUTPUT, "2 confusion matrices .'Stratified cross-validation', 'Stratified cross-validation 2'"),
        (OUTPUT[: OUTPUT.index("=== Confusion Matrix")], "output of Weka without a confusion matrix"),
        (VW, r"2 confusion matrices \('raw', 'png'\)"),
        (VW.replace("3 out of", "4 out of"), "states 4 errors out of 20 above a confusion matrix with 3 out of 20"),
        (OUTPUT[: OUTPUT.index("  0  2 48")], "3 classes and 2 whole rows"),
        ("nothing to see here\nno matrix\n", "no counts below|as a count|required"),
    ],
)
def test_outputs_without_one_whole_matrix(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_matrix(_written(tmp_path, text))


def test_all_matrices_of_a_file_by_what_they_are_of(tmp_path: Path) -> None:
    """Weka prints that of the training data before that of the test; the demos of Vowpal Wabbit print one per model."""
    found = read_matrices(_written(tmp_path, f"=== Run information ===\n\n{TRAINING}{OUTPUT}"))
    assert {name: table.counts[0, 0] for name, table in found.items()} == {
        "Error on training data": 50,
        "Stratified cross-validation": 49,
    }
    assert {name: table.counts.tolist() for name, table in read_matrices(_written(tmp_path, VW)).items()} == {
        "raw": [[9, 1], [2, 8]],
        "png": [[10, 0], [1, 9]],
    }
    assert list(read_matrices(_written(tmp_path, "5,1\n2,7\n", "svm.csv"))) == ["svm"]


def test_several_matrices_of_a_file_are_several_systems(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["compare", "--matrix", str(_written(tmp_path, VW, "mnist.out")), "--format", "json"]
    )

    assert done.exit_code == 0, done.stderr
    assert set(json.loads(done.stdout)["systems"]) == {"mnist: raw", "mnist: png"}


def test_runs_of_weka_are_those_of_its_tests(tmp_path: Path) -> None:
    files = [str(_written(tmp_path, TRAINING + OUTPUT, f"j48-{run}.txt")) for run in (1, 2)]
    done = CliRunner().invoke(app, ["monte-carlo", "--matrix", *files, "--format", "json"])
    found = json.loads(done.stdout)

    assert found["estimators"][0]["metrics"]["accuracy"]["value"] == pytest.approx(144 / 150)
    assert found["findings"][0]["code"] == "training_matrices"
    _written(tmp_path, OUTPUT + OUTPUT, "j48-2.txt")
    rejected = CliRunner().invoke(app, ["monte-carlo", "--matrix", *files])
    assert rejected.exit_code == 2
    assert "j48-2.txt has 2 confusion matrices" in rejected.stderr


def test_a_matrix_of_matlab(tmp_path: Path) -> None:
    path = tmp_path / "table.mat"
    savemat(path, {"counts": [[5, 1, 0], [2, 7, 3]], "n": 18, "name": "svm"})
    assert read_matrix(path).counts.tolist() == [[5, 1, 0], [2, 7, 3]]
    savemat(path, {"counts": csc_array([[5.0, 0.0], [2.0, 7.0]])})
    assert read_matrix(path).counts.tolist() == [[5, 0], [2, 7]]


def test_files_of_matlab_without_one_matrix(tmp_path: Path) -> None:
    path = tmp_path / "table.mat"
    savemat(path, {"n": 3})
    with pytest.raises(InputError, match="no matrix of numbers"):
        read_matrix(path)
    savemat(path, {"a": [[1, 2], [3, 4]], "b": [[1, 2], [3, 4]]})
    with pytest.raises(InputError, match=r"several matrices: a \(2 × 2\), b"):
        read_matrix(path)
    whole = path.read_bytes()
    for size in (6, 100, 128, 140, len(whole) - 20):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError):
            read_matrix(path)
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600))
    with pytest.raises(InputError, match="MATLAB"):
        read_matrix(path)


def test_files_of_matlab_read_as_rows_are_named_for_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "table.mat"
    for matrix in ([[10, 2], [3, 15]], [[200.5, 0.1], [0.3, 181.7]]):
        savemat(path, {"counts": matrix})
        for columns in ((), ("-t", "gold", "-s", "svm")):
            done = CliRunner().invoke(app, ["evaluate", str(path), *columns])
            assert done.exit_code == 2
            assert "table.mat is a file of MATLAB" in done.stderr
            assert "--matrix" in done.stderr
            assert len(done.stderr.replace(str(tmp_path), "")) < 300


LABELLED = ",cat,dog\ncat,40,10\ndog,5,45\n"


@pytest.mark.parametrize(
    ("text", "said"), [(OUTPUT, " as another program prints it, not rows"), (LABELLED, ", not rows")]
)
def test_matrices_read_as_rows_are_named_for_what_they_are(tmp_path: Path, text: str, said: str) -> None:
    path = _written(tmp_path, text)
    done = CliRunner().invoke(app, ["evaluate", str(path)])
    assert done.exit_code == 2
    assert f"output.txt is a confusion matrix{said}" in " ".join(done.stderr.split())
    _, _, command = " ".join(done.stderr.split()).partition("not rows: infoscope ")
    assert CliRunner().invoke(app, shlex.split(command)).exit_code == 0
    with pytest.raises(InputError, match=r"confusion matrix.*, not rows; give infoscope\.readers\.read_matrix"):
        ifs.evaluate(path)


def test_rows_of_probabilities_are_no_matrix(tmp_path: Path) -> None:
    rows = "label,cat,dog\n" + "cat,0.9,0.1\ndog,0.2,0.8\n" * 10
    assert recognise_matrix(_written(tmp_path, rows)) is None
