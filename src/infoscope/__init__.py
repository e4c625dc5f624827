"""Infoscope: how much of the truth a system's output carries, how sure we are, and where the rest is lost.

>>> import infoscope as ifs
>>> result = ifs.evaluate(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
>>> print(f"{result['system'].number('proficiency'):.3f}")
0.311

Names load on first use, so that importing the package costs next to nothing; ``__init__.pyi`` lists them.
"""

import importlib
import sys
from importlib.machinery import ModuleSpec

__version__ = "0.1.0"

PUBLIC_MODULES = {
    "clustering": "studies.clustering",
    "evaluation": "studies.evaluation",
    "experiments": "integrations.experiments",
    "latent": "studies.latent",
    "mlflow": "integrations.mlflow",
    "multilabel": "studies.multilabel",
    "operating_points": "studies.operating_points",
    "serving": "explorer",
    "sklearn": "integrations.sklearn",
    "torch": "integrations.torch",
    "tracking": "studies.tracking",
}
"""Modules with a short public name, as ``infoscope.sklearn``, and the room each lies in."""


def __getattr__(name):
    """Return a public name, looked up by the stub, which is read when the first one is asked for.

    Until then nothing is imported: the command line is here before it can hear Ctrl-C.
    """
    if name in PUBLIC_MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    names = _read_stub()
    if name in _COMMANDS:
        raise AttributeError(f"module 'infoscope' has no attribute {name!r}; in Python it is {_COMMANDS[name]}")
    return names["__all__"] if name == "__all__" else names["__getattr__"](name)


_COMMANDS = {"agree": "infoscope.agreement", "track": "infoscope.tracking.evaluate"}
"""Commands whose functions have other names."""


def __dir__():
    """Return the public names."""
    return _read_stub()["__dir__"]()


_loader = {}


def _read_stub():
    if not _loader:
        import lazy_loader  # noqa: PLC0415 - see above

        parts = lazy_loader.attach_stub(__name__, __file__)
        _loader.update(zip(("__getattr__", "__dir__", "__all__"), parts, strict=True))
    return _loader


class _PublicModuleFinder:
    """Let ``from infoscope.sklearn import scorer`` find the module in its room."""

    def find_spec(self, name, _path=None, _target=None):
        package, _, module = name.rpartition(".")
        return ModuleSpec(name, self) if package == __name__ and module in PUBLIC_MODULES else None

    def create_module(self, spec):
        module = importlib.import_module(f"{__name__}.{PUBLIC_MODULES[spec.name.rpartition('.')[2]]}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__, module.__loader__ = module.__spec__.loader_state, module.__spec__.loader_state.loader


sys.meta_path.append(_PublicModuleFinder())
