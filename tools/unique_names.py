"""Class names that occur twice in the package: a reader should never have to ask which one is meant."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "infoscope"


def repeated_classes(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Public class names with the modules that define them, where there are several."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        for name in re.findall(r"^class ([A-Z]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            homes[name].append(str(path.relative_to(package)))
    return {name: modules for name, modules in homes.items() if len(modules) > 1}


def main() -> None:
    """Fail where a name occurs twice."""
    for name, modules in repeated_classes().items():
        print(f"class {name} is defined in {' and '.join(modules)}; rename one of them")
    sys.exit(bool(repeated_classes()))


if __name__ == "__main__":
    main()
