"""What a manifest says of its system's own settings: how they are written in the system's file,
which are parameters by another name, which the agent sets, which are never taken. Pure.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from weighhouse_protocol.base import Document, Few, FewBy, Label, Scalar, Sentence

Grammar = Literal["directives", "arguments", "yaml", "sections", "ini"]
"""How a configuration file is written: `directives`, a name and its values a line, as redis.conf;
`arguments`, those of a command line, in one line or several; `yaml`, and with it JSON; `sections`,
with braces, as aerospike.conf; `ini`, names with `=` below headings in brackets."""

SettingName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.\-]*$", min_length=1, max_length=100)
]
NamePattern = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_.*\-]+$", min_length=1, max_length=100)
]
"""A setting's name; `*` in it stands for anything, and all below a name are meant with it."""
Reasons = FewBy[Few[NamePattern]]
"""Why → the names that it concerns."""


class Counterpart(Document):
    """How a line of a configuration file becomes a parameter."""

    parameter: Label
    unit: Label = ""
    """What a number without a unit counts in, for example `MiB`; default: as the system prints it,
    by `x-scale`."""
    value: Scalar | None = None
    """The parameter's value wherever the line stands: of a switch that has none of its own."""
    words: FewBy[Scalar] = Field(default_factory=dict)
    """The file's word → the parameter's value."""
    otherwise: Scalar | None = None
    """The parameter's value of every other word."""


@dataclass(frozen=True, slots=True)
class _List:
    """Names that one reason concerns."""

    why: str
    exact: frozenset[str]
    patterns: tuple[str, ...]

    @classmethod
    def of(cls, why: str, names: Sequence[str]) -> Self:
        """:param names: with `*` in some."""
        all_folded = tuple(map(folded, names))
        patterns = tuple(each for each in all_folded if "*" in each)
        return cls(why, frozenset(all_folded) - set(patterns), patterns)

    def has(self, names: Sequence[str]) -> bool:
        """Whether one of these, which are folded, is among them."""
        return any(
            each in self.exact or any(fnmatchcase(each, pattern) for pattern in self.patterns)
            for each in names
        )


class Settings(Document):
    """The system's own settings."""

    file: Sentence
    """What their file is called, for people."""
    names: Few[Label] = Field(min_length=1)
    """Names by which such a file is known; `*` stands for anything."""
    grammar: Grammar
    units: FewBy[Annotated[float, Field(gt=0, le=1e18)]] = Field(default_factory=dict)
    """Unit behind a number → how many bytes or seconds it is."""
    repeated: Few[Label] = ()
    """Names that may stand on several lines, whose values then follow each other."""
    switches: Few[Label] = ()
    """Arguments without a value."""
    lists: Few[Label] = ()
    """Arguments whose value is a list of further settings, `name=value,name`."""
    aliases: FewBy[Label] = Field(default_factory=dict)
    """Another name → the one that it stands for."""
    counterparts: FewBy[Counterpart] = Field(default_factory=dict)
    """Name → its parameter, beside those that parameters name with `x-setting`."""
    reported: FewBy[Label] = Field(default_factory=dict)
    """Name of a setting → what the running system's own report calls it, where that differs."""
    taken: Annotated[tuple[SettingName, ...], Field(max_length=200)] = ()
    """Names that a target's `settings` may have on every agent that does not say otherwise."""
    several: FewBy[Annotated[int, Field(ge=1, le=20)]] = Field(
        default_factory=dict, exclude_if=operator.not_
    )
    """Name → how many words its value has, or a multiple of that; all others have one."""
    agent: Reasons = Field(default_factory=dict)
    """What the agent sets itself."""
    never: Reasons = Field(default_factory=dict)
    """What is never taken from an experiment: what loads code, opens files, sockets or networks, or
    names users."""

    @model_validator(mode="after")
    def _is_of_one_mind(self) -> Self:
        for name in self.several:
            if not self.is_taken(name):
                raise ValueError(f"several: `{name}` is not among `taken`")
        for name in self.taken:
            if (why := self.why_never(name) or self.why_agent(name)) is not None:
                raise ValueError(f"taken: `{name}` is never taken: {why}")
        return self

    def named(self, name: str) -> str:
        """A name as the manifest has it: aliases resolved, and spelled as in `taken`."""
        return self.spellings.get(folded(name), name)

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Folded name, or another name → the name as the manifest has it."""
        known = {folded(one): one for one in self.taken}
        return known | {folded(one): meant for one, meant in self.aliases.items()}

    def why_never(self, name: str) -> str | None:
        """Why a setting is never taken; None: it may be."""
        return self._why(self.forbidden, name)

    def why_agent(self, name: str) -> str | None:
        """Why a setting is the agent's; None: it is not."""
        return self._why(self.decided, name)

    def _why(self, lists: Sequence[_List], name: str) -> str | None:
        """By the name itself, and by every name that it, or one that it lies below, stands for."""
        parts = folded(name).split(".")
        asked = [parts]
        for count in range(1, len(parts) + 1):
            meant = self.spellings.get(".".join(parts[:count]))
            if meant is not None:
                asked.append([*folded(meant).split("."), *parts[count:]])
        above = [".".join(each[:count]) for each in asked for count in range(1, len(each) + 1)]
        return next((one.why for one in lists if one.has(above)), None)

    @cached_property
    def forbidden(self) -> tuple[_List, ...]:
        """`never`, made ready to be asked."""
        return tuple(_List.of(why, names) for why, names in self.never.items())

    @cached_property
    def decided(self) -> tuple[_List, ...]:
        """`agent`, likewise."""
        return tuple(_List.of(why, names) for why, names in self.agent.items())

    def words_of(self, name: str) -> int:
        """Of how many words a setting's value is, or of a multiple of so many."""
        asked = folded(self.named(name))
        return next((count for each, count in self.several.items() if folded(each) == asked), 1)

    def is_taken(self, name: str) -> bool:
        """Whether agents take a setting unless their operator says otherwise."""
        return folded(self.named(name)) in self.listed

    @cached_property
    def listed(self) -> frozenset[str]:
        """`taken`, folded."""
        return frozenset(map(folded, self.taken))


def folded(name: str) -> str:
    """A name as systems compare it that tell neither case nor dashes apart: what is one name to any
    of them is one name here, so that nothing forbidden has a second spelling.
    A letter behind a dash, as an argument may be, is told from its capital.
    """
    return name if len(name) == len("-x") and name[0] == "-" else name.lower().replace("_", "-")
