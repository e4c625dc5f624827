"""``infoscope serve``: a folder of predictions in the browser, on this machine alone."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.streams import say, write_stdout
from infoscope.errors import InputError

__all__ = ["command"]


@click.command("serve")
@click.argument("folder", default=".")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="By default a free one.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
@click.option("-v", "--verbose", is_flag=True, help="Show where an internal error occurred.")
@reported
def command(folder: str, port: int, no_browser: bool, **_options: object) -> None:
    """Explore predictions in the browser: choose columns, open the rows behind a cell, keep verdicts about them.

    The server listens on this machine alone, and only the address with its key is answered; the files of FOLDER are
    read where they are and never written. Verdicts are added to FOLDER/verdicts.jsonl. Ctrl-C ends it.

    Example: infoscope serve predictions/

    Example: infoscope serve --no-browser --port 8800
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{folder} is not a folder; give the one that holds the files of predictions")
    try:
        server, explorer = ifs.explorer.open_server(root, port)
    except OSError as problem:
        raise InputError(f"port {port} cannot be used: {problem.strerror}; choose another with --port") from None
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    write_stdout(f"{origin}/{explorer.key}/\n")
    say("The address holds the key; Ctrl-C ends the server.")
    if not no_browser:  # meanwhile the server answers: a browser in the terminal stays until it is left
        way = f"{origin}/{ifs.explorer.ENTRANCE}/{explorer.entrance.token()}"
        threading.Thread(target=_open_browser, args=(way,), name="browser", daemon=True).start()
    try:
        server.serve_forever(poll_interval=0.2)
    finally:
        server.server_close()
        explorer.close()


def _open_browser(address: str) -> None:
    if not webbrowser.open(address):
        say("No browser was found on this machine; open the address yourself.")
