"""The rules by which a plugin's manifest translates a configuration into the vocabulary.

They are data, for whoever judges knows no plugin: the platform evaluates them over what a server
said of itself, over a draft that has never run, and backwards, to make sides equal.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from weighhouse_protocol.base import Document, Few, FewBy, Label, Measure, Scalar
from weighhouse_protocol.fairness.vocabulary import ASPECTS, FORMS, Aspect

FactName = Annotated[
    str,
    StringConstraints(
        max_length=300,
        pattern=r"^(option:|setting:)?[^:]+$|^topology:(nodes|replication_factor)$|^deployment$",
    ),
]
"""What a rule looks at: `NAME`, a parameter of the manifest, read back from the effective
configuration; `option:NAME`, a driver option; `setting:NAME`, a line of the effective configuration
as the system printed it; `topology:nodes`, `topology:replication_factor`; `deployment`."""

UNKNOWN = "unknown"


class Condition(Document):
    """What a fact has to be, where neither one value nor a list of values says it."""

    at_least: Measure | None = None
    at_most: Measure | None = None
    other_than: Few[Scalar] = ()
    absent: bool | None = None
    """Of a `setting:`: true: the system was asked, and has none of that name."""

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.other_than == () and (self.at_least, self.at_most, self.absent) == (None,) * 3:
            message = "a condition says at_least, at_most, other_than or absent"
            raise ValueError(message)
        return self


class Drawn(Document):
    """A value that is taken from a fact."""

    of: FactName
    times: Measure = 1.0
    """What a number is multiplied by, to be seconds or bytes. A text with a unit of its own
    (`10000ms`, `32MiB`) brings it along, and is not multiplied."""
    otherwise: Scalar | None = None
    """In its place as long as the fact is not known: what the plugin orders, or the vendor
    documents."""
    words: FewBy[Label] = Field(default_factory=dict)
    """The system's word → the vocabulary's; a word that is not here stays as it is, in lower
    case."""


Wanted = Scalar | Few[Scalar] | Condition
Conditions = Annotated[dict[FactName, Wanted], Field(max_length=50)]
"""Fact → what it has to be."""

Part = Literal[
    "kept", "nodes", "reaches", "every_seconds", "copies", "asks", "bytes", "page_cache"
]  # fmt: skip
"""A field of one of the vocabulary's forms."""


class Rule(Document):
    """`value`, when all of `when` holds."""

    when: Conditions = Field(default_factory=dict)
    """Fact → what it has to be; none: always."""
    value: Scalar | Drawn | Annotated[dict[Part, Scalar | Drawn], Field(max_length=20)]
    """Of the aspect: a word, or the fields of its form; `unknown` where it cannot be known."""

    def facts(self) -> Iterator[str]:
        """Names of all that the rule looks at."""
        yield from self.when
        for each in self.parts().values():
            if isinstance(each, Drawn):
                yield each.of

    def parts(self) -> dict[str, Scalar | Drawn]:
        """The value's fields; under the empty name where it is a single word."""
        return dict(self.value.items()) if isinstance(self.value, dict) else {"": self.value}


class Translation(Document):
    """Rules for each aspect, in order; the first that holds decides.

    A rule of which it is not known whether it holds makes the aspect unknown, unless an earlier one
    holds: what comes later may not be what it is. An aspect without rules is not known, but for
    `processors`, which are all of the machine's, and for `encryption` and `transport`, which
    deployment and endpoints tell; rules of `encryption` say what endpoints will be. Limits of a
    target cap memory and processors beside the rules.
    """

    durability: Few[Rule] = ()
    acknowledgement: Few[Rule] = ()
    reads: Few[Rule] = ()
    memory: Few[Rule] = ()
    processors: Few[Rule] = ()
    compression: Few[Rule] = ()
    encryption: Few[Rule] = ()
    transport: Few[Rule] = ()
    eviction: Few[Rule] = ()
    update_writes: Few[Rule] = ()
    missing_update: Few[Rule] = ()

    def of(self, aspect: Aspect) -> tuple[Rule, ...]:
        """The rules of an aspect."""
        rules: tuple[Rule, ...] = getattr(self, aspect)
        return rules

    def facts(self) -> set[str]:
        """Names of all that any rule looks at."""
        return {name for aspect in ASPECTS for rule in self.of(aspect) for name in rule.facts()}

    @model_validator(mode="after")
    def _says_values_of_the_vocabulary(self) -> Self:
        for aspect in ASPECTS:
            for index, rule in enumerate(self.of(aspect)):
                parts = rule.parts()
                if rule.value == UNKNOWN or any(isinstance(p, Drawn) for p in parts.values()):
                    continue
                try:
                    FORMS[aspect].validate_python(parts.get("", parts))
                except ValueError as error:
                    said = re.sub(r"\n +For further information.*", "", str(error))
                    message = f"fairness.{aspect}[{index}].value: {said}"
                    raise ValueError(message) from error
        return self
