"""``infoscope`` and ``python -m infoscope``: the command line."""

import os
import signal
import sys
from types import FrameType

__all__ = ["main"]


def main() -> None:
    """Run the command line; while it loads there is nothing to clear away, and Ctrl-C ends it at once."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # ignored, as under nohup, it stays so
            signal.signal(signal.SIGINT, _leave)
        # threads for products of matrices sleep at once; each would wait for its first one busily, 25 ms of a processor
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
        from infoscope.cli import main as run  # noqa: PLC0415 - after signals are heeded

        run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        exec("")  # clears the mark of an interrupt inside another exec, by which ``python -m`` would end by SIGINT


def _leave(number: int, _frame: FrameType | None) -> None:
    os.write(2, b"infoscope: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()
