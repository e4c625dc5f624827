"""A thin local explorer around the unchanged pages: ``infoscope serve``."""

from infoscope.explorer.admission import ENTRANCE
from infoscope.explorer.corrected_files import write_corrected
from infoscope.explorer.server import FolderExplorer, open_server
from infoscope.explorer.verdicts import keep_verdict, read_verdicts, truth_errors

__all__ = [
    "ENTRANCE",
    "FolderExplorer",
    "keep_verdict",
    "open_server",
    "read_verdicts",
    "truth_errors",
    "write_corrected",
]
