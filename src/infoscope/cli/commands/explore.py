"""``infoscope serve`` and ``infoscope verdicts``: explore a folder of predictions in the browser, and apply verdicts.

The server listens on the local machine only.
"""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path

import click

import infoscope as ifs
from infoscope.cli.options import COLUMNS, OUTPUT, Command, command, option, shared
from infoscope.cli.output import check_output
from infoscope.cli.process import say, write_stdout
from infoscope.core.files import check_target
from infoscope.core.markup import pluralize
from infoscope.errors import InputError


@command("serve")
@click.argument("folder", default=".")
@option("--port", type=click.IntRange(0, 65535), default=0, help="By default a free one.")
@option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
def serve(folder: str, port: int, no_browser: bool) -> None:
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

    def open_browser(address: str) -> None:
        if not webbrowser.open(address):
            say("No browser was found on this machine; open the address yourself.")

    if not no_browser:  # in a thread, since a text browser blocks until it is closed
        launch_url = f"{origin}/{ifs.explorer.ENTRANCE}/{explorer.entrance.token()}"
        threading.Thread(target=open_browser, args=(launch_url,), name="browser", daemon=True).start()
    try:
        server.serve_forever(poll_interval=0.2)
    finally:
        server.server_close()
        explorer.close()


@click.group("verdicts")
def verdicts() -> None:
    """Count and apply the verdicts that `infoscope serve` kept: errors of the truth, and a corrected copy of the rows.

    Example: infoscope verdicts count verdicts.jsonl

    Example: infoscope verdicts apply verdicts.jsonl predictions.csv -t label -o corrected.csv
    """


@verdicts.command("count", cls=Command)
@click.argument("verdicts")
def count(verdicts: str) -> None:
    """Say how many of the errors are the truth's, from rows that were drawn at random.

    Example: infoscope verdicts count verdicts.jsonl
    """
    verdict_list = ifs.explorer.read_verdicts(verdicts)
    lines = [error.sentence() for error in ifs.explorer.truth_errors(verdict_list)]
    chosen = sum(verdict.drawn != "random" for verdict in verdict_list)
    if chosen:
        lines.append(
            f"{chosen} verdicts are about rows that were chosen, not drawn: they say nothing about the others."
        )
    write_stdout("\n".join(lines or ["No verdict is about an error that was drawn at random."]) + "\n")


@verdicts.command("apply", cls=Command)
@click.argument("verdicts")
@click.argument("source")
@option("-t", "--truth", group=COLUMNS, required=True, metavar="COLUMN", help="The column of the truth.")
@option(
    "-o",
    "--output",
    group=OUTPUT,
    required=True,
    metavar="FILE",
    help="The new file; SOURCE is never written.",
)
@shared("force")
def apply(verdicts: str, source: str, truth: str, output: str, force: bool) -> None:
    """Write a copy of SOURCE: wrong labels replaced by the prediction that was judged, unclear ones removed.

    Example: infoscope verdicts apply verdicts.jsonl predictions.csv -t label -o corrected.csv
    """
    check_output(check_target(output), force=force)
    changed = ifs.explorer.write_corrected(source, truth, ifs.explorer.read_verdicts(verdicts), output, force=force)
    say(f"{pluralize(changed, 'label')} changed; the column verdict says which.")
