"""Classes that are made quickly do what those of the standard library do."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import ClassVar

import numpy as np
import pytest

from infoscope.quick_dataclasses import dataclass

Decorator = Callable[..., Callable[[type], type]]
OPTIONS = [
    {},
    {"frozen": True},
    {"eq": False},
    {"repr": False},
    {"frozen": True, "eq": False, "repr": False},
    {"kw_only": True},
    {"frozen": True, "slots": True},
    {"order": True},
]


@dataclass(frozen=True)
class Kept:
    """At the top of a module, so that it is pickled."""

    name: str
    parts: tuple[int, ...] = ()


def _options(made: object) -> str:
    return ", ".join(f"{name}={on}" for name, on in made.items()) if isinstance(made, dict) else ""


def example(decorator: Decorator, options: dict[str, bool]) -> type:
    @decorator(**options)
    class Example:
        """All kinds of fields."""

        first: int
        second: "str" = "b"
        kind: ClassVar[str] = "example"
        items: list[int] = field(default_factory=list)
        hidden: float = field(default=1.5, repr=False, compare=False)
        counted: int = field(default=7, hash=False)
        fixed: int = field(default=3, init=False)
        own: list[int] = field(default_factory=lambda: [9], init=False)
        named: int = field(default=5, kw_only=True)

    return Example


def refusal(action: Callable[[], object]) -> tuple[type[BaseException], str] | None:
    try:
        action()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize("options", OPTIONS, ids=_options)
def test_the_class_is_that_of_the_standard_library(options: dict[str, bool]) -> None:
    ours, theirs = example(dataclass, options), example(dataclasses.dataclass, options)
    assert inspect.signature(ours).parameters.keys() == inspect.signature(theirs).parameters.keys()
    for one, other in zip(
        inspect.signature(ours).parameters.values(), inspect.signature(theirs).parameters.values(), strict=True
    ):
        assert (one.kind, one.annotation, one.default is one.empty) == (
            other.kind,
            other.annotation,
            other.default is other.empty,
        )
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))  # as help and pages of documentation show it
    assert [(f.name, f.type, f.init, f.compare) for f in fields(ours)] == [
        (f.name, f.type, f.init, f.compare) for f in fields(theirs)
    ]
    assert ours.__match_args__ == theirs.__match_args__
    assert repr(ours.__dataclass_params__) == repr(theirs.__dataclass_params__)
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    assert ours.__init__.__qualname__ == theirs.__init__.__qualname__
    assert ours.__init__.__module__ == __name__


@pytest.mark.parametrize("options", OPTIONS, ids=_options)
def test_objects_behave_as_those_of_the_standard_library(options: dict[str, bool]) -> None:
    seen = []
    for decorator in (dataclass, dataclasses.dataclass):
        made = example(decorator, options)
        one, other, third = made(first=1), made(first=1, hidden=8.0), made(first=2, items=[4], named=6)
        facts = [dataclasses.asdict(each) for each in (one, other, third)]
        equal = [one == other, one == third, one != third, one == 1, one == copy.copy(one), one.items is other.items]
        stated = repr(third).split(" at 0x")[0]
        refused = [
            refusal(lambda one=one: setattr(one, "first", 5)),
            refusal(lambda one=one: setattr(one, "unknown", 5)),
            refusal(lambda one=one: delattr(one, "second")),
            refusal(lambda one=one: replace(one, fixed=1) and None),
            refusal(lambda made=made: made()),
            refusal(lambda made=made: made(1, "b", [], 1.5, 7, 3)),
        ]
        seen.append(
            (facts, equal, stated, [(kind, text.replace("_dataclass", "")) for kind, text in filter(None, refused)])
        )
        assert replace(third, first=8).items == [4]
    assert seen[0] == seen[1]


@pytest.mark.parametrize("frozen", [True, False])
def test_the_initializer_is_written_when_it_is_first_asked_for(frozen: bool) -> None:
    """Most classes that a command loads it makes no object of, and compiling took a fifth of loading them all."""

    @dataclass(frozen=frozen)
    class Loaded:
        """Two numbers."""

        one: int
        other: int = 2

    class Derived(Loaded):
        """Writes it by way of its base."""

        def __init__(self) -> None:
            super().__init__(5)

    assert not inspect.isfunction(vars(Loaded)["__init__"])
    assert dataclasses.astuple(Derived()) == (5, 2)
    written = vars(Loaded)["__init__"]
    assert inspect.isfunction(written)
    assert dataclasses.astuple(Loaded(1)) == (1, 2)
    assert Loaded.__init__ is written
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required positional argument: 'one'"):
        Loaded()  # type: ignore[call-arg]


def test_a_frozen_one_has_a_hash_of_what_is_compared() -> None:
    assert hash(Kept("a", (1,))) == hash(Kept("a", (1,))) == hash(("a", (1,)))
    assert {Kept("a"): 1}[Kept("a")] == 1
    assert pickle.loads(pickle.dumps(Kept("b", (2,)))) == Kept("b", (2,))
    assert copy.deepcopy(Kept("b")) == Kept("b")


def test_an_array_equals_itself() -> None:
    """Tuples compare by identity first; fields compared one by one would ask an array whether it is true."""

    @dataclass(frozen=True)
    class Held:
        """One array."""

        values: np.ndarray

    held = Held(np.arange(3))
    assert held == Held(held.values)
    with pytest.raises(ValueError, match="ambiguous"):
        held == Held(np.arange(3))  # noqa: B015 - asked for the error


def test_checks_run_after_the_fields_are_set() -> None:
    @dataclass(frozen=True)
    class Checked:
        """Rejects what is negative."""

        number: int = 0

        def __post_init__(self) -> None:
            if self.number < 0:
                raise ValueError("negative")

    assert Checked().number == 0
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)


def test_fields_may_have_any_name() -> None:
    @dataclass(frozen=True)
    class Named:
        """Names that the code around has as well."""

        set: int
        made: int = 1
        make_parts: int = 2
        parts: list[int] = field(default_factory=list)

    assert dataclasses.astuple(Named(3)) == (3, 1, 2, [])


def test_values_for_the_check_alone() -> None:
    @dataclass(frozen=True)
    class Scaled:
        """Keeps the product."""

        number: int
        factor: dataclasses.InitVar[int] = 2

        def __post_init__(self, factor: int) -> None:
            object.__setattr__(self, "number", self.number * factor)

    assert (Scaled(3).number, Scaled(3, 5).number) == (6, 15)


def test_an_object_inside_itself_is_shown_once() -> None:
    @dataclass
    class Chain:
        """May hold itself."""

        following: object = None

    chain = Chain()
    chain.following = chain
    assert repr(chain).endswith(".Chain(following=...)")


@pytest.mark.parametrize("derive", [dataclass, dataclasses.dataclass])
def test_others_derive_from_it(derive: Decorator) -> None:
    """People write kinds of results of their own, with the decorator that they know."""

    @derive(frozen=True)
    class More(Kept):
        """With a field of its own."""

        extra: int = 0

    more = More("a", extra=2)
    assert (more.name, more.parts, more.extra) == ("a", (), 2)
    assert more != Kept("a")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        more.name = "b"  # type: ignore[misc]
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        derive()(type("Loose", (Kept,), {"__doc__": "Not frozen."}))


def test_methods_that_a_class_writes_itself_stay() -> None:
    @dataclass(frozen=True)
    class Own:
        """Equal to everything."""

        value: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 5

        def __repr__(self) -> str:
            return "own"

    assert (Own(1) == 2, hash(Own(1)), repr(Own(1))) == (True, 5, "own")


def test_values_for_the_initializer_alone_are_passed_on() -> None:
    @dataclass(frozen=True)
    class Started:
        """Keeps the double."""

        value: dataclasses.InitVar[int]
        double: int = field(init=False, default=0)

        def __post_init__(self, value: int) -> None:
            object.__setattr__(self, "double", 2 * value)

    assert Started(4).double == 8
