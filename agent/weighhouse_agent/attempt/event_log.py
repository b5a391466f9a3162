"""Writes what happens in an attempt as numbered events."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.counts import CountsMoment, NodeCounts
from weighhouse_protocol.driver import InputOutput, Interval, PhaseFinished, Ready
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.programs import ProgramRan
from weighhouse_protocol.report import (
    NOT_TOLD,
    IntervalReported,
    MemoryMeasured,
    OperationErrors,
    PhaseChanged,
    PhaseEnded,
    RunPhase,
    ServerCounted,
    TargetDescribed,
    TimelineMark,
)
from weighhouse_sdk.lifecycle import Deployed, Description, MemoryUse
from weighhouse_sdk.replies import NotTold

from weighhouse_agent.delivery.spool import SpoolWriter

Moment = Literal["before", "after_load", "after"]


def failed_operations(event: PhaseFinished) -> tuple[OperationErrors, ...]:
    """What failed in a phase, by operation and kind, with what was said first of it."""
    return tuple(
        OperationErrors(operation=name, kind=kind, count=count, first=totals.said.get(kind))
        for name, totals in event.operations.items()
        for kind, count in totals.errors.items()
    )


def way_of(io: InputOutput) -> str:
    """How a driver waited and sent, and why so, as it stands among the versions of its run."""
    return f"{io.way}: {io.reason}"


@dataclass(frozen=True)
class Reporter:
    """What one attempt tells; each call is one event of the spool."""

    spool: SpoolWriter

    def enter(self, phase: RunPhase) -> None:
        """The run entered a phase."""
        self.spool.append(lambda n, at: PhaseChanged(sequence=n, at_us=at, phase=phase))

    def mark(self, mark: str, label: str = "") -> None:
        """Something happened."""
        self.spool.append(lambda n, at: TimelineMark(sequence=n, at_us=at, mark=mark, label=label))

    def not_told(self, refusals: Iterable[NotTold]) -> None:
        """The system refused questions that only describe it."""
        for each in refusals:
            self.mark(NOT_TOLD, f"{each.question}: {each.words}")

    def interval(self, interval: Interval) -> None:
        """The driver wrote an interval."""
        self.spool.append(lambda n, at: IntervalReported(sequence=n, at_us=at, interval=interval))

    def held(self, records: int) -> None:
        """The system holds records, and others are about to be loaded beside them."""
        self.spool.append(
            lambda n, at: PhaseEnded(
                sequence=n,
                at_us=at,
                phase="check",
                duration_us=0,
                operations={"held": {"ok": records}},
            )
        )

    def phase_ended(
        self,
        event: PhaseFinished,
        stream_hash: str | None = None,
        kind: Literal["check"] | None = None,
    ) -> None:
        """The driver ended a phase.

        :param kind: what its reads were for, where they are no phase of the order.

        :param stream_hash: of the driver that made it, where each link of a chain has its own.
        """
        counted = {
            name: {
                "ok": totals.ok,
                "not_found": totals.not_found,
                "errors": sum(totals.errors.values()),
                "verify_failed": totals.verify_failed,
                "never_sent": totals.never_sent,
            }
            for name, totals in event.operations.items()
        }
        errors = Counter[str]()
        for totals in event.operations.values():
            errors.update(totals.errors)
        self.spool.append(
            lambda n, at: PhaseEnded(
                sequence=n,
                at_us=at,
                phase=kind or event.phase,
                duration_us=event.duration_us,
                operations=counted,
                errors=dict(errors),
                failed=failed_operations(event),
                client_bound=event.client_bound,
                client_bound_reasons=event.client_bound_reasons,
                interrupted=event.interrupted,
                wire=event.wire,
                counted=event.counted,
                stream_hash=stream_hash,
            )
        )

    def memory(self, moment: Moment, found: MemoryUse, resident_bytes: int | None) -> None:
        """Memory was measured.

        :param resident_bytes: as seen before, for a system that does not tell now.
        """
        resident = resident_bytes if found.resident_bytes is None else found.resident_bytes
        self.spool.append(
            lambda n, at: MemoryMeasured(
                sequence=n,
                at_us=at,
                moment=moment,
                resident_bytes=resident,
                used_bytes=found.used_bytes,
                disk_bytes=found.disk_bytes,
                records=found.records,
            )
        )

    def counted(self, moment: CountsMoment, nodes: Sequence[NodeCounts]) -> None:
        """Nodes told their counters; nothing where none did."""
        if nodes:
            self.spool.append(
                lambda n, at: ServerCounted(sequence=n, at_us=at, moment=moment, nodes=tuple(nodes))
            )

    def target(
        self,
        told: Description | Deployed,
        endpoints: Sequence[str],
        facts: MachineFacts,
        ready: Ready | None,
        *,
        commands: Sequence[str] = (),
        programs: Sequence[ProgramRan] = (),
        co_located: bool | None,
    ) -> None:
        """The target was set up.

        :param told: by the system itself or, where it cannot be asked, by its deployment.
        :param facts: of this machine, versions included.
        :param ready: what the driver said of itself; None: there is none here.
        :param commands: what was done to set it up, where the system does not tell.
        :param programs: what really runs here.
        :param co_located: whether driver and system share a machine; None: it cannot be known.
        """
        if ready is not None:
            versions: Mapping[str, str] = {
                **facts.versions,
                f"driver {ready.driver}": ready.version,
            }
            if ready.io is not None:
                versions = {**versions, f"{ready.driver}, input and output": way_of(ready.io)}
            facts = facts.model_copy(update={"versions": versions})
        settings = told.settings if isinstance(told, Description) else ()
        self.spool.append(
            lambda n, at: TargetDescribed(
                sequence=n,
                at_us=at,
                version=told.version,
                endpoints=tuple(endpoints),
                effective_configuration=settings,
                commands=told.commands or tuple(commands),
                facts=facts,
                co_located=co_located,
                threads=ready.shards if ready else None,
                layout=ready.layout if ready else None,
                stream_hash=ready.stream_hash if ready else None,
                programs=tuple(programs),
            )
        )
