"""Runs over time: stored evaluations as series, the spread between runs, alarms."""

from infoscope.studies.history.alarms import MIN_RUNS
from infoscope.studies.history.assembly import NewRun, assembled, judged
from infoscope.studies.history.folder import read_runs
from infoscope.studies.history.records import ALLOWED_MISSING, RunRecord, missing_prediction_reasons, run_record
from infoscope.studies.history.result import Alarm, ChangedCell, History, Run, RunBaseline, RunPoint, RunSeries

__all__ = [
    "ALLOWED_MISSING",
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
    "missing_prediction_reasons",
    "read_runs",
    "run_record",
]
