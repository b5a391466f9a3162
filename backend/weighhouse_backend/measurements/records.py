"""What the members of an attempt told, put together. Pure but for the rows it is given.

The record of an agent alone is its attempt's as it stands.
"""

import datetime
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weighhouse_protocol.machine_kinds import kind_of_gang

from weighhouse_backend.measurements.models import RunRecord


@dataclass(frozen=True)
class AttemptRecord:
    """The facts of an attempt: the fields of `models.RunRecord`, over all members.

    What was set up is told by the member that formed the system; memory adds up over machines;
    commands and phases are those of all.
    """

    version: str | None
    endpoints: list[Any]
    effective_configuration: list[Any]
    facts: dict[str, Any]
    """Of the machine that holds the system, or its first nodes."""
    fingerprint: str | None
    """The kind of that machine; of a gang, the kinds of all its machines."""
    co_located: bool | None
    layout: str | None
    stream_hash: str | None
    threads: int | None
    """Driver threads of all drivers together."""
    memory: dict[str, Any]
    driver: dict[str, Any] | None
    settled_at: datetime.datetime | None
    members: tuple[RunRecord, ...]

    @property
    def commands(self) -> list[Any]:
        """What was run on the machines."""
        return [command for part in self.members for command in part.commands]

    @property
    def phases(self) -> list[Any]:
        """What their drivers said of their phases."""
        return [phase for part in self.members for phase in part.phases]

    @property
    def programs(self) -> list[Any]:
        """What really ran on the machines, each program once."""
        told = [one for part in self.members for one in part.programs]
        return [one for place, one in enumerate(told) if one not in told[:place]]

    @property
    def machine_ids(self) -> tuple[str, ...]:
        """Which machines, in order of the members; those that did not say are left out."""
        said = (part.facts.get("machine_id") for part in self.members)
        return tuple(dict.fromkeys(str(one) for one in said if one))

    def driver_versions(self, name: str | None) -> tuple[str, ...]:
        """Versions of the driver of that name on the machines, sorted; none where nobody said."""
        return self._versions(f"driver {name}")

    def plugin_versions(self, plugin_id: str) -> tuple[str, ...]:
        """Versions of the plugin that took part, on the machines; the same."""
        return self._versions(f"plugin {plugin_id}")

    def _versions(self, what: str) -> tuple[str, ...]:
        told = [part.facts.get("versions", {}).get(what) for part in self.members]
        return tuple(sorted({str(one) for one in told if one}))


def merged(parts: Iterable[RunRecord]) -> AttemptRecord:
    """The record of an attempt out of its members', at least one."""
    members = tuple(sorted(parts, key=lambda part: part.member))
    lead = next((part for part in members if part.effective_configuration), None)
    lead = lead or next((part for part in members if part.version), members[0])
    located = [part.co_located for part in members if part.co_located is not None]
    counted = [part.threads for part in members if part.threads is not None]
    return AttemptRecord(
        version=lead.version,
        endpoints=lead.endpoints,
        effective_configuration=lead.effective_configuration,
        facts=lead.facts,
        fingerprint=kind_of_gang(part.fingerprint for part in members if part.fingerprint) or None,
        co_located=any(located) if located else None,
        layout=next((part.layout for part in (lead, *members) if part.layout), None),
        stream_hash=_one_hash([part.stream_hash for part in members if part.stream_hash]),
        threads=sum(counted) if counted else None,
        memory=memory_of_all([part.memory for part in members]),
        driver=next((part.driver for part in members if part.driver is not None), None),
        settled_at=next((part.settled_at for part in members if part.settled_at), None),
        members=members,
    )


def by_attempt(rows: Iterable[RunRecord]) -> dict[UUID, AttemptRecord]:
    """The records of attempts out of their members'."""
    parts: dict[UUID, list[RunRecord]] = {}
    for row in rows:
        parts.setdefault(row.attempt_id, []).append(row)
    return {attempt_id: merged(found) for attempt_id, found in parts.items()}


def _one_hash(found: Sequence[str]) -> str | None:
    if len(found) <= 1:
        return found[0] if found else None
    return hashlib.sha256("+".join(found).encode()).hexdigest()


def memory_of_all(told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The memory of a system out of what each of its machines told, at least one."""
    if len(told) == 1:
        return dict(told[0])
    summed: dict[str, dict[str, int | None]] = {}
    for memory in told:
        for moment, sizes in memory.items():
            total = summed.setdefault(moment, dict.fromkeys(sizes))
            for name, size in sizes.items():
                if size is not None:
                    total[name] = (total.get(name) or 0) + size
    return summed
