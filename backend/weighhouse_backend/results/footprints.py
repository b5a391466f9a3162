"""What runs took at each moment: memory and disk, as told and as sampled."""

import datetime
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.measurements.models import ResourceSample
from weighhouse_backend.measurements.repository import ResultRepository

Measure = Literal["resident", "used", "disk"]
"""Memory of the system's processes; memory that the system says it uses for data; its files."""
Moment = Literal["before", "after_load", "after", "peak"]

SIZES: tuple[tuple[Measure, str], ...] = (
    ("resident", "resident_bytes"),
    ("used", "used_bytes"),
    ("disk", "disk_bytes"),
)
TOLD: tuple[Moment, ...] = ("before", "after_load", "after")


def per_record(empty: float | None, loaded: float | None, records: float | None) -> float | None:
    """Bytes that a load added for each record; None: not known, or the load added none.

    :param records: that the system held after it.
    """
    if empty is None or loaded is None or not records or loaded <= empty:
        return None
    return float(loaded - empty) / records


@dataclass(frozen=True)
class Footprint:
    """What one attempt's system took, over all its machines."""

    sizes: Mapping[tuple[Measure, Moment], int]
    """Bytes; those that nobody told are left out."""
    records: int | None
    """What the system says it held after the load."""
    machines: int
    """That a part of the system stood on; 0: it lives inside the driver, or nobody looked."""


@dataclass(frozen=True)
class FootprintService:
    """Reads what attempts took, for features above, which check access."""

    session: Session
    repository: ResultRepository

    def of_attempts(self, attempt_ids: Collection[UUID]) -> dict[UUID, Footprint]:
        """Footprints by attempt; two queries. The peak of several machines is the sum of each
        one's: an upper bound, for they need not have come at one instant.
        """
        peaks = self._peaks(attempt_ids)
        found = {}
        for attempt_id, record in self.repository.records(attempt_ids).items():
            told = {
                (measure, moment): int(size)
                for moment in TOLD
                for measure, name in SIZES
                if (size := record.memory.get(moment, {}).get(name)) is not None
            }
            mine = peaks.get(attempt_id, {})
            highest: dict[tuple[Measure, Moment], int] = {}
            for measure in ("resident", "disk"):
                sampled = [sizes[measure] for sizes in mine.values() if measure in sizes]
                stood = [told[measure, moment] for moment in TOLD if (measure, moment) in told]
                if sampled:
                    # Samples are some seconds apart; what was told at a moment was there as well.
                    highest[measure, "peak"] = max(sum(sampled), *stood, 0)
            records = record.memory.get("after_load", {}).get("records")
            found[attempt_id] = Footprint(
                sizes=told | highest,
                records=None if records is None else int(records),
                machines=sum("resident" in sizes for sizes in mine.values()),
            )
        return found

    def _peaks(self, attempt_ids: Collection[UUID]) -> dict[UUID, dict[int, dict[Measure, int]]]:
        """The largest samples, by attempt and member."""
        rows = self.session.execute(
            select(
                ResourceSample.attempt_id,
                ResourceSample.member,
                func.max(ResourceSample.resident_bytes),
                func.max(ResourceSample.disk_bytes),
            )
            .where(ResourceSample.attempt_id.in_(list(attempt_ids)))
            .group_by(ResourceSample.attempt_id, ResourceSample.member)
        )
        found: dict[UUID, dict[int, dict[Measure, int]]] = {}
        for attempt_id, member, resident, disk in rows:
            sizes: dict[Measure, int] = {}
            if resident is not None:
                sizes["resident"] = int(resident)
            if disk is not None:
                sizes["disk"] = int(disk)
            found.setdefault(attempt_id, {})[member] = sizes
        return found


def cpu_percent(repository: ResultRepository, attempt_id: UUID) -> float | None:
    """What the system's processes used of processors over the measured phase, on the average of
    its samples, added up over its machines; 100 = one core. None: nobody sampled it.
    """
    span = repository.measured_spans([attempt_id]).get(attempt_id)
    if span is None:
        return None
    begin, end = (datetime.datetime.fromtimestamp(at / 1e6, datetime.UTC) for at in span)
    found = []
    for member, offset in repository.offsets(attempt_id).items():
        ahead = datetime.timedelta(microseconds=offset)
        found.append(
            repository.session.scalar(
                select(func.avg(ResourceSample.cpu_percent)).where(
                    ResourceSample.attempt_id == attempt_id,
                    ResourceSample.member == member,
                    ResourceSample.at > begin - ahead,
                    ResourceSample.at <= end - ahead,
                )
            )
        )
    known = [float(one) for one in found if one is not None]
    return sum(known) if known else None
