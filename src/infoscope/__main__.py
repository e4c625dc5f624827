"""``infoscope`` and ``python -m infoscope``: the command line."""

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; while it loads there is nothing to clear away, and Ctrl-C ends it at once."""
    try:
        import signal  # noqa: PLC0415 - even this takes a moment, in which a user may change their mind

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # ignored, as under nohup, it stays ignored
            signal.signal(signal.SIGINT, _leave)
        from infoscope.cli import main as run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        sys.exit(130)


def _leave(number: int, _frame: object) -> None:
    os.write(2, b"infoscope: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()
