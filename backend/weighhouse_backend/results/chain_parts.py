"""Shares out what one attempt measured among the runs of its chain, once, when it is settled."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from sqlalchemy import delete, inspect, update
from sqlalchemy.orm import Session

from weighhouse_backend.execution.chain_runs import ChainService, Share
from weighhouse_backend.measurements.models import (
    Interval,
    LevelWindow,
    ResourceSample,
    RunRecord,
    SampleWindow,
    TimelineMark,
)
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.results.chains import link_begins, memory_of_link, phases_of_links
from weighhouse_backend.results.counts import counts_of_link

SHARED = (Interval, ResourceSample, TimelineMark)
"""What belongs to the link in whose stretch of events it was reported."""
OF_ALL = frozenset(
    {"attempt_id", "memory", "counts", "phases", "stream_hash", "driver", "settled_at"}
)
"""Columns of a record in which the links differ; the others tell of the system that all share."""
BEHIND_ALL = 2**31 - 1
"""Above every sequence."""


@dataclass(frozen=True)
class ChainSharing:
    """Moves intervals, samples and marks from the attempt of a chain to those of its links."""

    session: Session
    repository: ResultRepository
    chains: ChainService

    def share_out(self, run_id: UUID) -> None:
        """Give every run that follows in a chain its part of the first one's attempt.

        Nothing is copied that is measured: an interval belongs to one run. In the transaction in
        which the first run is settled; a run that leads no chain, or whose chain is shared out, is
        left alone.
        """
        leader = self.chains.awaits_parts(run_id)
        if leader is None or leader.result_attempt_id is None:
            return
        attempt_id = leader.result_attempt_id
        marks = {mark.sequence: mark for mark in self.repository.marks(attempt_id)}
        begins = link_begins(marks.values())
        shares = self.chains.give_parts(leader, [marks[begin].at for begin in begins])
        spans = list(pairwise([*begins, BEHIND_ALL]))
        for share, (begin, end) in zip(shares, spans, strict=False):
            self._move(attempt_id, share.attempt_id, begin, end)
        self._share_record(attempt_id, shares)
        # They were built over all phases while these were reported.
        self.session.execute(delete(LevelWindow).where(LevelWindow.attempt_id == attempt_id))
        self.session.execute(delete(SampleWindow).where(SampleWindow.attempt_id == attempt_id))
        self.session.expire_all()

    def _move(self, attempt_id: UUID, to: UUID, begin: int, end: int) -> None:
        for table in SHARED:
            self.session.execute(
                update(table)
                .where(
                    table.attempt_id == attempt_id,
                    table.sequence >= begin,
                    table.sequence < end,
                )
                .values(attempt_id=to)
                .execution_options(synchronize_session=False)
            )

    def _share_record(self, attempt_id: UUID, shares: Sequence[Share]) -> None:
        members = self.repository.members([attempt_id])[attempt_id]
        record = self.repository.record_for_update(members[0])
        phases, memory = phases_of_links(record.phases), record.memory
        counts = record.counts
        columns = [column.key for column in inspect(RunRecord).column_attrs]
        common = {name: getattr(record, name) for name in columns if name not in OF_ALL}
        for link, share in enumerate(shares, start=1):
            said = phases[link] if link < len(phases) else []
            streams = (phase.get("stream_hash") for phase in said)
            self.session.add(
                RunRecord(
                    **common,
                    attempt_id=share.attempt_id,
                    phases=said,
                    memory=memory_of_link(memory, link),
                    counts=counts_of_link(counts, link),
                    stream_hash=next((one for one in streams if one), None),
                )
            )
        record.phases, record.memory = phases[0], memory_of_link(memory, 0)
        record.counts = counts_of_link(counts, 0)
        self.session.flush()
