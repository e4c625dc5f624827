"""``infoscope`` and ``python -m infoscope``: the command line."""

import os
import sys
from contextlib import suppress

__all__ = ["main"]


def main() -> None:
    """Run the command line; while it loads there is nothing to clear away, and Ctrl-C ends it with a line."""
    # threads for products of matrices sleep at once; each would wait for its first one busily, 25 ms of a processor
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    try:
        from infoscope.cli import main as run  # noqa: PLC0415 - after interrupts are heeded

        run()
    except KeyboardInterrupt:
        with suppress(OSError):
            os.write(2, b"infoscope: interrupted\n")
        sys.exit(130)
    finally:
        exec("")  # clears the mark of an interrupt inside another exec, by which ``python -m`` would end by SIGINT


if __name__ == "__main__":
    main()
