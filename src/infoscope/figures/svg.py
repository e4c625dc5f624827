"""A panel as SVG text.

Every mark carries its light colour as an attribute, so that it shows where style sheets are forbidden, and the
role as a class, so that a page (or the stand-alone picture's own style) can turn it dark.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import escape
from infoscope.figures.layout import FONT
from infoscope.figures.scene import DARK, LIGHT, Bar, Cloud, Dot, Line, Mark, Panel, Point, Raster, Ribbon, Words

MAKER = "infoscope"
"""The name that every picture of infoscope carries."""
FAMILY = "ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif"


class _Shape(NamedTuple):
    """An element in parts: what neighbours may share with it, and what is its own."""

    tag: str
    classes: str
    place: str
    paint: str
    own: str = ""
    child: str = ""
    is_alone: bool = False
    """True if scripts find it by itself, so that it keeps its classes."""

    def text(self, *, shared: bool = False) -> str:
        """Write the element; without what an element around it says."""
        inside = f"{self.place}{self.own}" if shared else f"{self.classes}{self.place}{self.paint}{self.own}"
        return f"<{self.tag}{inside}>{self.child}</{self.tag}>" if self.child else f"<{self.tag}{inside}/>"


def svg(panel: Panel) -> str:
    """Return the picture as an element for a page that styles the roles; neighbours that look alike say so once."""
    return _write_element(panel, grouped=True)


def make_standalone_svg(panel: Panel, *, dark: bool | None = None) -> str:
    """Return the picture as a file of its own; ``dark`` None follows the reader's preference."""
    turn = ""  # rules that give each role its dark colour, for fills and strokes
    if dark is not False:
        turn = "".join(f".f-{role}{{fill:{colour}}}.s-{role}{{stroke:{colour}}}" for role, colour in DARK.items())
    style = turn if dark else f"@media(prefers-color-scheme:dark){{{turn}}}" if turn else ""
    inside = f"<style>{style}</style>" if style else ""
    box = f'<rect class="f-paper" fill="{LIGHT["paper"]}" width="{_n(panel.width)}" height="{_n(panel.height)}"/>'
    picture = _write_element(panel, inside + box, f' font-family="{FAMILY}" data-maker="{MAKER}"')
    return picture.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)


def _write_element(panel: Panel, first: str = "", more: str = "", *, grouped: bool = False) -> str:
    """Write marks that are clipped to the axes, then the others; ``grouped``, neighbours share what they look like."""
    marks = list(chain(draw_axes(panel), panel.marks))
    parts: dict[bool, list[str]] = {True: [], False: []}
    for is_clipped, written in parts.items():
        shapes = (
            _leave_roles_to_page(shape) if grouped else shape
            for mark in marks
            if (isinstance(mark, (Cloud, Raster, Bar, Ribbon)) or (isinstance(mark, Line) and mark.clip)) == is_clipped
            for shape in _DRAWN[type(mark)](panel, mark)
        )
        for (classes, paint, is_alone), group in groupby(shapes, lambda s: (s.classes, s.paint, s.is_alone)):
            members = list(group)
            if not grouped or is_alone or len(members) == 1:
                written += [shape.text() for shape in members]
            else:
                written.append(f"<g{classes}{paint}>{''.join(shape.text(shared=True) for shape in members)}</g>")
    clipped, free = "".join(parts[True]), "".join(parts[False])
    name, inside = _name_picture(panel), ""
    if clipped:
        left, top, _, _ = panel.margins
        wide, high = panel.inner
        lines = ""
        if any(isinstance(mark, Bar) and mark.hatched for mark in marks):
            lines = (
                f'<pattern id="{name}h" width="6" height="6" patternUnits="userSpaceOnUse" '
                'patternTransform="rotate(45)"><path d="M0 0V6" stroke="#ffffff" stroke-opacity=".45" '
                'stroke-width="2.5"/></pattern>'
            )
        area = f'<rect x="{_n(left)}" y="{_n(top - 1)}" width="{_n(wide)}" height="{_n(high + 2)}"/>'
        inside = f'<defs><clipPath id="{name}">{area}</clipPath>{lines}</defs><g clip-path="url(#{name})">{clipped}</g>'
    return (
        f'<svg viewBox="0 0 {_n(panel.width)} {_n(panel.height)}" role="img" '
        f'aria-label="{escape(panel.summary)}"{more}>{first}{inside}{free}</svg>'
    )


