"""Java as the tests of Spark start it: a dozen processes that live for seconds."""

import sys
from pathlib import Path

BRIEF_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""Java that lives for seconds: its second compiler, parallel collector and checks of Spark's own code cost more than
the tests."""
ROOM = "-Xms700m -Xmn256m"
"""Java begins with little memory and looks through it ninety times before it takes more."""
BRIEF_QUERIES = {
    "spark.locality.wait": "0",  # or a task waits for seconds until the executor is free that has its rows
    "spark.task.maxFailures": "2",  # rows that are rejected are so the fourth time, too
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.localRelationThreshold": "0",  # or Spark computes small frames before its executors do
    "spark.sql.subexpressionElimination.enabled": "false",
    "spark.sql.ui.explainMode": "simple",
    "spark.broadcast.compress": "false",
    "spark.shuffle.compress": "false",
}
"""A hundred queries, each asked once of a few rows; those of Spark Connect are compiled as users' are."""
AS_USERS_HAVE_IT = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.adaptive.enabled": "true",
}
ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
"""Spark's classes as Java has them in memory, from ``python -m tools.spark_classes``; Java does without, too."""


def java_settings(folder: Path, archive: str | None = None, **more: str) -> dict[str, str]:
    """The environment in which every Java process that Spark starts is a brief one on this machine alone.

    ``folder`` holds nothing: Java takes archived classes only where all of Spark's are in its jars. More settings of
    Spark are given by the last words of their names, with _ for a dot.
    """
    java = f"{BRIEF_JAVA} {_archived() if archive is None else archive}".rstrip()
    settings = BRIEF_QUERIES | {f"spark.{name.replace('_', '.')}": value for name, value in more.items()}
    settings["spark.executor.extraJavaOptions"] = f"{ROOM} {java}"
    return {
        "SPARK_CONF_DIR": str(folder / "no-settings"),
        "SPARK_DAEMON_JAVA_OPTS": java,
        "SPARK_LAUNCHER_OPTS": BRIEF_JAVA,
        "SPARK_SUBMIT_OPTS": " ".join([ROOM, java, *(f'"-D{name}={value}"' for name, value in settings.items())]),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _archived() -> str:
    if not ARCHIVE.is_file() or not ARCHIVE.stat().st_size or " " in str(ARCHIVE):
        return ""
    return f"-XX:SharedArchiveFile={ARCHIVE} -Xlog:disable -Xlog:all=error:stderr"
