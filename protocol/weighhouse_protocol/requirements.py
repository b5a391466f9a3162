"""What one parameter needs of another, or of the machine: rules that a manifest declares as data.

What a system would refuse when it starts is refused before, in words, by whoever holds a target
against its manifest: the platform when an experiment is written, the agent when it is run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from weighhouse_protocol.base import Document, Few, Label, Measure, Scalar, Sentence
from weighhouse_protocol.fairness.rules import Wanted
from weighhouse_protocol.parameters import same
from weighhouse_protocol.target import Target

MACHINE = {
    "machine:memory_bytes": "bytes of memory",
    "machine:processors": "processors",
    "machine:open_files": "open files for one program",
}
"""Facts of the machine that a node is started on: its memory; its processors; how many files and
connections one program may have open. Each with what it counts. Where an experiment is written they
are not known."""

LAYOUT = (
    "topology:nodes", "topology:replication_factor", "topology:primaries", "deployment", "edition",
    "tool",
)  # fmt: skip
"""Facts of the target besides its parameters; `topology:primaries`: `ManifestTopology.primaries`;
`tool`: empty where none makes the load. Nothing is said of an edition that is not known."""
PLACEMENT = {"placement:together": "one machine for servers and driver"}
"""Facts of how a run is placed, in words: whether one machine has all of it. Known where an
experiment is written, and to the agent."""
NEEDED = ("deployment", "edition", "tool", *PLACEMENT)
"""What a requirement may need to be something, besides values and the machine."""
OPTION = "option:"
"""Before a driver option's name."""

WORKLOAD = ("workload:expires",)
"""Facts of a workload: whether its records do. Known where an experiment is written."""

Fact = Annotated[
    str,
    StringConstraints(
        max_length=300, pattern=r"^(option:)?[^:]+$|^topology:[a-z_]+$|^workload:expires$"
    ),
]
"""What `when` looks at: `NAME`, a parameter; `option:NAME`, a driver option; one of `LAYOUT` or of
`WORKLOAD`."""


Facts = Callable[[str], Scalar | None]
"""A fact by its name; None: not known, or left to the system."""


GIVEN = "given:"
"""Before a parameter's name: true where the experiment set it."""


class Linear(Document):
    """A bound that is not fixed: `times` another number, `plus` something."""

    of: Label
    """A parameter, or a fact of the machine."""
    times: Measure = 1.0
    plus: Measure = 0.0


class Need(Document):
    """What a parameter has to be, where neither one value nor a list of values says it."""

    at_least: Measure | Linear | None = None
    at_most: Measure | Linear | None = None
    multiple_of: Label | None = None
    """A parameter."""
    left_out: bool = False
    """True: the experiment may not set it, to its default neither."""

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        said = (self.at_least, self.at_most, self.multiple_of) != (None,) * 3
        if said == self.left_out:
            message = "a need says at_least, at_most or multiple_of; or left_out"
            raise ValueError(message)
        return self

    def bounds(self) -> Iterator[tuple[str, float | Linear]]:
        """`at_least` and `at_most`, those that are said."""
        for name in ("at_least", "at_most"):
            bound = getattr(self, name)
            if bound is not None:
                yield name, bound


class Requirement(Document):
    """When all of `when` holds, so has all of `needs`."""

    when: dict[Fact, Wanted] = Field(default_factory=dict, max_length=50)
    """Fact → what it has to be; none: always. A parameter that is not set has its default."""
    needs: dict[Label, Scalar | Few[Scalar] | Need] = Field(min_length=1, max_length=50)
    """Parameter, `option:NAME`, fact of the machine, or one of `NEEDED` → what it then has to be. A
    bound by a number that is left to the system, or by one that is not known, is none."""
    because: str = Field(min_length=1, max_length=400)
    """What the system does or says otherwise, one sentence."""

    def holds(self, facts: Facts) -> bool:
        """Whether all of `when` does; what is not known does not."""
        return all(_fits(facts(name), wanted) for name, wanted in self.when.items())

    def names(self) -> set[str]:
        """All that the rule looks at."""
        found = {*self.when, *self.needs}
        for need in self.needs.values():
            if isinstance(need, Need):
                found |= {bound.of for _, bound in need.bounds() if isinstance(bound, Linear)}
                found |= {need.multiple_of} if need.multiple_of else set()
        return found


def check_names(
    requirements: Sequence[Requirement], parameters: Iterable[str], options: Iterable[str]
) -> None:
    """Hold what requirements look at against what a manifest declares.

    :raises ValueError: naming what is not there.
    """
    own = {*parameters, *(f"{OPTION}{name}" for name in options)}
    known = {*own, *LAYOUT, *PLACEMENT, *WORKLOAD, *MACHINE}
    for index, each in enumerate(requirements):
        unknown = (each.names() - known) | (each.needs.keys() - own - {*MACHINE, *NEEDED})
        if unknown:
            message = f"requirements[{index}]: no parameters: {', '.join(sorted(unknown))}"
            raise ValueError(message)


