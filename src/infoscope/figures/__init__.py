"""Figures: a file per picture or few of one kind, coordinates first, then the drawing; ``__init__.pyi`` lists them.

They load on first use: text names a few of their marks and draws none.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
