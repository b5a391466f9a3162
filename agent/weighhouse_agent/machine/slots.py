"""Slots: what the machine gives to one attempt at a time, as its policy file divides it.

A slot is exclusive: its processors, its memory and its ports are used by no other one. Without any
in the policy the machine is one slot.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from weighhouse_protocol.base import Document, Name
from weighhouse_protocol.facts import SlotStatement
from weighhouse_protocol.target import Limits
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.machine.cgroups import ControlGroup, ControlGroups

WHOLE_MACHINE = "machine"
"""The slot of a machine that is not divided."""
LOWEST_PORT = 1024
HIGHEST_PORT = 65_535


class Slot(Document):
    """One slot of the policy file."""

    name: Name = WHOLE_MACHINE
    processors: frozenset[int] = frozenset()
    """Numbers of the processors it has for itself; none: all that the machine has."""
    memory_mebibytes: int | None = Field(default=None, ge=16)
    """What servers and driver may use together; None: not limited."""
    ports: tuple[int, int] | None = None
    """First and last port that servers listen on; None: any that is free."""

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if min(self.processors, default=0) < 0:
            message = f"slot `{self.name}`: processors are numbered from 0"
            raise ValueError(message)
        if self.ports is not None:
            first, last = self.ports
            if not LOWEST_PORT <= first <= last <= HIGHEST_PORT:
                message = (
                    f"slot `{self.name}`: ports: is to be the first and the last of a range within"
                    f" {LOWEST_PORT} to {HIGHEST_PORT}"
                )
                raise ValueError(message)
        return self

    @property
    def port_range(self) -> range | None:
        """The ports one by one; None: any."""
        return None if self.ports is None else range(self.ports[0], self.ports[1] + 1)

    def own(self, processors: frozenset[int]) -> frozenset[int]:
        """Those of some processors that are this slot's."""
        return processors & self.processors if self.processors else processors

    def statement(self) -> SlotStatement:
        """The slot as the server knows it."""
        return SlotStatement(
            name=self.name,
            processors=tuple(sorted(self.processors)),
            memory_mebibytes=self.memory_mebibytes,
        )


def check_exclusive(slots: Sequence[Slot]) -> None:
    """Hold slots against each other.

    :raises ValueError: naming two that would share a processor or a port.
    """
    if not slots:
        message = "slots: leave the key out for one slot that is the machine"
        raise ValueError(message)
    for one, other in itertools.combinations(slots, 2):
        pair = f"slots `{one.name}` and `{other.name}`"
        if one.name == other.name:
            message = f"slot `{one.name}` is there twice"
            raise ValueError(message)
        if not one.processors or not other.processors:
            message = f"{pair}: each of several slots is to have processors of its own"
            raise ValueError(message)
        if shared := sorted(one.processors & other.processors):
            message = f"{pair} share processor {shared[0]}"
            raise ValueError(message)
        if (
            one.ports
            and other.ports
            and not (one.ports[1] < other.ports[0] or other.ports[1] < one.ports[0])
        ):
            message = f"{pair} share ports"
            raise ValueError(message)


def memory_group(home: Path, slot: Slot) -> ControlGroup | None:
    """The control group that keeps a slot's memory, made when it is not there.

    :param home: the agent's directory.
    :returns: None when the slot's memory is not limited.
    :raises DeployFailed: when this machine cannot keep the limit.
    """
    groups = ControlGroups(home / "groups", home)
    return groups.make(f"slot-{slot.name}", Limits(memory_mebibytes=slot.memory_mebibytes))


def join_memory_group(home: Path, slot: Slot, pid: int) -> str:
    """Put a process, and all that it starts from now on, within its slot's memory.

    :returns: why that is not kept; empty when it is, or nothing is limited.
    """
    try:
        group = memory_group(home, slot)
        for file in group.member_files if group is not None else ():
            Path(file).write_text(str(pid), encoding="ascii")
    except PluginError as error:
        return f"memory of slot `{slot.name}`: {error.message}"
    except OSError as error:
        return f"memory of slot `{slot.name}`: {error}"
    return ""


def remove_memory_groups(home: Path) -> None:
    """Remove the groups of all slots, with whatever is still in them. Idempotent.

    :raises DeployFailed: when the kernel does not let one go.
    """
    ControlGroups(home / "groups", home).remove_leftovers(0.0)
