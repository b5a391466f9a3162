"""How often a cell is measured: a number, or as often as the question needs."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from weighhouse_protocol.base import Document

MOST_REPETITIONS = 1000
"""Of one cell in one campaign."""

FEWEST_FOR_A_DECISION = 5
"""Blocks before a difference is called anything but insufficient, so no fewer are worth a look."""

UNION_TAGS = frozenset({"number", "rule", "word"})
"""What locations of errors carry of the unions below; no keys of the document."""


class HalfWidth(Document):
    """Until the interval is narrow, whatever it says."""

    half_width_percent: float = Field(gt=0, le=100)
    """Half the width of the 95 % interval of the watched figure, relative, in percent."""


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping | Document)


def _until_tag(value: Any) -> str:
    return "rule" if _is_mapping(value) else "word"


def _repetitions_tag(value: Any) -> str:
    return "rule" if _is_mapping(value) else "number"


class SequentialRepetitions(Document):
    """Only cells that are still undecided get one more block."""

    at_least: int = Field(default=FEWEST_FOR_A_DECISION, ge=FEWEST_FOR_A_DECISION,
                          le=MOST_REPETITIONS)  # fmt: skip
    """Blocks every cell gets before the first look."""
    at_most: int = Field(default=30, ge=FEWEST_FOR_A_DECISION, le=MOST_REPETITIONS)
    """Blocks after which a cell is left as it is, decided or not."""
    until: Annotated[
        Annotated[Literal["decided"], Tag("word")] | Annotated[HalfWidth, Tag("rule")],
        Discriminator(_until_tag),
    ] = "decided"
    """`decided`: the sides differ, or are equivalent, or the gate knows; or a half-width."""

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.at_least > self.at_most:
            message = f"at_least {self.at_least} is more than at_most {self.at_most}"
            raise ValueError(message)
        return self

    @property
    def half_width(self) -> float | None:
        """The half-width asked for, relative (0.02 = 2 %); None: until decided."""
        return None if isinstance(self.until, str) else self.until.half_width_percent / 100


Repetitions = Annotated[
    Annotated[Annotated[int, Field(ge=1, le=MOST_REPETITIONS)], Tag("number")]
    | Annotated[SequentialRepetitions, Tag("rule")],
    Discriminator(_repetitions_tag),
]
"""`5`, or `{at_least: 5, at_most: 30, until: decided}`."""
