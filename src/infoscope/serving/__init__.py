"""A thin local explorer around the unchanged pages: ``infoscope serve``."""

from infoscope.serving.admission import ENTRANCE
from infoscope.serving.corrected_files import write_corrected
from infoscope.serving.server import FolderExplorer, open_server
from infoscope.serving.verdicts import keep_verdict, read_verdicts, truth_errors

__all__ = [
    "ENTRANCE",
    "FolderExplorer",
    "keep_verdict",
    "open_server",
    "read_verdicts",
    "truth_errors",
    "write_corrected",
]
