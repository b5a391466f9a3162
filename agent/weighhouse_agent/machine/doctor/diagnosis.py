"""What is said of one fact."""

from collections.abc import Callable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict
from weighhouse_protocol.facts import MachineFacts


class State(StrEnum):
    """Whether a fact hurts measurement."""

    OK = "ok"
    ADVICE = "advice"
    """Figures are right, and would be steadier or nearer to production."""
    WARNING = "warning"
    """Figures are likely to be wrong, or to differ for reasons that are not the system's."""
    UNKNOWN = "unknown"
    """It could not be read; nothing is concluded."""


class Diagnosis(BaseModel):
    """One fact, judged."""

    model_config = ConfigDict(frozen=True)

    name: str
    """What docs/doctor.md calls it."""
    found: str
    state: State
    why: str = ""
    """What it does to figures."""
    change: tuple[str, ...] = ()
    """Commands and settings, for root, that mend it."""


Check = Callable[[MachineFacts], Diagnosis]


def unknown(name: str, why: str) -> Diagnosis:
    """What cannot be read is said to be unknown."""
    return Diagnosis(name=name, found="not readable", state=State.UNKNOWN, why=why)


def fine(name: str, found: str, why: str = "") -> Diagnosis:
    """Nothing to change."""
    return Diagnosis(name=name, found=found, state=State.OK, why=why)


def advice(name: str, found: str, why: str, *change: str) -> Diagnosis:
    """Better to change."""
    return Diagnosis(name=name, found=found, state=State.ADVICE, why=why, change=change)


def warning(name: str, found: str, why: str, *change: str) -> Diagnosis:
    """To be changed before figures are believed."""
    return Diagnosis(name=name, found=found, state=State.WARNING, why=why, change=change)


CONTAINERS = ("kubernetes", "docker", "podman")


def container(facts: MachineFacts) -> str | None:
    """Whose container the agent is in; None: in none. There its limits are not those of a unit."""
    first = (facts.virtualisation or "").partition(" ")[0]
    return first if first in CONTAINERS else None
