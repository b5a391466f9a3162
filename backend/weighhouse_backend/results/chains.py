"""Where the phases of a chain lie in what one attempt reported. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

AFTER = "after"


class Mark(Protocol):
    """An event of the timeline."""

    @property
    def sequence(self) -> int:
        """Of the event."""

    @property
    def kind(self) -> str:
        """`phase` where a phase of the run began."""

    @property
    def label(self) -> str:
        """Which."""


def link_begins(marks: Iterable[Mark]) -> list[int]:
    """Sequences of the events with which the links of a chain begin, the first link's left out.

    A link is a warm-up, if it has one, and a measured phase; all that is reported from its begin to
    that of the next belongs to it.

    :param marks: of the member that measured, in any order.
    """
    begins, measured = [], False
    for mark in sorted(marks, key=lambda one: one.sequence):
        if mark.kind != "phase" or mark.label not in {"warmup", "measure"}:
            continue
        if measured:
            begins.append(mark.sequence)
        measured = mark.label == "measure"
    return begins


def measured_phases(phases: Sequence[dict[str, Any]]) -> int:
    """How many measured phases have ended, by what the driver said of them."""
    return sum(phase["phase"] == "measure" for phase in phases)


def moment_of(moment: str, measured: int) -> str:
    """Under which name a memory's moment is kept while an attempt is under way: `after`, and
    `after 2` after the second measured phase of a chain.
    """
    return f"{AFTER} {measured}" if moment == AFTER and measured > 1 else moment


def phases_of_links(phases: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """What the driver said of its phases, by link."""
    links: list[list[dict[str, Any]]] = [[]]
    for phase in phases:
        links[-1].append(phase)
        if phase["phase"] == "measure":
            links.append([])
    return links[:-1] if len(links) > 1 and not links[-1] else links


def memory_of_link(memory: dict[str, Any], link: int) -> dict[str, Any]:
    """Memory at the moments of a link, from 0: before anything and after the load as of the whole
    chain, and after its own measured phase.
    """
    kept = {name: value for name, value in memory.items() if not name.startswith(AFTER + " ")}
    kept.pop(AFTER, None)
    own = memory.get(moment_of(AFTER, link + 1))
    return kept if own is None else {**kept, AFTER: own}
