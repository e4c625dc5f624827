"""Infoscope: how much of the truth a system's output carries, how sure we are, and where the rest is lost.

>>> import infoscope as ifs
>>> result = ifs.evaluate(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
>>> print(f"{result['system'].number('proficiency'):.3f}")
0.311

Names load on first use, so that importing the package costs next to nothing; ``__init__.pyi`` lists them.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
