"""What a check has to say of something that a source says. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

RemarkKind = Literal["contradiction", "doubt", "sound", "not_checked"]
"""`contradiction`: cannot be true as printed; `doubt`: may be true, and misleads or cannot be what
it is called; `sound`: held against something, and nothing is wrong with it; `not_checked`: there is
nothing to hold it against."""
REMARK_KINDS: Final[tuple[RemarkKind, ...]] = get_args(RemarkKind)
Rule = Literal[
    "claim", "closed-loop", "percentile-order", "interval-order", "sum", "printed-twice",
    "recomputed", "raw-data", "command", "statistic",
]  # fmt: skip
RULES: Final[tuple[Rule, ...]] = get_args(Rule)


@dataclass(frozen=True)
class Remark:
    """One thing that a source says, and how it stands to the rest."""

    rule: Rule
    kind: RemarkKind
    where: str
    """The cell and the figure: `Redis, balanced, 32 clients: p99 latency`; of a claim, what it
    says."""
    place: str
    """Where the source says it: `Table 4`; empty where nobody noted it."""
    reason: str
    """The arithmetic, as a sentence."""
    claim: str = ""
    """Of a claim: its id."""


def by_weight(remarks: Iterable[Remark]) -> list[Remark]:
    """What is wrong first; the order of the source within each kind."""
    return sorted(remarks, key=lambda one: REMARK_KINDS.index(one.kind))
