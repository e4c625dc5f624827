"""A thin local explorer around the unchanged pages: ``infoscope serve``."""

from infoscope.serving.server import FolderExplorer, open_server

__all__ = ["FolderExplorer", "open_server"]
