"""A panel on matplotlib axes: the same marks at the same coordinates, for papers."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from infoscope.errors import InputError
from infoscope.figures.layout import FONT
from infoscope.figures.scene import (
    DARK,
    LIGHT,
    Bar,
    Cloud,
    Dot,
    Line,
    Panel,
    Raster,
    Ribbon,
    Words,
    hexadecimal,
    is_dark,
)
from infoscope.figures.svg import MAKER
from infoscope.typing import Axes

_ALIGNED = {"start": "left", "middle": "center", "end": "right"}
_SHAPES = {"circle": "o", "ring": "o", "cross": "x", "star": "*", "square": "s", "diamond": "D", "up": "^", "down": "v"}
_USUAL = (56.0, 18.0, 18.0, 50.0)
"""Room around axes that figures leave anyway, in points: left, top, right, bottom."""
_LEAST = 0.3
"""Words shrink to this fraction of their size, and no further."""


@dataclass(frozen=True)
class Pen:
    """A drawing target: axes, colours, and the scale at which to draw."""

    ax: Any
    colours: dict[str, str]
    scale: float

    def colour(self, role: str | None) -> str:
        """Return the colour of a role; a colour stays what it is."""
        if role is None:
            return "none"
        return role if role.startswith("#") else self.colours[role]


def make_axes(panel: Panel) -> Axes:
    """Make axes in a figure of the size that the panel was composed for, one pixel a point."""
    try:
        from matplotlib import pyplot  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        raise InputError(_MISSING) from None
    return _add_axes(panel, pyplot.figure(figsize=(panel.width / 72.0, panel.height / 72.0)))


_MISSING = (
    "drawing on axes needs matplotlib, which is not installed; install infoscope[plots], "
    "or use .to_svg() or .save('picture.svg') of a display, which need nothing: infoscope.reports.picture(result)"
)


def image(panel: Panel, kind: str) -> bytes:
    """Draw the panel as the bytes of a PNG or PDF file, which names its maker and, so that runs agree, no date."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        raise InputError(_MISSING) from None
    figure = Figure(figsize=(panel.width / 72.0, panel.height / 72.0))
    draw(panel, _add_axes(panel, figure))
    stated = {"Software": MAKER} if kind == "png" else {"Creator": MAKER, "Title": panel.title, "CreationDate": None}
    out = io.BytesIO()
    figure.savefig(out, format=kind, dpi=200, metadata=stated)
    return out.getvalue()


def _add_axes(panel: Panel, figure: Any) -> Any:
    left, _, _, bottom = panel.margins
    wide, high = panel.inner
    return figure.add_axes((left / panel.width, bottom / panel.height, wide / panel.width, high / panel.height))


def draw(panel: Panel, ax: Axes) -> None:
    """Put every mark of the panel on the axes."""
    from matplotlib.colors import to_rgba  # noqa: PLC0415 - optional

    ax.set_xlim(panel.x.low, panel.x.high)
    ax.set_ylim(panel.y.low, panel.y.high)
    # what can be seen behind the axes, a light page unless something is
    behind = [to_rgba(part.get_facecolor()) for part in (ax, cast("Any", ax).figure)]
    ground = next((hexadecimal(255 * part for part in colour[:3]) for colour in behind if colour[3] > 0.5), None)
    pen = Pen(ax, LIGHT if ground is None or not is_dark(ground) else DARK, _make_room(panel, ax))
    dim = pen.colour("dim")
    for side in ("top", "right"):
        pen.ax.spines[side].set_visible(False)
    for part, spine, which in ((panel.x, "bottom", ax.xaxis), (panel.y, "left", ax.yaxis)):
        pen.ax.spines[spine].set_visible(bool(part.ticks) and part.line)
        pen.ax.spines[spine].set_color(dim)
        which.set_ticks([tick for tick, _ in part.ticks], labels=[text for _, text in part.ticks])
        for text in which.get_ticklabels():
            text.set_parse_math(False)
        which.set_tick_params(colors=dim, labelsize=FONT["small"] * pen.scale, length=0, pad=6.0 * pen.scale)
        which.set_label_text(part.title, color=dim, fontsize=FONT["normal"] * pen.scale)
        which.label.set_parse_math(False)
        if not part.ticks:
            which.labelpad = (panel.margins[3] - 14.0 - FONT["normal"]) * pen.scale
        if part.grid:
            which.grid(True, color=pen.colour("grid"), linewidth=1, zorder=0)
    ax.set_axisbelow(True)
    ax.set_facecolor("none")
    for order, mark in enumerate(panel.marks):
        _DRAWN[type(mark)](pen, mark, 2.0 + order / 1000.0)
    ax.set_aspect("auto")  # images set it
    ax.set_box_aspect(panel.inner[1] / panel.inner[0])


def _make_room(panel: Panel, ax: Any) -> float:
    """Take room for names out of the axes, unless a layout engine does; how much smaller words have to be."""
    box, page = ax.get_position(), ax.figure.bbox
    wide, high = (float(side) * 72.0 / float(ax.figure.dpi) for side in (page.width, page.height))
    left, top, right, bottom = (max(margin - usual, 0.0) for margin, usual in zip(panel.margins, _USUAL, strict=True))
    inner = panel.inner
    room = wide * box.width, high * box.height
    if abs(room[0] - inner[0]) < 1.0 and abs(room[1] - inner[1]) < 1.0:
        return 1.0  # composed for these axes
    scale = min(1.0, room[0] / (inner[0] + left + right), room[1] / (inner[1] + top + bottom))
    scale = max(scale, _LEAST)
    if ax.figure.figure.get_layout_engine() is None:
        taken = scale * (left + right) / wide, scale * (top + bottom) / high
        ax.set_position(
            (
                box.x0 + scale * left / wide,
                box.y0 + scale * bottom / high,
                max(box.width - taken[0], 0.3 * box.width),
                max(box.height - taken[1], 0.3 * box.height),
            )
        )
    return scale