def _leave_roles_to_page(shape: _Shape) -> _Shape:
    """Leave out the colours of roles, which the page's style has by their classes."""
    paint = shape.paint
    for prefix, what in (("f-", "fill"), ("s-", "stroke")):
        if prefix in shape.classes:
            paint = re.sub(rf' {what}="#\w+"', "", paint)
    return shape._replace(paint=paint)


def _name_picture(panel: Panel) -> str:
    """Return an id for what the picture defines: pictures that share it define the same."""
    return f"p{zlib.crc32(repr((panel.title, panel.width, panel.height, panel.margins)).encode()):08x}"


def _n(number: float) -> str:
    text = f"{number:.1f}"
    return text[:-2] if text.endswith(".0") else text


def draw_axes(panel: Panel) -> Iterable[Mark]:
    """Yield grid, axis lines, ticks and titles as ordinary marks."""
    x, y = panel.x, panel.y
    edge = (y.low, y.high)
    for tick, text in x.ticks:
        if x.grid:
            yield Line(((tick, edge[0]), (tick, edge[1])), "grid")
        yield Words(tick, y.low, text, "dim", "small", "middle", (0.0, 13.0))
    for tick, text in y.ticks:
        if y.grid:
            yield Line(((x.low, tick), (x.high, tick)), "grid")
        yield Words(x.low, tick, text, "dim", "small", "end", (-7.0, 0.0))
    if x.ticks and x.line:
        yield Line(((x.low, y.low), (x.high, y.low)), "dim", clip=False)
    if y.ticks and y.line:
        yield Line(((x.low, y.low), (x.low, y.high)), "dim", clip=False)
    middle = (x.low + x.high) / 2, (y.low + y.high) / 2
    if x.title:
        yield Words(
            middle[0], y.low, x.title, "dim", "normal", "middle", (0.0, 33.0 if x.ticks else panel.margins[3] - 14.0)
        )
    if y.title:
        yield Words(x.low, middle[1], y.title, "dim", "normal", "middle", (12.0 - panel.margins[0], 0.0), 90.0)


def _set_paint(colour: str | None, what: str) -> str:
    if colour is None:
        return f' {what}="none"'
    if colour.startswith("#"):
        return f' {what}="{colour}"'
    return f' {what}="{LIGHT[colour]}"'


def _set_classes(fill: str | None, stroke: str | None, *others: str) -> str:
    names = [f"f-{fill}"] if fill is not None and not fill.startswith("#") else []
    names += [f"s-{stroke}"] if stroke is not None and not stroke.startswith("#") else []
    names += [other for other in others if other]
    return f' class="{" ".join(names)}"' if names else ""


def _explain(of: str | None, tip: str | None) -> tuple[str, str]:
    """Return the mark's system as an attribute, and its explanation as a child that browsers show on hover."""
    return (
        "" if of is None else f' data-of="{escape(of)}"',
        "" if tip is None else f"<title>{escape(tip)}</title>",
    )


def _write_path(places: Iterable[Point]) -> str:
    return "M" + "L".join([f"{x:.1f} {y:.1f}" for x, y in places]).replace(".0 ", " ").replace(".0L", "L").removesuffix(
        ".0"
    )


def _draw_line(panel: Panel, mark: Line) -> Iterator[_Shape]:
    owner, child = _explain(mark.of, mark.tip)
    path = _write_path(panel.place(*point) for point in mark.points) + ("Z" if mark.closed else "")
    dash = "" if mark.dash is None else f' stroke-dasharray="{_n(mark.dash[0])} {_n(mark.dash[1])}"'
    width = f' stroke-width="{_n(mark.width)}"' if mark.width != 1 else ""
    stroke = mark.colour if mark.width > 0 else None
    paint = _set_paint(mark.fill, "fill") + _set_paint(stroke, "stroke") + width + dash
    classes = _set_classes(mark.fill, stroke, mark.part)
    yield _Shape("path", classes, f' d="{path}"', paint, _set_opacity(mark) + owner, child, bool(owner or mark.part))


