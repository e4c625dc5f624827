"""``infoscope`` and ``python -m infoscope``: the command line; an interrupt while it loads is one, too."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        from infoscope.cli import main as run  # noqa: PLC0415 - takes a moment, in which a user may change their mind

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
