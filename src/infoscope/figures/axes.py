"""A panel on matplotlib axes: the same marks at the same coordinates, for papers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from infoscope.errors import InputError
from infoscope.figures.colours import LIGHT
from infoscope.figures.layout import FONT
from infoscope.figures.scene import Bar, Cloud, Dot, Line, Panel, Raster, Ribbon, Words

__all__ = ["draw", "new_axes"]

_ALIGNED = {"start": "left", "middle": "center", "end": "right"}
_SHAPES = {"circle": "o", "ring": "o", "cross": "x", "star": "*", "square": "s"}


def new_axes(panel: Panel) -> Any:
    """Axes in a figure of the size that the panel was composed for, one pixel a point."""
    try:
        from matplotlib import pyplot  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        raise InputError(
            "drawing on axes needs matplotlib, which is not installed; install infoscope[plots], "
            "or use .to_svg() or .save('picture.svg'), which need nothing"
        ) from None
    figure = pyplot.figure(figsize=(panel.width / 72.0, panel.height / 72.0))
    left, _, _, bottom = panel.margins
    wide, high = panel.inner
    return figure.add_axes((left / panel.width, bottom / panel.height, wide / panel.width, high / panel.height))


def draw(panel: Panel, ax: Any) -> None:
    """Put every mark of the panel on the axes."""
    ax.set_xlim(panel.x.low, panel.x.high)
    ax.set_ylim(panel.y.low, panel.y.high)
    _axes(panel, ax)
    for order, mark in enumerate(panel.marks):
        _DRAWN[type(mark)](ax, mark, 2.0 + order / 1000.0)


def _axes(panel: Panel, ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for part, spine, which in ((panel.x, "bottom", ax.xaxis), (panel.y, "left", ax.yaxis)):
        ax.spines[spine].set_visible(bool(part.ticks) and part.line)
        ax.spines[spine].set_color(LIGHT["dim"])
        which.set_ticks([at for at, _ in part.ticks], labels=[text for _, text in part.ticks])
        for text in which.get_ticklabels():
            text.set_parse_math(False)
        which.set_tick_params(colors=LIGHT["dim"], labelsize=FONT["small"], length=0)
        which.set_label_text(part.title, color=LIGHT["dim"], fontsize=FONT["normal"])
        if not part.ticks:
            which.labelpad = panel.margins[3] - 14.0 - FONT["normal"]
        if part.grid:
            which.grid(True, color=LIGHT["grid"], linewidth=1, zorder=0)
    ax.set_axisbelow(True)
    ax.set_facecolor("none")


def _colour(role: str | None) -> str:
    if role is None:
        return "none"
    return role if role.startswith("#") else LIGHT[role]


def _line(ax: Any, mark: Line, order: float) -> None:
    from matplotlib.patches import Polygon  # noqa: PLC0415 - optional

    if not mark.points:
        return
    if mark.closed:
        ax.add_patch(
            Polygon(
                mark.points,
                closed=True,
                facecolor=_colour(mark.fill),
                edgecolor=_colour(mark.colour) if mark.width > 0 else "none",
                linewidth=mark.width,
                alpha=mark.opacity,
                clip_on=mark.clip,
                zorder=order,
            )
        )
        return
    style = "-" if mark.dash is None else (0, tuple(part / max(mark.width, 0.5) for part in mark.dash))
    xs, ys = zip(*mark.points, strict=True)
    ax.plot(
        xs,
        ys,
        color=_colour(mark.colour),
        linewidth=mark.width,
        linestyle=style,
        alpha=mark.opacity,
        clip_on=mark.clip,
        zorder=order,
        scalex=False,
        scaley=False,
    )


def _bar(ax: Any, mark: Bar, order: float) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - optional

    (x0, y0), (x1, y1) = mark.low, mark.high
    ax.add_patch(
        Rectangle(
            (x0, y0),
            x1 - x0,
            y1 - y0,
            facecolor=_colour(mark.fill),
            edgecolor="#ffffff59" if mark.hatched else "none",
            hatch="////" if mark.hatched else None,
            linewidth=0,
            alpha=None if mark.hatched else mark.opacity,
            zorder=order,
        )
    )


def _dot(ax: Any, mark: Dot, order: float) -> None:
    hollow = mark.shape == "ring"
    ax.plot(
        [mark.x],
        [mark.y],
        linestyle="none",
        marker=_SHAPES[mark.shape],
        markersize=2 * mark.size,
        markerfacecolor="none" if hollow else _colour(mark.fill),
        markeredgecolor=_colour(mark.fill if mark.shape in ("ring", "cross") else mark.colour),
        markeredgewidth=2.5 if mark.shape in ("ring", "cross") else 1.0,
        clip_on=False,
        zorder=order,
        scalex=False,
        scaley=False,
    )


def _words(ax: Any, mark: Words, order: float) -> None:
    ax.annotate(
        mark.text,
        (mark.x, mark.y),
        xytext=(mark.shift[0], -mark.shift[1]),
        textcoords="offset points",
        color=_colour(mark.colour),
        fontsize=FONT[mark.size] * 0.94,
        ha=_ALIGNED[mark.anchor],
        va="center_baseline" if not mark.angle else "center",
        rotation=mark.angle,
        rotation_mode="anchor",
        fontweight="bold" if mark.bold else "normal",
        fontstyle="italic" if mark.italic else "normal",
        annotation_clip=False,
        zorder=order,
        parse_math=False,
    )


def _ribbon(ax: Any, mark: Ribbon, order: float) -> None:
    from matplotlib.patches import PathPatch  # noqa: PLC0415 - optional
    from matplotlib.path import Path  # noqa: PLC0415 - optional

    (x0, y0), (x1, y1), deep = mark.start, mark.end, -mark.thick
    middle = (x0 + x1) / 2
    corners = [(x0, y0), (middle, y0), (middle, y1), (x1, y1)]
    back = [(x1, y1 + deep), (middle, y1 + deep), (middle, y0 + deep), (x0, y0 + deep)]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    path = Path([*corners, *back, (x0, y0)], codes)
    ax.add_patch(PathPatch(path, facecolor=_colour(mark.fill), linewidth=0, alpha=mark.opacity, zorder=order))


def _cloud(ax: Any, mark: Cloud, order: float) -> None:
    points = mark.points
    ax.plot(
        points[:, 0],
        points[:, 1],
        linestyle="none",
        marker="o",
        markersize=mark.size,
        markeredgewidth=0,
        color=_colour(mark.colour),
        alpha=mark.opacity,
        zorder=order,
        scalex=False,
        scaley=False,
    )


def _raster(ax: Any, mark: Raster, order: float) -> None:
    (x0, y0), (x1, y1) = mark.low, mark.high
    low, high = ax.get_ylim()
    ax.imshow(
        mark.pixels,
        extent=(x0, x1, min(y0, y1), max(y0, y1)) if high > low else (x0, x1, max(y0, y1), min(y0, y1)),
        interpolation="bilinear" if mark.smooth else "nearest",
        aspect="auto",
        zorder=order,
    )
    ax.set_ylim(low, high)


_DRAWN = cast(
    "dict[type, Callable[[Any, Any, float], None]]",
    {Line: _line, Bar: _bar, Dot: _dot, Words: _words, Ribbon: _ribbon, Cloud: _cloud, Raster: _raster},
)
