"""``dataclass`` of the standard library, made in a fifth of the time.

``dataclasses`` compiles six functions for a frozen class, which takes half a millisecond. A command loads 300 classes:
that was a sixth of the time of a small evaluation. Here ``__init__`` alone is compiled, when it is first asked for,
since a command makes objects of few of these classes; the other methods are closures over the names of the fields.
Users of the class see no difference.
"""

import dataclasses
import sys
from collections.abc import Callable, Mapping
from operator import attrgetter
from reprlib import recursive_repr
from types import MethodType
from typing import TYPE_CHECKING

__all__ = ["dataclass"]

_Fields = tuple["dataclasses.Field[object]", ...]
_KNOWN = {"frozen", "eq", "repr"}
_WRITTEN = ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__")


class _NotGiven:
    """Stands for a value that its factory makes, and is shown as such in signatures."""

    def __repr__(self) -> str:
        return "<factory>"


_NOT_GIVEN = _NotGiven()


def _dataclass(cls: type | None = None, /, **options: bool) -> Callable[[type], type] | type:
    """A class with fields by its annotations, as by ``dataclasses.dataclass`` with the same options."""
    return _made(cls, options) if cls is not None else lambda cls: _made(cls, options)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass


def _made(cls: type, options: dict[str, bool]) -> type:
    if not _is_plain(cls, options):
        made: type = dataclasses.dataclass(**options)(cls)
        return made
    frozen, eq = options.get("frozen", False), options.get("eq", True)
    dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    chosen = dataclasses.fields(cls)
    cls.__init__ = _Initializer(cls, chosen, frozen=frozen)  # type: ignore[misc]
    if frozen:
        _add(cls, **_guards(cls, chosen))
    if options.get("repr", True):
        _add(cls, __repr__=_representation(chosen))
    if eq:
        _add(cls, __eq__=_equality(chosen))
        if frozen:
            _add(cls, __hash__=_hashing(chosen))
        else:
            cls.__hash__ = None  # type: ignore[assignment, method-assign]
    for name in ("init", "repr", "eq", "frozen"):
        setattr(vars(cls)["__dataclass_params__"], name, options.get(name, name != "frozen"))
    return cls


def _is_plain(cls: type, options: dict[str, bool]) -> bool:
    """Whether nothing is asked for that takes the standard library: other options, or a class with peculiarities."""
    own = vars(cls)
    return (
        options.keys() <= _KNOWN
        and cls.__doc__ is not None  # else it is made of the signature
        and not any(name in own for name in _WRITTEN)
        and not any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__)
        and not any("InitVar" in str(kind) for kind in _annotations(cls).values())
    )


def _annotations(cls: type) -> Mapping[str, object]:
    """The annotations of a class alone, which Python 3.14 makes when they are asked for."""
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - dataclasses has loaded it

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    found: Mapping[str, object] = vars(cls).get("__annotations__", {})
    return found


def _add(cls: type, **methods: Callable[..., object]) -> None:
    for name, method in methods.items():
        method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)


class _Initializer:
    """``__init__`` of a class until it is first used; then it is compiled and takes this place."""

    def __init__(self, cls: type, chosen: _Fields, *, frozen: bool) -> None:
        self.cls, self.chosen, self.frozen = cls, chosen, frozen

    def __get__(self, instance: object, owner: type) -> Callable[..., None]:
        written = _initializer(self.cls, self.chosen, frozen=self.frozen)
        _add(self.cls, __init__=written)
        return written if instance is None else MethodType(written, instance)


def _initializer(cls: type, chosen: _Fields, *, frozen: bool) -> Callable[..., None]:
    """``__init__`` of a class; that of a frozen one assigns past the guard of its own class."""
    given = [field for field in chosen if field.init]
    positional, named = ([field for field in given if field.kw_only is by_name] for by_name in (False, True))
    names = ["self", *map(_parameter, positional), *(["*"] if named else []), *map(_parameter, named)]
    assignment = "_dataclass_set(self, {!r}, {})" if frozen else "self.{} = {}"
    lines = [assignment.format(field.name, value) for field in chosen if (value := _assigned(field))]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    # names that no field has
    known: dict[str, object] = {"_dataclass_set": object.__setattr__, "_dataclass_not_given": _NOT_GIVEN}
    for field in chosen:
        if field.default is not dataclasses.MISSING:
            known[f"_dataclass_default_{field.name}"] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_dataclass_make_{field.name}"] = field.default_factory
    text = f"def made({', '.join(known)}):\n def __init__({', '.join(names)}):\n  " + "\n  ".join(lines or ["pass"])
    namespace: dict[str, Callable[..., Callable[..., None]]] = {}
    exec(f"{text}\n return __init__", vars(sys.modules[cls.__module__]), namespace)
    made = namespace["made"](**known)
    made.__annotations__ = {**{field.name: field.type for field in given}, "return": None}
    return made


def _parameter(field: "dataclasses.Field[object]") -> str:
    if field.default_factory is not dataclasses.MISSING:
        return f"{field.name}=_dataclass_not_given"
    return field.name if field.default is dataclasses.MISSING else f"{field.name}=_dataclass_default_{field.name}"


def _assigned(field: "dataclasses.Field[object]") -> str:
    """What ``__init__`` sets a field to, in code; empty where the class has its value."""
    if field.default_factory is dataclasses.MISSING:
        return field.name if field.init else ""
    made = f"_dataclass_make_{field.name}()"
    return f"{made} if {field.name} is _dataclass_not_given else {field.name}" if field.init else made


def _guards(cls: type, chosen: _Fields) -> dict[str, Callable[..., None]]:
    names = frozenset(field.name for field in chosen)

    def assign(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)  # type: ignore[arg-type]

    def delete(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)  # type: ignore[arg-type]

    return {"__setattr__": assign, "__delattr__": delete}


def _representation(chosen: _Fields) -> Callable[..., str]:
    names = [field.name for field in chosen if field.repr]

    @recursive_repr()
    def represent(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return represent


def _equality(chosen: _Fields) -> Callable[..., bool]:
    values = _values([field.name for field in chosen if field.compare])

    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hashing(chosen: _Fields) -> Callable[..., int]:
    values = _values([field.name for field in chosen if (field.compare if field.hash is None else field.hash)])

    def hashed(self: object) -> int:
        return hash(values(self))

    return hashed


def _values(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """What gives the values of these attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: tuple(getattr(thing, name) for name in names)
