"""Doctests of adapters are collected where the packages are installed that they adapt to."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torchmetrics") else ["infoscope/integrations/torch/*.py"]
