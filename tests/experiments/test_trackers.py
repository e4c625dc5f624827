"""MLflow with a real server on loopback, and files of TensorBoard read back."""

import os
import socket
import struct
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import mlflow
import pandas as pd
import pytest

import infoscope as ifs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # MLflow warns of its own future
]
TRUTH = ["cat", "dog", "cow"] * 30
GOOD = TRUTH[:-4] + ["dog"] * 4
RESULT = ifs.evaluate(TRUTH, GOOD)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A tracking server of MLflow, with its store in a folder of its own."""
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    words = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    words += [
        "--backend-store-uri",
        f"sqlite:///{folder / 'store.db'}",
        "--artifacts-destination",
        str(folder / "files"),
    ]
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, env=environment)
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/health", timeout=1)
                break
            except OSError:
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(0.5)
        mlflow.set_tracking_uri(address)
        mlflow.set_experiment("gate")
        yield address
    finally:
        process.terminate()
        process.wait(20)


def test_numbers_page_document_and_pictures_reach_the_server(server: str) -> None:  # noqa: ARG001
    with mlflow.start_run() as run:
        logged = ifs.mlflow.log(RESULT, step=3, metrics=["proficiency", "accuracy"])
    client = mlflow.MlflowClient()
    kept = client.get_run(run.info.run_id).data.metrics

    assert kept == pytest.approx(logged)
    assert {"proficiency", "proficiency.low", "accuracy.high"} <= set(kept)
    assert client.get_metric_history(run.info.run_id, "accuracy")[0].step == 3
    files = {item.path for item in client.list_artifacts(run.info.run_id, "infoscope")}
    assert {"infoscope/evaluation.html", "infoscope/evaluation.json", "infoscope/evaluation-picture.svg"} <= files
    page = Path(client.download_artifacts(run.info.run_id, "infoscope/evaluation.html")).read_text()
    assert page.startswith("<!doctype html>") or page.lower().startswith("<!doctype html>")
    stored = ifs.load(client.download_artifacts(run.info.run_id, "infoscope/evaluation.json"))
    assert stored.systems[0].metrics["accuracy"] == RESULT.systems[0].metrics["accuracy"]


def test_without_a_run_a_new_one_is_made_and_others_can_be_named(server: str) -> None:  # noqa: ARG001
    ifs.mlflow.log(RESULT, prefix="val/", pictures=())
    (newest,) = mlflow.search_runs(max_results=1, output_format="list")
    ifs.mlflow.log(RESULT, run_id=newest.info.run_id, prefix="test/", pictures=())
    kept = mlflow.MlflowClient().get_run(newest.info.run_id).data.metrics

    assert kept["val/proficiency"] == kept["test/proficiency"]
    assert mlflow.active_run() is None


def test_metrics_in_its_own_evaluation(server: str) -> None:  # noqa: ARG001
    rows = pd.DataFrame({"label": TRUTH, "prediction": GOOD})
    asked = [
        ifs.mlflow.metric("proficiency"),
        ifs.mlflow.metric("proficiency", bound="low"),
        ifs.mlflow.metric("error_rate"),
        ifs.mlflow.metric("precision_weighted"),
    ]
    with mlflow.start_run():
        found = mlflow.models.evaluate(
            data=rows, targets="label", predictions="prediction", extra_metrics=asked
        ).metrics

    assert found["proficiency"] == pytest.approx(RESULT.systems[0].metrics["proficiency"].shown)
    assert found["proficiency_low"] == pytest.approx(RESULT.systems[0].metrics["proficiency"].low)
    assert found["error_rate"] == pytest.approx(RESULT.systems[0].metrics["error_rate"].value)
    assert found["precision_weighted"] == pytest.approx(ifs.metrics.precision(TRUTH, GOOD, average="weighted"))


def test_files_of_tensorboard(tmp_path: Path) -> None:
    from tensorboardX import SummaryWriter
    from tensorboardX.proto.event_pb2 import Event

    with SummaryWriter(str(tmp_path)) as writer:
        ifs.experiments.log_to_tensorboard(writer, RESULT, step=5, metrics="accuracy")
    (file,) = tmp_path.iterdir()
    data, at, kept = file.read_bytes(), 0, {}
    while at < len(data):
        size = struct.unpack("<Q", data[at : at + 8])[0]
        event = Event.FromString(data[at + 12 : at + 12 + size])
        kept |= {value.tag: (value, event.step) for value in event.summary.value}
        at += size + 16

    assert kept["accuracy"][0].simple_value == pytest.approx(RESULT.systems[0].metrics["accuracy"].shown)
    assert kept["accuracy.low"][1] == 5
    assert kept["evaluation/picture"][0].image.width > 100
