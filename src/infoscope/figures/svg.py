"""A panel as SVG text.

Every mark carries its light colour as an attribute, so that it shows where style sheets are forbidden, and the
role as a class, so that a page (or the stand-alone picture's own style) can turn it dark.
"""

from __future__ import annotations

import base64
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
    """Whether scripts find it by itself, so that it keeps its classes."""

    def text(self, *, shared: bool = False) -> str:
        """The element; without what an element around it says."""
        inside = f"{self.place}{self.own}" if shared else f"{self.classes}{self.place}{self.paint}{self.own}"
        return f"<{self.tag}{inside}>{self.child}</{self.tag}>" if self.child else f"<{self.tag}{inside}/>"


def svg(panel: Panel) -> str:
    """The picture as an element for a page that styles the roles; neighbours that look alike say so once."""
    return _element(panel, _grouped)


def _grouped(shapes: Iterable[_Shape]) -> str:
    found = []
    for (classes, paint, is_alone), group in groupby(shapes, lambda each: (each.classes, each.paint, each.is_alone)):
        members = list(group)
        if is_alone or len(members) == 1:
            found += [shape.text() for shape in members]
        else:
            found.append(f"<g{classes}{paint}>{''.join(shape.text(shared=True) for shape in members)}</g>")
    return "".join(found)


def _ungrouped(shapes: Iterable[_Shape]) -> str:
    return "".join(shape.text() for shape in shapes)


def standalone_svg(panel: Panel, *, dark: bool | None = None) -> str:
    """The picture as a file of its own; ``dark`` None follows the reader's preference."""
    turn = "" if dark is False else role_style(DARK)
    style = turn if dark else f"@media(prefers-color-scheme:dark){{{turn}}}" if turn else ""
    inside = f"<style>{style}</style>" if style else ""
    box = f'<rect class="f-paper" fill="{LIGHT["paper"]}" width="{_n(panel.width)}" height="{_n(panel.height)}"/>'
    picture = _element(panel, _ungrouped, inside + box, f' font-family="{FAMILY}" data-maker="{MAKER}"')
    return picture.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)


def role_style(colours: dict[str, str]) -> str:
    """Rules that give each role a colour, for fills and strokes."""
    return "".join(f".f-{role}{{fill:{colour}}}.s-{role}{{stroke:{colour}}}" for role, colour in colours.items())


def _element(panel: Panel, written: Callable[[Iterable[_Shape]], str], first: str = "", more: str = "") -> str:
    marks = list(chain(_axes(panel), panel.marks))
    free = written(shape for mark in marks if not _clipped(mark) for shape in _DRAWN[type(mark)](panel, mark))
    clipped = written(shape for mark in marks if _clipped(mark) for shape in _DRAWN[type(mark)](panel, mark))
    defs = _definitions(panel, hatched=any(isinstance(mark, Bar) and mark.hatched for mark in marks)) if clipped else ""
    inside = f'<g clip-path="url(#{_name(panel)})">{clipped}</g>' if clipped else ""
    return (
        f'<svg viewBox="0 0 {_n(panel.width)} {_n(panel.height)}" role="img" '
        f'aria-label="{escape(panel.summary)}"{more}>{first}{defs}{inside}{free}</svg>'
    )


def _name(panel: Panel) -> str:
    """An id for what the picture defines: pictures that share it define the same."""
    return f"p{zlib.crc32(repr((panel.title, panel.width, panel.height, panel.margins)).encode()):08x}"


def _definitions(panel: Panel, *, hatched: bool) -> str:
    left, top, _, _ = panel.margins
    wide, high = panel.inner
    lines = (
        f'<pattern id="{_name(panel)}h" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path d="M0 0V6" stroke="#ffffff" stroke-opacity=".45" stroke-width="2.5"/>'
        "</pattern>"
        if hatched
        else ""
    )
    area = f'<rect x="{_n(left)}" y="{_n(top - 1)}" width="{_n(wide)}" height="{_n(high + 2)}"/>'
    return f'<defs><clipPath id="{_name(panel)}">{area}</clipPath>{lines}</defs>'


def _clipped(mark: Mark) -> bool:
    return isinstance(mark, (Cloud, Raster, Bar, Ribbon)) or (isinstance(mark, Line) and mark.clip)


def _n(number: float) -> str:
    text = f"{number:.1f}"
    return text[:-2] if text.endswith(".0") else text


def _axes(panel: Panel) -> Iterable[Mark]:
    """Grid, axis lines, ticks and titles as ordinary marks."""
    x, y = panel.x, panel.y
    edge = (y.low, y.high)
    for at, text in x.ticks:
        if x.grid:
            yield Line(((at, edge[0]), (at, edge[1])), "grid")
        yield Words(at, y.low, text, "dim", "small", "middle", (0.0, 13.0))
    for at, text in y.ticks:
        if y.grid:
            yield Line(((x.low, at), (x.high, at)), "grid")
        yield Words(x.low, at, text, "dim", "small", "end", (-7.0, 0.0))
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


