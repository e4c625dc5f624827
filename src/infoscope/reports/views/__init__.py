"""Views: a module for each kind of result, named like its study, with ``outline`` and ``PICTURES``."""
