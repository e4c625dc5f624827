"""Real clusters and servers on loopback: each process its own, all gone afterwards."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 240.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(ready: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come up in {PATIENCE:.0f} s")
        time.sleep(0.2)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@dataclass
class Processes:
    """Processes that end together, with all their children."""

    folder: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, name: str, command: list[str], **env: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **env},
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """SIGKILL for a process and everything it started."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def end(self) -> None:
        for process in self.started:
            self.kill(process)


@contextmanager
def processes(folder: Path) -> Iterator[Processes]:
    group = Processes(folder)
    try:
        yield group
    finally:
        group.end()


@dataclass
class DaskCluster:
    url: str
    workers: list[subprocess.Popen[bytes]]
    group: Processes


@contextmanager
def dask_cluster(folder: Path, size: int = 2) -> Iterator[DaskCluster]:
    """A scheduler and its workers, each a process."""
    port = free_port()
    url = f"tcp://127.0.0.1:{port}"
    paths = os.pathsep.join(p for p in (*sys.path, os.getcwd()) if p)
    with processes(folder) as group:
        python = [sys.executable, "-m", "distributed.cli."]
        scheduler = [*python[:2], "distributed.cli.dask_scheduler"]
        worker = [*python[:2], "distributed.cli.dask_worker"]
        group.start(
            "scheduler",
            [*scheduler, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"],
            PYTHONPATH=paths,
        )
        wait_for(lambda: listens(port), "the Dask scheduler")
        workers = [
            group.start(
                f"worker{i}",
                [
                    *worker,
                    url,
                    "--host",
                    "127.0.0.1",
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--no-dashboard",
                    "--name",
                    f"w{i}",
                    "--local-directory",
                    str(folder),
                ],
                PYTHONPATH=paths,
            )
            for i in range(size)
        ]
        yield DaskCluster(url, workers, group)


@contextmanager
def stranger() -> Iterator[int]:
    """The port of somebody who listens and never says a word."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen(8)
        yield int(door.getsockname()[1])


def family(session: int) -> list[str]:
    """List the processes of a session, whatever their parent is by now."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if fields[0] != "Z" and int(fields[3]) == session:
                found.append((entry / "cmdline").read_text().replace("\0", " ")[:200])
    return found


def postgres_programs() -> Path | None:
    """The folder of PostgreSQL's server programs, where it is installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return places[-1].parent if places else None


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """A PostgreSQL server that asks for a password; never run as root. Its address."""
    programs, port = postgres_programs(), free_port()
    data, secret = folder / "data", folder / "secret"
    secret.write_text("s3cret\n")
    as_user = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        shutil.chown(secret, "postgres", "postgres")
        for parent in (folder, *folder.parents):
            if str(parent).startswith("/tmp/"):
                parent.chmod(parent.stat().st_mode | 0o055)
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def run(name: str, *arguments: str) -> None:
        command = [*as_user, f"{programs}/{name}", "-D", str(data), *arguments]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr[-500:]}")

    run(
        "initdb",
        "-A",
        "scram-sha-256",
        "-U",
        "owner",
        f"--pwfile={secret}",
        "--no-sync",
        "--locale=C.UTF-8",
        "-E",
        "UTF8",
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql://owner:s3cret@127.0.0.1:{port}/postgres"
    finally:
        run("pg_ctl", "-m", "immediate", "-w", "stop")
