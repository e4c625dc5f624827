"""``infoscope`` and ``python -m infoscope``: the command line."""

import _signal  # type: ignore[import-not-found]  # built in, while ``signal`` takes time to load
import gc
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; while it loads there is nothing to clear away, and Ctrl-C ends it at once."""
    try:
        if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # ignored, as under nohup, it stays so
            _signal.signal(_signal.SIGINT, _leave)
        gc.set_threshold(100_000)  # what is loaded stays: looking for garbage in it takes a tenth of the start
        from infoscope.cli import main as run  # noqa: PLC0415 - after signals are heeded

        run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        exec("")  # clears the mark of an interrupt inside another exec, by which ``python -m`` would end by SIGINT


def _leave(number: int, _frame: object) -> None:
    os.write(2, b"infoscope: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()
