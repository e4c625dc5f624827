"""``infoscope`` and ``python -m infoscope``: the command line."""

import _signal  # type: ignore[import-not-found]  # built in, while ``signal`` takes time to load
import _thread
import atexit
import gc
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; while it loads there is nothing to clear away, and Ctrl-C ends it at once."""
    try:
        if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # ignored, as under nohup, it stays so
            _signal.signal(_signal.SIGINT, _leave)
        # threads for products of matrices sleep at once; each would wait for its first one busily, 25 ms of a processor
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
        gc.set_threshold(500_000)  # what is loaded stays: looking for garbage in it takes a tenth of the start
        from infoscope.cli import main as run  # noqa: PLC0415 - after signals are heeded

        run()
    except KeyboardInterrupt:
        sys.exit(130)
    except SystemExit as end:
        if _is_alone() and isinstance(end.code, int | None):
            _end(end.code or 0)
        raise
    finally:
        exec("")  # clears the mark of an interrupt inside another exec, by which ``python -m`` would end by SIGINT


def _leave(number: int, _frame: object) -> None:
    os.write(2, b"infoscope: interrupted\n")
    os._exit(128 + number)


def _is_alone() -> bool:
    """Whether the process was started for this command, and no debugger, profiler or other thread is at work in it."""
    is_ours = getattr(sys.modules["__main__"], "main", None) is main
    is_watched = sys.flags.inspect or sys.flags.interactive or sys.gettrace() or sys.getprofile() or _is_monitored()
    return is_ours and not is_watched and not _thread._count()


def _is_monitored() -> bool:
    """Whether a profiler or debugger watches in the way that Python has since 3.12."""
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and any(monitoring.get_tool(tool) is not None for tool in range(6))


def _end(status: int) -> None:
    """End the process without taking apart what it has loaded, object by object: a seventh of a short run."""
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # the interpreter has its own words for it
    os._exit(status)


if __name__ == "__main__":
    main()
