"""``python -m infoscope``: the command line."""

from infoscope.cli import main

main()
