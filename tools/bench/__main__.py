"""Run the benchmarks and write docs/contributors/benchmarks.md with its pictures (`make bench`).

python -m tools.bench                          # every benchmark, then the page
python -m tools.bench --only growth foundation # some of them; the others keep what their last run measured
python -m tools.bench --page                   # the page from the last run, nothing measured
INFOSCOPE_BENCHMARKS_BRIEFLY=1 python -m tools.bench --folder /tmp/b --docs /tmp/b   # to see that it works
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.bench.page import write
from tools.bench.run import FOLDER, ROOT, SCRIPTS, measure, read

DOCS = ROOT / "docs" / "contributors"


def main(words: list[str] | None = None) -> int:
    """The exit status: 1 where a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SCRIPTS, metavar="NAME", help=f"of {', '.join(SCRIPTS)}")
    parser.add_argument("--page", action="store_true", help="write the page from the last run")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where runs are kept (default: .benchmarks)")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the page goes (default: docs/contributors)")
    asked = parser.parse_args(words)
    if not asked.page:
        measure(asked.only or SCRIPTS, asked.folder)
    runs = read(asked.folder)
    if not runs:
        parser.error(f"{asked.folder} has no run; leave out --page")
    write(runs, asked.docs)
    failed = [run.name for run in runs if run.status]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