class Unmet(Document):
    """A requirement that a target does not meet."""

    requirement: Requirement
    parameter: Label
    """Of its `needs`."""
    wanted: Sentence
    """What that has to be, in words."""
    value: Scalar
    concerned: Few[Label]
    """All parameters and driver options whose values bring it about, that one first."""

    @property
    def shown(self) -> str:
        """The value as people read it."""
        return _plain(self.value)

    def place_in(self, target: Target) -> str:
        """Where the first value concerned stands that was set; `parameters`: all are defaults."""
        given = {place_of(name) for name in target.parameters}
        given |= {place_of(f"{OPTION}{name}") for name in target.driver_options}
        return next((each for each in map(place_of, self.concerned) if each in given), "parameters")


def place_of(name: str) -> str:
    """Where a parameter, or an `option:NAME`, stands in a target."""
    option = name.removeprefix(OPTION)
    return f"parameters.{name}" if option == name else f"driver_options.{option}"


def unmet(requirements: Iterable[Requirement], facts: Facts) -> list[Unmet]:
    """Every need that is not met, in the order of the requirements.

    A requirement whose `when` is not known does not hold.
    """
    found = []
    for requirement in requirements:
        if not requirement.holds(facts):
            continue
        for name, need in requirement.needs.items():
            value = facts(name)
            missing = None if value is None else _missing(value, need, facts)
            if isinstance(need, Need) and need.left_out and facts(f"{GIVEN}{name}"):
                missing = "left out", []
            if value is not None and missing is not None:
                wanted, others = missing
                said = [name, *others, *sorted(requirement.when, key=_is_option)]
                concerned = tuple(dict.fromkeys(filter(_is_set, said)))
                if given := _given(requirement, facts):
                    wanted = f"{wanted}, {given}"
                found.append(
                    Unmet(requirement=requirement, parameter=name, wanted=wanted, value=value,
                          concerned=concerned)
                )  # fmt: skip
    return found


def _is_option(name: str) -> bool:
    return name.startswith(OPTION)


def _is_set(name: str) -> bool:
    """Whether it is a parameter or a driver option."""
    return _is_option(name) or not (":" in name or name in LAYOUT)


def bound_by(bound: float | Linear, facts: Facts) -> float | None:
    """A bound as a number; None: there is none."""
    if not isinstance(bound, Linear):
        return bound
    value = facts(bound.of)
    if isinstance(value, bool | str) or value is None:
        return None
    return value * bound.times + bound.plus


def _fits(value: Scalar | None, wanted: Wanted) -> bool:
    if value is None:
        return False
    if isinstance(wanted, tuple):
        return any(same(value, each) for each in wanted)
    if not isinstance(wanted, bool | int | float | str):
        if any(same(value, each) for each in wanted.other_than):
            return False
        if (wanted.at_least, wanted.at_most) == (None, None):
            return True
        return (
            isinstance(value, int | float)
            and (wanted.at_least is None or value >= wanted.at_least)
            and (wanted.at_most is None or value <= wanted.at_most)
        )
    return same(value, wanted)


def _missing(
    value: Scalar, need: Scalar | tuple[Scalar, ...] | Need, facts: Facts
) -> tuple[str, list[str]] | None:
    """What a value lacks, in words, and further parameters that bring it about."""
    if not isinstance(need, Need):
        choices = need if isinstance(need, tuple) else (need,)
        fits = any(same(value, each) for each in choices)
        return None if fits else (" or ".join(map(_plain, choices)), [])
    if isinstance(value, bool | str):
        return None
    for name, bound in need.bounds():
        limit = bound_by(bound, facts)
        if limit is not None and (value < limit if name == "at_least" else value > limit):
            words = f"{name.replace('_', ' ')} {limit:.15g}"
            return _behind(words, bound, facts) if isinstance(bound, Linear) else (words, [])
    other = facts(need.multiple_of) if need.multiple_of else None
    if need.multiple_of and isinstance(other, int) and other and value % other:
        return f"a multiple of {need.multiple_of}, which is {other}", [need.multiple_of]
    return None


def _behind(words: str, bound: Linear, facts: Facts) -> tuple[str, list[str]]:
    by = _plain(facts(bound.of))
    if bound.of in MACHINE:
        return f"{words}, as this machine has {by} {MACHINE[bound.of]}", []
    return f"{words} while {bound.of} is {by}", [bound.of]


def _given(requirement: Requirement, facts: Facts) -> str:
    said = [f"{name} is {_plain(facts(name))}" for name in requirement.when]
    return f"as {' and '.join(said)}" if said else ""


def _plain(value: Scalar | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "empty" if value == "" else str(value)


def values_of(
    schemas: Mapping[str, Mapping[str, object]], given: Mapping[str, Scalar]
) -> dict[str, Scalar | None]:
    """Parameter → what it is: as given, or its default; None: left to the system (`x-unset`). Those
    that were given have `given:NAME` as well.
    """
    found: dict[str, Scalar | None] = {f"{GIVEN}{name}": True for name in given}
    for name, schema in schemas.items():
        value = given.get(name, schema.get("default"))
        if isinstance(value, bool | int | float | str):
            left = "x-unset" in schema and same(value, schema["x-unset"])  # type: ignore[arg-type]
            found[name] = None if left else value
    return found
