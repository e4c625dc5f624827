"""How a page came about: by which command and version, from which counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from infoscope.report.html.elements import Html, element, label

__all__ = ["Making"]

MOST_HASHES = 40


@dataclass(frozen=True)
class Making:
    """What a reader needs to make the page again."""

    command: str | None
    """As it was typed; None where a program asked for the page."""
    version: str

    def items(self, hashes: Mapping[str, str]) -> Iterator[Html]:
        """Sentences for a list: command, version, and the hash of what was counted, by name."""
        if self.command is not None:
            yield element("li", "Made by ", element("code", self.command, class_="command"))
        yield element(
            "li", f"Written by infoscope {self.version}. The page asks nothing of any network and keeps nothing."
        )
        if hashes:
            listed = [
                element("div", element("dt", label(name, 40)), element("dd", element("code", found)))
                for name, found in list(hashes.items())[:MOST_HASHES]
            ]
            why = "Equal labels and counts have equal hashes, in whatever order the rows were read:"
            yield element("li", why, element("dl", *listed, class_="hashes"))