def _draw_line(pen: Pen, mark: Line, order: float) -> None:
    from matplotlib.patches import Polygon  # noqa: PLC0415 - optional

    if not mark.points:
        return
    if mark.closed:
        pen.ax.add_patch(
            Polygon(
                mark.points,
                closed=True,
                facecolor=pen.colour(mark.fill),
                edgecolor=pen.colour(mark.colour) if mark.width > 0 else "none",
                linewidth=mark.width * pen.scale,
                alpha=mark.opacity,
                clip_on=mark.clip,
                zorder=order,
            )
        )
        return
    style = "-" if mark.dash is None else (0, tuple(part / max(mark.width, 0.5) for part in mark.dash))
    xs, ys = zip(*mark.points, strict=True)
    pen.ax.plot(
        xs,
        ys,
        color=pen.colour(mark.colour),
        linewidth=mark.width * pen.scale,
        linestyle=style,
        alpha=mark.opacity,
        clip_on=mark.clip,
        zorder=order,
        scalex=False,
        scaley=False,
    )


def _draw_bar(pen: Pen, mark: Bar, order: float) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - optional

    (x0, y0), (x1, y1) = mark.low, mark.high
    pen.ax.add_patch(
        Rectangle(
            (x0, y0),
            x1 - x0,
            y1 - y0,
            facecolor=pen.colour(mark.fill),
            edgecolor="#ffffff59" if mark.hatched else "none",
            hatch="////" if mark.hatched else None,
            linewidth=0,
            alpha=None if mark.hatched else mark.opacity,
            zorder=order,
        )
    )


def _draw_dot(pen: Pen, mark: Dot, order: float) -> None:
    hollow = mark.shape == "ring"
    bold = mark.shape in ("ring", "cross")
    pen.ax.plot(
        [mark.x],
        [mark.y],
        linestyle="none",
        marker=_SHAPES[mark.shape],
        markersize=2 * mark.size * pen.scale,
        markerfacecolor="none" if hollow else pen.colour(mark.fill),
        markeredgecolor=pen.colour(mark.fill if bold else mark.colour),
        markeredgewidth=(2.5 if bold else 1.0) * pen.scale,
        clip_on=False,
        zorder=order,
        scalex=False,
        scaley=False,
    )


def _draw_words(pen: Pen, mark: Words, order: float) -> None:
    from matplotlib.patheffects import withStroke  # noqa: PLC0415 - optional

    halo = None if mark.halo is None else [withStroke(linewidth=3.0 * pen.scale, foreground=pen.colour(mark.halo))]
    pen.ax.annotate(
        mark.text,
        (mark.x, mark.y),
        xytext=(mark.shift[0] * pen.scale, -mark.shift[1] * pen.scale),
        textcoords="offset points",
        color=pen.colour(mark.colour),
        fontsize=FONT[mark.size] * 0.94 * pen.scale,
        ha=_ALIGNED[mark.anchor],
        va="center_baseline" if not mark.angle else "center",
        rotation=mark.angle,
        rotation_mode="anchor",
        fontweight="bold" if mark.bold else "normal",
        fontstyle="italic" if mark.italic else "normal",
        annotation_clip=False,
        zorder=order,
        parse_math=False,
        path_effects=halo,
    )


def _draw_ribbon(pen: Pen, mark: Ribbon, order: float) -> None:
    from matplotlib.patches import PathPatch  # noqa: PLC0415 - optional
    from matplotlib.path import Path  # noqa: PLC0415 - optional

    (x0, y0), (x1, y1), deep = mark.start, mark.end, -mark.thick
    middle = (x0 + x1) / 2
    corners = [(x0, y0), (middle, y0), (middle, y1), (x1, y1)]
    back = [(x1, y1 + deep), (middle, y1 + deep), (middle, y0 + deep), (x0, y0 + deep)]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    path = Path([*corners, *back, (x0, y0)], codes)
    pen.ax.add_patch(PathPatch(path, facecolor=pen.colour(mark.fill), linewidth=0, alpha=mark.opacity, zorder=order))


def _draw_cloud(pen: Pen, mark: Cloud, order: float) -> None:
    points = mark.points
    pen.ax.plot(
        points[:, 0],
        points[:, 1],
        linestyle="none",
        marker="o",
        markersize=mark.size * pen.scale,
        markeredgewidth=0,
        color=pen.colour(mark.colour),
        alpha=mark.opacity,
        zorder=order,
        scalex=False,
        scaley=False,
    )


def _draw_raster(pen: Pen, mark: Raster, order: float) -> None:
    (x0, y0), (x1, y1) = mark.low, mark.high
    low, high = pen.ax.get_ylim()
    pen.ax.imshow(
        mark.pixels,
        extent=(x0, x1, min(y0, y1), max(y0, y1)) if high > low else (x0, x1, max(y0, y1), min(y0, y1)),
        interpolation="bilinear" if mark.smooth else "nearest",
        aspect="auto",
        zorder=order,
    )
    pen.ax.set_ylim(low, high)


_DRAWN = cast(
    "dict[type, Callable[[Pen, Any, float], None]]",
    {
        Line: _draw_line,
        Bar: _draw_bar,
        Dot: _draw_dot,
        Words: _draw_words,
        Ribbon: _draw_ribbon,
        Cloud: _draw_cloud,
        Raster: _draw_raster,
    },
)