def _set_opacity(mark: Line | Bar | Ribbon | Cloud) -> str:
    return f' opacity="{mark.opacity:g}"' if mark.opacity != 1 else ""


def _set_box(x: float, y: float, wide: float, high: float) -> str:
    return f' x="{_n(x)}" y="{_n(y)}" width="{_n(wide)}" height="{_n(high)}"'


def _span_box(panel: Panel, mark: Bar | Raster) -> str:
    (x0, y0), (x1, y1) = panel.place(*mark.low), panel.place(*mark.high)
    return _set_box(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0))


def _draw_bar(panel: Panel, mark: Bar) -> Iterator[_Shape]:
    owner, child = _explain(mark.of, mark.tip)
    box = _span_box(panel, mark)
    own = _set_opacity(mark) + owner
    yield _Shape("rect", _set_classes(mark.fill, None), box, _set_paint(mark.fill, "fill"), own, child, bool(owner))
    if mark.hatched:
        yield _Shape("rect", "", box, f' fill="url(#{_name_picture(panel)}h)"', ' pointer-events="none"')


_CORNERS = {"diamond": (4, 0.0, 1.25), "up": (3, 0.0, 1.3), "down": (3, np.pi, 1.3)}
"""Corners of a shape, where the first points, and its reach where a circle of the same size has 1."""


def _draw_dot(panel: Panel, mark: Dot) -> Iterator[_Shape]:
    owner, child = _explain(mark.of, mark.tip)
    x, y = panel.place(mark.x, mark.y)
    r = mark.size
    hollow = mark.shape in ("cross", "ring")
    if hollow:
        looks = _set_classes(None, mark.fill, "pt")
        paint = _set_paint(None, "fill") + _set_paint(mark.fill, "stroke") + ' stroke-width="2.5"'
    else:
        looks = _set_classes(mark.fill, mark.colour, "pt")
        paint = _set_paint(mark.fill, "fill") + _set_paint(mark.colour, "stroke")
    if mark.shape == "cross":
        path = f"M{_n(x - r)} {_n(y - r)}L{_n(x + r)} {_n(y + r)}M{_n(x - r)} {_n(y + r)}L{_n(x + r)} {_n(y - r)}"
        yield _Shape("path", looks, f' d="{path}"', paint, owner, child, is_alone=True)
    elif mark.shape == "star" or mark.shape in _CORNERS:
        if mark.shape == "star":
            turns, reach = np.arange(10) * np.pi / 5, np.where(np.arange(10) % 2 == 0, r, r * 0.45)
        else:
            corners, first, longer = _CORNERS[mark.shape]
            turns, reach = first + np.arange(corners) * 2 * np.pi / corners, np.full(corners, longer * r)
        path = _write_path(zip(x + reach * np.sin(turns), y - reach * np.cos(turns), strict=True)) + "Z"
        yield _Shape("path", looks, f' d="{path}"', paint, owner, child, is_alone=True)
    elif mark.shape == "square":
        yield _Shape("rect", looks, _set_box(x - r, y - r, 2 * r, 2 * r), paint, owner, child, is_alone=True)
    else:
        place = f' cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}"'
        yield _Shape("circle", looks, place, paint, owner, child, is_alone=True)


def _draw_words(panel: Panel, mark: Words) -> Iterator[_Shape]:
    owner, child = _explain(mark.of, mark.tip)
    x, y = panel.place(mark.x, mark.y)
    x, y = x + mark.shift[0], y + mark.shift[1] + 0.36 * FONT[mark.size]
    place = f' x="{_n(x)}" y="{_n(y)}"'
    if mark.angle:
        down = 0.36 * FONT[mark.size]
        place = f' transform="translate({_n(x)} {_n(y - down)}) rotate({_n(-mark.angle)})" y="{_n(down)}"'
    looks = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
    looks += ' font-weight="600"' if mark.bold else ""
    looks += ' font-style="italic"' if mark.italic else ""
    looks += f' font-size="{_n(FONT[mark.size])}"{_set_paint(mark.colour, "fill")}'
    if mark.halo is not None:
        looks += _set_paint(mark.halo, "stroke") + ' stroke-width="3" stroke-linejoin="round" paint-order="stroke"'
    classes = _set_classes(mark.colour, mark.halo, f"t-{mark.size}", "lab" if mark.of is not None else "")
    yield _Shape("text", classes, place, looks, owner, escape(mark.text) + child, bool(owner))


