"""The fairness sheet as the API shows it: of a draft here, of what ran in comparisons."""

from dataclasses import asdict
from typing import Literal, Self

from pydantic import BaseModel, Field
from weighhouse_judging.fairness.sheet import AspectRow
from weighhouse_protocol.base import Scalar


class RawSettingRead(BaseModel):
    """A setting, an option, a limit or an endpoint, as it stands."""

    origin: str
    """`setting`, `parameter`, `option`, `limit`, `topology`, `deployment` or `endpoint`."""
    name: str
    value: str | None
    """None: not known."""


class AspectRead(BaseModel):
    """A row of the fairness sheet."""

    aspect: str
    label: str
    values: list[str]
    """In words that do not depend on the system."""
    same: bool
    confounder: bool
    role: Literal["same", "harmless", "compared", "may_explain", "cannot_be_avoided"]
    """`compared`: what the comparison is about; `may_explain`: could explain a difference by
    itself, and could be made equal; `cannot_be_avoided`: could too, and comes with the systems
    themselves; `harmless`: differs and shifts no figure."""
    favours: list[int]
    """Places of the sides that it likely makes look better; empty: not said."""
    explanation: str
    raw: list[list[RawSettingRead]] = Field(default_factory=list)
    """Of each side: the settings that its value was concluded from, as the system says them."""

    @classmethod
    def of(cls, row: AspectRow) -> Self:
        """A row as the judge made it."""
        return cls.model_validate(
            {**asdict(row), "values": list(row.values), "favours": list(row.favours)}
        )


class EqualChangeRead(BaseModel):
    """A value of the document that would be another one."""

    target: int
    """Index of the target."""
    path: list[str]
    """Inside the target, for example `["parameters", "save"]`."""
    before: Scalar | None
    """None: it is not set."""
    after: Scalar | None
    """None: it is to be taken out."""


class EqualRead(BaseModel):
    """How the sides become equal in one aspect."""

    aspect: str
    value: str | None
    """What all would then have, in words; None: nothing that can be set makes them equal."""
    changes: list[EqualChangeRead]
    cannot: list[str]
    """Labels of the sides that no change can bring to any value that another one has."""


class DraftSideRead(BaseModel):
    """A target of the draft."""

    label: str
    system: str
    colour: str
    mark: str


class DraftFairnessRead(BaseModel):
    """The fairness sheet of a draft, before anything has run."""

    sides: list[DraftSideRead]
    rows: list[AspectRead]
    equal: list[EqualRead]
    """Each aspect of the vocabulary that differs, with the fewest changes that end it."""
    changes: list[EqualChangeRead]
    """All of them together, for the button that makes the sides equal."""
    remaining: list[str]
    """Aspects that would differ all the same."""