def _paint(colour: str | None, what: str) -> str:
    if colour is None:
        return f' {what}="none"'
    if colour.startswith("#"):
        return f' {what}="{colour}"'
    return f' {what}="{LIGHT[colour]}"'


def _classes(fill: str | None, stroke: str | None, *others: str) -> str:
    names = [f"f-{fill}"] if fill is not None and not fill.startswith("#") else []
    names += [f"s-{stroke}"] if stroke is not None and not stroke.startswith("#") else []
    names += [other for other in others if other]
    return f' class="{" ".join(names)}"' if names else ""


def _told(of: str | None, tip: str | None) -> tuple[str, str]:
    """The mark's system as an attribute, and its explanation as a child that browsers show on hover."""
    return (
        "" if of is None else f' data-of="{escape(of)}"',
        "" if tip is None else f"<title>{escape(tip)}</title>",
    )


def _path(places: Iterable[Point]) -> str:
    return "M" + "L".join([f"{x:.1f} {y:.1f}" for x, y in places]).replace(".0 ", " ").replace(".0L", "L").removesuffix(
        ".0"
    )


def _line(panel: Panel, mark: Line) -> Iterator[_Shape]:
    owner, child = _told(mark.of, mark.tip)
    path = _path(panel.place(*point) for point in mark.points) + ("Z" if mark.closed else "")
    dash = "" if mark.dash is None else f' stroke-dasharray="{_n(mark.dash[0])} {_n(mark.dash[1])}"'
    width = f' stroke-width="{_n(mark.width)}"' if mark.width != 1 else ""
    stroke = mark.colour if mark.width > 0 else None
    paint = _paint(mark.fill, "fill") + _paint(stroke, "stroke") + width + dash
    classes = _classes(mark.fill, stroke, mark.part)
    yield _Shape("path", classes, f' d="{path}"', paint, _see(mark) + owner, child, bool(owner or mark.part))


def _see(mark: Line | Bar | Ribbon | Cloud) -> str:
    return f' opacity="{mark.opacity:g}"' if mark.opacity != 1 else ""


def _box(x: float, y: float, wide: float, high: float) -> str:
    return f' x="{_n(x)}" y="{_n(y)}" width="{_n(wide)}" height="{_n(high)}"'


def _between(panel: Panel, mark: Bar | Raster) -> str:
    (x0, y0), (x1, y1) = panel.place(*mark.low), panel.place(*mark.high)
    return _box(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0))


def _bar(panel: Panel, mark: Bar) -> Iterator[_Shape]:
    owner, child = _told(mark.of, mark.tip)
    box = _between(panel, mark)
    own = _see(mark) + owner
    yield _Shape("rect", _classes(mark.fill, None), box, _paint(mark.fill, "fill"), own, child, bool(owner))
    if mark.hatched:
        yield _Shape("rect", "", box, f' fill="url(#{_name(panel)}h)"', ' pointer-events="none"')


def _star(x: float, y: float, size: float) -> str:
    turns = np.arange(10) * np.pi / 5
    reach = np.where(np.arange(10) % 2 == 0, size, size * 0.45)
    return _path(zip(x + reach * np.sin(turns), y - reach * np.cos(turns), strict=True)) + "Z"


_CORNERS = {"diamond": (4, 0.0, 1.25), "up": (3, 0.0, 1.3), "down": (3, np.pi, 1.3)}
"""Corners of a shape, where the first points, and its reach where a circle of the same size has 1."""


def _polygon(x: float, y: float, size: float, shape: str) -> str:
    corners, first, reach = _CORNERS[shape]
    turns = first + np.arange(corners) * 2 * np.pi / corners
    return _path(zip(x + reach * size * np.sin(turns), y - reach * size * np.cos(turns), strict=True)) + "Z"


def _dot(panel: Panel, mark: Dot) -> Iterator[_Shape]:
    owner, child = _told(mark.of, mark.tip)
    x, y = panel.place(mark.x, mark.y)
    r = mark.size
    hollow = mark.shape in ("cross", "ring")
    if hollow:
        looks = _classes(None, mark.fill, "pt")
        paint = _paint(None, "fill") + _paint(mark.fill, "stroke") + ' stroke-width="2.5"'
    else:
        looks = _classes(mark.fill, mark.colour, "pt")
        paint = _paint(mark.fill, "fill") + _paint(mark.colour, "stroke")
    if mark.shape == "cross":
        path = f"M{_n(x - r)} {_n(y - r)}L{_n(x + r)} {_n(y + r)}M{_n(x - r)} {_n(y + r)}L{_n(x + r)} {_n(y - r)}"
        yield _Shape("path", looks, f' d="{path}"', paint, owner, child, is_alone=True)
    elif mark.shape == "star":
        yield _Shape("path", looks, f' d="{_star(x, y, r)}"', paint, owner, child, is_alone=True)
    elif mark.shape in _CORNERS:
        yield _Shape("path", looks, f' d="{_polygon(x, y, r, mark.shape)}"', paint, owner, child, is_alone=True)
    elif mark.shape == "square":
        yield _Shape("rect", looks, _box(x - r, y - r, 2 * r, 2 * r), paint, owner, child, is_alone=True)
    else:
        place = f' cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}"'
        yield _Shape("circle", looks, place, paint, owner, child, is_alone=True)


