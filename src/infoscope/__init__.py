"""Infoscope: how much of the truth a system's output carries, how sure we are, and where the rest is lost.

>>> import infoscope as ifs
>>> result = ifs.evaluate(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
>>> print(f"{result['system'].number('proficiency'):.3f}")
0.311

Names load on first use, so that importing the package costs next to nothing; ``__init__.pyi`` lists them.
"""

__version__ = "0.1.0"


def __getattr__(name):
    """A public name, looked up by the stub, which is read when the first one is asked for.

    Until then nothing is imported: the command line is here before it can hear Ctrl-C.
    """
    names = _names()
    return names["__all__"] if name == "__all__" else names["__getattr__"](name)


def __dir__():
    """The public names."""
    return _names()["__dir__"]()


_loader = {}


def _names():
    if not _loader:
        import lazy_loader  # noqa: PLC0415 - see above

        parts = lazy_loader.attach_stub(__name__, __file__)
        _loader.update(zip(("__getattr__", "__dir__", "__all__"), parts, strict=True))
    return _loader