def _draw_ribbon(panel: Panel, mark: Ribbon) -> Iterator[_Shape]:
    _, child = _explain(None, mark.tip)
    (x0, y0), (x1, y1) = panel.place(*mark.start), panel.place(*mark.end)
    _, lower = panel.place(mark.start[0], mark.start[1] - mark.thick)
    middle, deep = (x0 + x1) / 2, lower - y0
    path = (
        f"M{_n(x0)} {_n(y0)}C{_n(middle)} {_n(y0)} {_n(middle)} {_n(y1)} {_n(x1)} {_n(y1)}v{_n(deep)}"
        f"C{_n(middle)} {_n(y1 + deep)} {_n(middle)} {_n(y0 + deep)} {_n(x0)} {_n(y0 + deep)}Z"
    )
    yield _Shape(
        "path", _set_classes(mark.fill, None), f' d="{path}"', _set_paint(mark.fill, "fill"), _set_opacity(mark), child
    )


def _draw_cloud(panel: Panel, mark: Cloud) -> Iterator[_Shape]:
    owner, _ = _explain(mark.of, None)
    path = "".join(f"M{_n(x)} {_n(y)}h0" for x, y in (panel.place(px, py) for px, py in mark.points))
    looks = f'{_set_paint(mark.colour, "stroke")} stroke-width="{_n(mark.size)}" stroke-linecap="round"'
    classes = _set_classes(None, mark.colour, "cloud")
    yield _Shape("path", classes, f' d="{path}"', looks, _set_opacity(mark) + owner, is_alone=True)


def _draw_raster(panel: Panel, mark: Raster) -> Iterator[_Shape]:
    box = _span_box(panel, mark)
    look = "" if mark.smooth else ' image-rendering="pixelated"'
    own = f'{look} href="{data_address(mark.pixels)}"'
    yield _Shape("image", "", f'{box} preserveAspectRatio="none"', "", own, is_alone=True)


_DRAWN = cast(
    "dict[type, Callable[[Panel, Any], Iterator[_Shape]]]",
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


def picture(panel: Panel) -> str:
    """Return the picture on its own light paper, readable in any theme."""
    coded = base64.b64encode(make_standalone_svg(panel, dark=False).encode("utf-8")).decode("ascii")
    return (
        f'<img alt="{escape(panel.summary)}" style="max-width:100%;height:auto;border-radius:4px" '
        f'width="{panel.width:.0f}" src="data:image/svg+xml;base64,{coded}">'
    )


def encode_png(pixels: NDArray[Any]) -> bytes:
    """Return the bytes of a PNG file for (rows, columns, 3) values of 0 to 255; few colours are stored as a palette."""
    rows, columns, _ = pixels.shape
    small = np.ascontiguousarray(pixels, dtype=np.uint8)
    coded = small[..., 0].astype(np.uint32) << 16 | small[..., 1].astype(np.uint32) << 8 | small[..., 2]
    palette, places = np.unique(coded, return_inverse=True)
    if len(palette) <= 256:
        kind, colours = 3, np.stack([palette >> 16, palette >> 8 & 255, palette & 255], -1).astype(np.uint8).tobytes()
        lines = places.reshape(rows, columns).astype(np.uint8)
    else:
        kind, colours, lines = 2, b"", small.reshape(rows, columns * 3)
    framed = np.hstack([np.zeros((rows, 1), np.uint8), lines]).tobytes()
    header = struct.pack(">IIBBBBB", columns, rows, 8, kind, 0, 0, 0)
    parts = [(b"IHDR", header), *([(b"PLTE", colours)] if colours else []), (b"IDAT", zlib.compress(framed, 5))]
    chunks = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in [*parts, (b"IEND", b"")]
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def data_address(pixels: NDArray[Any]) -> str:
    """Return the image inside an address, for a page that loads nothing."""
    return "data:image/png;base64," + base64.b64encode(encode_png(pixels)).decode("ascii")
