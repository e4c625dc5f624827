"""Write docs/contributors/papers/: ``python -m tools.papers`` (`make docs`)."""

import sys

from tests.reference import PUBLISHED, why_absent
from tools.papers.pages import write

if __name__ == "__main__":
    if absent := why_absent(PUBLISHED) or why_absent("data/kdd2005/labeler1.txt"):
        sys.exit(print(f"docs/contributors/papers stays as it is: {absent}", file=sys.stderr) or 0)
    write()
