"""Runs over time: stored evaluations as series, the spread between runs, alarms."""

from infoscope.runs.alarms import MIN_RUNS
from infoscope.runs.assembly import NewRun, assembled, judged
from infoscope.runs.folder import read_runs
from infoscope.runs.records import RunRecord, run_record
from infoscope.runs.result import Alarm, ChangedCell, History, Run, RunBaseline, RunPoint, RunSeries

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
