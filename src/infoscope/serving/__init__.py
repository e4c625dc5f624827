"""A thin local explorer around the unchanged pages: ``infoscope serve``."""

from infoscope.serving.server import Explorer, open_server

__all__ = ["Explorer", "open_server"]
