"""A thin local explorer around the unchanged pages: ``infoscope serve``."""

from infoscope.serving.entrance import ENTRANCE
from infoscope.serving.server import FolderExplorer, open_server

__all__ = ["ENTRANCE", "FolderExplorer", "open_server"]
