"""What every picture offers: axes, files, notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from infoscope.core.atomic_files import write_file
from infoscope.figures.drawing.axes import draw, image, new_axes
from infoscope.figures.drawing.files import picture_path
from infoscope.figures.drawing.scene import Panel
from infoscope.figures.drawing.svg import picture, standalone_svg
from infoscope.typing import Axes

__all__ = ["Display"]


class Display:
    """One picture: its coordinates are ready when it is made, ``plot`` draws them on matplotlib axes."""

    figure_: Any = None
    ax_: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.panel().summary}"

    def panel(self) -> Panel:
        """The picture as marks in data coordinates."""
        raise NotImplementedError

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on matplotlib axes, new ones unless given; on given axes words shrink with the room there is."""
        panel = self.panel()
        self.ax_ = new_axes(panel) if ax is None else ax
        self.figure_ = self.ax_.figure
        draw(panel, self.ax_)
        return self

    def to_svg(self, *, dark: bool | None = None) -> str:
        """The picture as SVG text, without matplotlib; dark or light as its reader prefers unless stated."""
        return standalone_svg(self.panel(), dark=dark)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the picture: ``.svg`` by itself, ``.pdf`` and ``.png`` with matplotlib.

        A file that exists is overwritten if it is a picture that was written so, any other only with ``force``.
        """
        target = picture_path(path, force=force)
        kind = target.suffix.lower().removeprefix(".")
        taken = target.is_file()
        write_file(target, self.to_svg() if kind == "svg" else image(self.panel(), kind), replace=taken or force)
        return target

    def _repr_html_(self) -> str | None:
        """The picture in a notebook, unless it has been drawn on axes, which the notebook shows by itself."""
        if self.ax_ is not None:
            return None
        return picture(self.panel())