def _words(panel: Panel, mark: Words) -> Iterator[_Shape]:
    owner, child = _told(mark.of, mark.tip)
    x, y = panel.place(mark.x, mark.y)
    x, y = x + mark.shift[0], y + mark.shift[1] + 0.36 * FONT[mark.size]
    at = f' x="{_n(x)}" y="{_n(y)}"'
    if mark.angle:
        down = 0.36 * FONT[mark.size]
        at = f' transform="translate({_n(x)} {_n(y - down)}) rotate({_n(-mark.angle)})" y="{_n(down)}"'
    looks = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
    looks += ' font-weight="600"' if mark.bold else ""
    looks += ' font-style="italic"' if mark.italic else ""
    looks += f' font-size="{_n(FONT[mark.size])}"{_paint(mark.colour, "fill")}'
    if mark.halo is not None:
        looks += _paint(mark.halo, "stroke") + ' stroke-width="3" stroke-linejoin="round" paint-order="stroke"'
    classes = _classes(mark.colour, mark.halo, f"t-{mark.size}", "lab" if mark.of is not None else "")
    yield _Shape("text", classes, at, looks, owner, escape(mark.text) + child, bool(owner))


def _ribbon(panel: Panel, mark: Ribbon) -> Iterator[_Shape]:
    _, child = _told(None, mark.tip)
    (x0, y0), (x1, y1) = panel.place(*mark.start), panel.place(*mark.end)
    _, lower = panel.place(mark.start[0], mark.start[1] - mark.thick)
    middle, deep = (x0 + x1) / 2, lower - y0
    path = (
        f"M{_n(x0)} {_n(y0)}C{_n(middle)} {_n(y0)} {_n(middle)} {_n(y1)} {_n(x1)} {_n(y1)}v{_n(deep)}"
        f"C{_n(middle)} {_n(y1 + deep)} {_n(middle)} {_n(y0 + deep)} {_n(x0)} {_n(y0 + deep)}Z"
    )
    yield _Shape("path", _classes(mark.fill, None), f' d="{path}"', _paint(mark.fill, "fill"), _see(mark), child)


def _cloud(panel: Panel, mark: Cloud) -> Iterator[_Shape]:
    owner, _ = _told(mark.of, None)
    path = "".join(f"M{_n(x)} {_n(y)}h0" for x, y in (panel.place(px, py) for px, py in mark.points))
    looks = f'{_paint(mark.colour, "stroke")} stroke-width="{_n(mark.size)}" stroke-linecap="round"'
    classes = _classes(None, mark.colour, "cloud")
    yield _Shape("path", classes, f' d="{path}"', looks, _see(mark) + owner, is_alone=True)


def _raster(panel: Panel, mark: Raster) -> Iterator[_Shape]:
    box = _between(panel, mark)
    look = "" if mark.smooth else ' image-rendering="pixelated"'
    own = f'{look} href="{data_address(mark.pixels)}"'
    yield _Shape("image", "", f'{box} preserveAspectRatio="none"', "", own, is_alone=True)


_DRAWN = cast(
    "dict[type, Callable[[Panel, Any], Iterator[_Shape]]]",
    {Line: _line, Bar: _bar, Dot: _dot, Words: _words, Ribbon: _ribbon, Cloud: _cloud, Raster: _raster},
)


def picture(panel: Panel) -> str:
    """The picture on its own light paper, readable in any theme."""
    coded = base64.b64encode(standalone_svg(panel, dark=False).encode("utf-8")).decode("ascii")
    return (
        f'<img alt="{escape(panel.summary)}" style="max-width:100%;height:auto;border-radius:4px" '
        f'width="{panel.width:.0f}" src="data:image/svg+xml;base64,{coded}">'
    )


def encode(pixels: NDArray[Any]) -> bytes:
    """The bytes of a PNG file for (rows, columns, 3) values of 0 to 255; few colours are stored as a palette."""
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
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in [*parts, (b"IEND", b"")])


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def data_address(pixels: NDArray[Any]) -> str:
    """The image inside an address, for a page that loads nothing."""
    return "data:image/png;base64," + base64.b64encode(encode(pixels)).decode("ascii")
