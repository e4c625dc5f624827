"""A thin local explorer around the unchanged pages: ``infoscope serve``."""

from infoscope.explorer.access import ENTRANCE
from infoscope.explorer.server import FolderExplorer, open_server
from infoscope.explorer.verdicts import keep_verdict, read_verdicts, truth_errors, write_corrected

__all__ = [
    "ENTRANCE",
    "FolderExplorer",
    "keep_verdict",
    "open_server",
    "read_verdicts",
    "truth_errors",
    "write_corrected",
]
