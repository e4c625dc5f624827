"""Runs over time: stored evaluations as series, the spread between runs, alarms."""

from infoscope.studies.history.alarms import MIN_RUNS
from infoscope.studies.history.assembly import NewRun, assembled, judged
from infoscope.studies.history.folder import read_runs
from infoscope.studies.history.records import RunRecord, run_record
from infoscope.studies.history.result import Alarm, ChangedCell, History, Run, RunBaseline, RunPoint, RunSeries

__all__ = [
    "MIN_RUNS",
    "Alarm",
    "ChangedCell",
    "History",
    "NewRun",
    "Run",
    "RunBaseline",
    "RunPoint",
    "RunRecord",
    "RunSeries",
    "assembled",
    "judged",
    "read_runs",
    "run_record",
]
