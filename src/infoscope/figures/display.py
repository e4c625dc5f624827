"""What every picture offers, in the manner of scikit-learn's displays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from infoscope.errors import InputError
from infoscope.figures.axes import draw, new_axes
from infoscope.figures.scene import Panel
from infoscope.figures.svg import standalone_svg
from infoscope.tables import Contingency

__all__ = ["Display", "Tables", "tables_by_name"]

Tables = Contingency | Mapping[Any, Contingency]


def tables_by_name(tables: Tables, name: str = "system") -> dict[str, Contingency]:
    """Tables under their names; one without samples, or a batch, cannot be drawn."""
    named = {name: tables} if isinstance(tables, Contingency) else {str(key): table for key, table in tables.items()}
    if not named:
        raise InputError("there is no table to draw; give at least one")
    for key, table in named.items():
        if table.batch_shape:
            raise InputError(f"{key!r} is a batch of tables; draw its tables one by one")
        if not table.total > 0:
            raise InputError(f"the table of {key!r} has no samples; a picture needs at least one")
    return named


class Display:
    """One picture: its coordinates are ready when it is made, ``plot`` draws them on matplotlib axes.

    ``from_predictions`` and ``from_estimator`` draw at once, as scikit-learn's do; ``from_table`` waits for
    ``plot``, ``save`` or ``to_svg``.
    """

    figure_: Any = None
    ax_: Any = None
    _single: ClassVar[bool] = False
    """Whether the picture is of one system only."""

    from_table: ClassVar[Callable[..., Any]]
    """The picture of a table, or of tables by name; each picture has its own options."""

    @classmethod
    def from_predictions(  # noqa: PLR0913 - as scikit-learn's users type it
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        sample_weight: Any = None,
        labels: Any = None,
        reject: Any = None,
        name: str = "system",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Count the labels and draw; ``y_pred`` may hold several systems by name."""
        systems = y_pred if isinstance(y_pred, Mapping) else {name: y_pred}
        tables = {
            key: Contingency.from_labels(y_true, answers, sample_weight=sample_weight, labels=labels, reject=reject)
            for key, answers in systems.items()
        }
        given: Tables = next(iter(tables.values())) if cls._single and len(tables) == 1 else tables
        display: Self = cls.from_table(given, **options)
        return display.plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, **options: Any) -> Self:
        """Let a fitted estimator predict, count and draw."""
        called = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, estimator.predict(X), name=called, **options)

    def panel(self) -> Panel:
        """The picture as marks in data coordinates."""
        raise NotImplementedError

    def plot(self, ax: Any = None) -> Self:
        """Draw on matplotlib axes, new ones unless given."""
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

        A file that exists is overwritten only with ``force``.
        """
        target = Path(path)
        if target.suffix.lower() not in (".svg", ".pdf", ".png"):
            raise InputError(f"{target.name!r} names no kind of picture; end it in .svg, .pdf or .png")
        if target.exists() and not force:
            raise InputError(f"{target} exists; choose another name, or overwrite it with force=True")
        try:
            self._write(target)
        except OSError as problem:
            raise InputError(f"cannot write {target}: {problem.strerror or problem}; choose another place") from None
        return target

    def _write(self, target: Path) -> None:
        if target.suffix.lower() == ".svg":
            target.write_text(self.to_svg(), encoding="utf-8")
            return
        panel = self.panel()
        ax = new_axes(panel)
        draw(panel, ax)
        ax.figure.savefig(target, dpi=200)
        from matplotlib import pyplot  # noqa: PLC0415 - optional

        pyplot.close(ax.figure)

    def _repr_html_(self) -> str | None:
        """The picture in a notebook, unless it has been drawn on axes, which the notebook shows by itself."""
        if self.ax_ is not None:
            return None
        from infoscope.figures.notebook import picture  # noqa: PLC0415 - only notebooks need it

        return picture(self.panel())
