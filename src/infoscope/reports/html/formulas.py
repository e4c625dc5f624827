"""Formulas of the cards as a line of text with raised and lowered signs, for readers who do not know TeX."""

from __future__ import annotations

import re

from infoscope.core.markup import Html, text

SIGNS = {
    "sum": "Σ",
    "mid": " | ",
    "cdot": "·",
    "le": " ≤ ",
    "times": " × ",
    "log": " log",
    "ln": "ln ",
    "max": "max",
    "min": "min",
    "chi": "χ",
    "varphi": "φ",
    "delta": "δ",
    "left": "",
    "right": "",
    "quad": " ",
}
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[{}^_]|\s+|[^\\{}^_\s]")


def formula(tex: str) -> Html:
    r"""The formula on one line.

    >>> formula(r"\frac{I(T;S)}{H(T)}"), formula(r"-\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_i}")
    ('I(T;S) / H(T)', '−Σ<sub>ij</sub> p<sub>ij</sub> log<sub>2</sub> (p<sub>ij</sub> / p<sub>i</sub>)')
    """
    shown, rest = _row(_TOKEN.findall(tex))
    assert not rest, tex
    return Html(re.sub(r"\s+", " ", shown).strip())


def _row(tokens: list[str]) -> tuple[str, list[str]]:
    """Everything up to the end or a closing brace."""
    out = ""
    while tokens and tokens[0] != "}":
        part, tokens = _atom(tokens)
        if part.startswith("\0"):  # a fraction beside other things stands in brackets
            after = next((token for token in tokens if not token.isspace()), "}")
            alone = not out.strip() and after in ("}", "=", ",")
            part = part[1:] if alone else f"({part[1:]})"
        out += part
    return out, tokens


def _argument(tokens: list[str]) -> tuple[str, list[str]]:
    while tokens and tokens[0].isspace():
        tokens = tokens[1:]
    if tokens[0] == "{":
        inside, rest = _row(tokens[1:])
        return inside, rest[1:]
    part, rest = _atom(tokens)
    return part.lstrip("\0"), rest


def _atom(tokens: list[str]) -> tuple[str, list[str]]:
    token, rest = tokens[0], tokens[1:]
    if token == "{":
        inside, rest = _row(rest)
        return inside, rest[1:]
    if token in "^_":
        inside, rest = _argument(rest)
        tag = "sup" if token == "^" else "sub"
        return f"<{tag}>{inside.strip()}</{tag}>", rest
    if not token.startswith("\\"):
        return ("−" if token == "-" else str(text(token))), rest
    return _command(token[1:], rest)


def _command(name: str, rest: list[str]) -> tuple[str, list[str]]:
    if name in ("frac", "binom"):
        one, rest = _argument(rest)
        other, rest = _argument(rest)
        if name == "binom":
            return f"C({one}, {other})", rest
        return f"\0{_grouped(one)} / {_grouped(other)}", rest
    if name == "sqrt":
        inside, rest = _argument(rest)
        return f"√{inside}" if inside.isalnum() else f"√({inside})", rest
    if name in ("mathrm", "text", "mathbf"):
        return _argument(rest)
    if len(name) == 1 and not name.isalpha():
        return " ", rest
    while rest and rest[0].isspace():  # as in TeX, a space ends the name of a sign
        rest = rest[1:]
    return SIGNS.get(name, name), rest


def _grouped(part: str) -> str:
    """A numerator or denominator, in brackets where it is a sum or a product."""
    plain = re.sub(r"<su[bp]>.*?</su[bp]>", "", part.strip())
    return part.strip() if re.fullmatch(r"\w*\s?(\([^()]*\))?", plain) else f"({part.strip()})"
