"""Makes a run's figures out of what its winning attempt reported."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weighhouse_judging.arithmetic.histograms import Histogram, HistogramError
from weighhouse_protocol.payloads import payload_of
from weighhouse_protocol.report import Failure
from weighhouse_protocol.scenarios import COURSES
from weighhouse_protocol.workload import Workload

from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.faults.service import FaultService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.measurements import models
from weighhouse_backend.measurements.alignment import Cut
from weighhouse_backend.measurements.level_service import FIRST, LevelService
from weighhouse_backend.measurements.packed_intervals import ALL, PhaseKind, StoredInterval
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.measurements.summaries import (
    QUANTILES,
    US_PER_SECOND,
    OperationSum,
    PhaseSum,
    sum_phases,
)
from weighhouse_backend.results.chain_parts import ChainSharing
from weighhouse_backend.results.counts import figures_counted
from weighhouse_backend.results.footprints import cpu_percent
from weighhouse_backend.results.scenario_service import SCENARIO, figures_of, material_of
from weighhouse_backend.results.schemas import AskedLatency, DriverRecord, PhaseRecord
from weighhouse_backend.results.sources import (
    CLIENT_HIT_RATIO,
    FLOW,
    READ_FLOW,
    SERVER_CPU,
    WIRE,
    WRITTEN_FLOW,
)
from weighhouse_backend.results.success import failure_of
from weighhouse_backend.results.unsettled import not_worked_out, nothing_measured, unreadable
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.runs.states import RunStatus


@dataclass(frozen=True)
class SettlementService:
    """Merges, summarises, and says how the run ended."""

    repository: ResultRepository
    levels: LevelService
    faults: FaultService
    runs: RunService
    clock: Clock
    experiments: ExperimentService
    chains: ChainSharing
    catalog: CatalogService

    def settle_run(self, run_id: UUID) -> None:
        """Settle a run that has a winning attempt.

        Histograms are merged by addition, counts added; the run becomes completed, or failed when
        nothing was measured. Idempotent: a run that is not settling is left alone, and settling
        twice gives the same rows. The first run of a chain shares out first what its attempt
        measured for those that follow.
        """
        self.chains.share_out(run_id)
        run = self.runs.find(run_id)
        if run is None or run.status != RunStatus.SETTLING or run.result_attempt_id is None:
            return
        attempt_id, project_id = run.result_attempt_id, run.project_id
        drivers = self.levels.levels.driving(attempt_id)
        try:
            widest = self.levels.finish(attempt_id, project_id, drivers)
            phases, cuts = self._summed(attempt_id, drivers, widest)
            self.faults.settle(attempt_id, project_id)
        except HistogramError as error:
            self.runs.fail(run_id, unreadable(error))
            return
        measured = phases.get("measure")
        if measured is None or measured.duration_seconds <= 0:
            self.runs.fail(run_id, nothing_measured(len(drivers)))
            return
        failure = self._failure(run, attempt_id, phases)
        if failure is not None:
            self._write(attempt_id, project_id, phases, cuts, len(drivers))
            self.runs.fail(run_id, failure)
            return
        self._write(attempt_id, project_id, phases, cuts, len(drivers))
        self._look_at_course(run, attempt_id)
        self._look_at_values(run, attempt_id, measured)
        self._look_at_counts(run, attempt_id, measured)
        total = measured.everything()
        told = self.repository.record(attempt_id)
        self.runs.complete(
            run_id,
            throughput=(total.ok - total.ok_late) / measured.duration_seconds,
            p99_us=total.response.quantiles_us([0.99])[0],
            version=None if told is None else told.version,
        )

    def give_up(self, run_id: UUID, reason: str) -> None:
        """End a run whose figures nobody could work out, with the reason. Idempotent."""
        self.runs.fail(run_id, not_worked_out(reason))

    def _failure(
        self, run: Run, attempt_id: UUID, phases: Mapping[PhaseKind, PhaseSum]
    ) -> Failure | None:
        """Why the run is no success although it came to its end."""
        told = self.repository.record(attempt_id)
        said = [PhaseRecord.as_kept(item) for item in (told.phases if told else [])]
        campaign = self.repository.session.get_one(Campaign, run.campaign_id)
        document = measured_document(self.experiments, campaign)
        cell = self.repository.cells([run.cell_id])[run.cell_id]
        system = document.targets[cell.target_index].system
        manifest = self.catalog.manifests([run.project_id]).get(system)
        return failure_of(
            phases,
            said,
            records=document.workloads[cell.workload_index].records_to_load,
            loaded_before=self._loaded_before(run),
            broken_on_purpose=bool(document.faults),
            causes=() if manifest is None else manifest.causes,
        )

    def _loaded_before(self, run: Run) -> OperationSum | None:
        """What the load of a chain came to, for a run that follows in it."""
        if run.leader_id is None:
            return None
        leader = self.repository.session.get_one(Run, run.leader_id)
        attempt_id = leader.result_attempt_id
        told = None if attempt_id is None else self.repository.record(attempt_id)
        found = OperationSum()
        for item in told.phases if told else []:
            phase = PhaseRecord.as_kept(item)
            if phase.phase == "load":
                for counts in phase.operations.values():
                    found.ok += counts.get("ok", 0)
                    found.errors += counts.get("errors", 0)
                for kind, count in phase.errors.items():
                    found.errors_by_kind[kind] = found.errors_by_kind.get(kind, 0) + count
        return found if found.errors_by_kind else None

    def _summed(
        self, attempt_id: UUID, drivers: Sequence[int], widest: Iterable[StoredInterval] | None
    ) -> tuple[Mapping[PhaseKind, PhaseSum], Mapping[PhaseKind, Cut]]:
        """The sum of each phase, and what of it lies outside the overlap of several drivers.

        :param widest: windows in which every interval is once; None where there are none.
        """
        if widest is not None:
            return sum_phases(widest), {}
        if len(drivers) <= 1:
            found = (self.levels.levels.reported(attempt_id, one, FIRST) for one in drivers)
            return sum_phases(piece.interval for pieces in found for piece in pieces), {}
        phases: dict[PhaseKind, PhaseSum] = {}
        cuts: dict[PhaseKind, Cut] = {}
        for aligned in self.repository.aligned(attempt_id, self.repository.drivers(attempt_id)):
            for kind, phase in sum_phases(aligned.parts).items():
                drained = phase.ended_us is not None
                phase.ended_us = aligned.end_us if drained else None
                phase.start_us = aligned.start_us
                phase.end_us = max(phase.end_us, aligned.end_us) if drained else aligned.end_us
                phases[kind], cuts[kind] = phase, aligned.cut
        return phases, cuts

    def _write(
        self,
        attempt_id: UUID,
        project_id: UUID,
        phases: Mapping[PhaseKind, PhaseSum],
        cuts: Mapping[PhaseKind, Cut],
        drivers: int,
    ) -> None:
        rows = [
            summary_row(attempt_id, project_id, phase, name, operation)
            for phase in phases.values()
            for name, operation in [*phase.operations.items(), (ALL, phase.everything())]
        ]
        self.repository.insert_new(models.RunSummary, rows)
        members = self.repository.members([attempt_id])[attempt_id]
        kept = self.repository.record(attempt_id)
        said = [PhaseRecord.as_kept(item) for item in (kept.phases if kept else [])]
        record = self.repository.record_for_update(members[0])
        cut = cuts.get("measure", Cut())
        told_of_driver = driver_record(phases["measure"], said).model_copy(
            update={
                "drivers": max(1, drivers),
                "cut_operations": cut.operations,
                "cut_seconds": cut.seconds,
            }
        )
        told = told_of_driver.model_dump(mode="json")
        percent = cpu_percent(self.repository, attempt_id)
        if percent is not None:
            told[SERVER_CPU] = percent / 100 * phases["measure"].duration_seconds * US_PER_SECOND
        record.driver = told | wire(said)
        record.settled_at = self.clock.now()

    def _look_at_counts(self, run: Run, attempt_id: UUID, measured: PhaseSum) -> None:
        """Keep figures of what the servers counted of their own work, where they did, and the
        client's hit ratio of a cache.
        """
        kept = self.repository.record(attempt_id)
        campaign = self.repository.session.get_one(Campaign, run.campaign_id)
        document = measured_document(self.experiments, campaign)
        cell = self.repository.cells([run.cell_id])[run.cell_id]
        system = document.targets[cell.target_index].system
        manifest = self.catalog.manifests([run.project_id]).get(system)
        found = {} if kept is None else figures_counted(kept, manifest)
        found |= client_hits(document.workloads[cell.workload_index], measured)
        if found:
            members = self.repository.members([attempt_id])[attempt_id]
            record = self.repository.record_for_update(members[0])
            record.driver = {**(record.driver or {}), **found}

    def _look_at_values(self, run: Run, attempt_id: UUID, measured: PhaseSum) -> None:
        """Keep how many bytes of values came and went in the measured phase."""
        campaign = self.repository.session.get_one(Campaign, run.campaign_id)
        document = measured_document(self.experiments, campaign)
        cell = self.repository.cells([run.cell_id])[run.cell_id]
        found = flows(measured, document.workloads[cell.workload_index])
        members = self.repository.members([attempt_id])[attempt_id]
        record = self.repository.record_for_update(members[0])
        record.driver = {**(record.driver or {}), **found}

    def _look_at_course(self, run: Run, attempt_id: UUID) -> None:
        """Keep what the scenario gave, where it is one whose runs are read as a course."""
        campaign = self.repository.session.get_one(Campaign, run.campaign_id)
        document = measured_document(self.experiments, campaign)
        if document.scenario not in COURSES:
            return
        workload = document.workloads[
            self.repository.cells([run.cell_id])[run.cell_id].workload_index
        ]
        found = figures_of(document, workload, material_of(self.repository, attempt_id))
        record = self.repository.record_for_update(
            self.repository.members([attempt_id])[attempt_id][0]
        )
        told = found.model_dump(mode="json")
        record.driver = {**(record.driver or {}), SCENARIO: told}


def summary_row(
    attempt_id: UUID, project_id: UUID, phase: PhaseSum, name: str, operation: OperationSum
) -> dict[str, Any]:
    """A row of `run_summaries`: one operation over one phase."""
    p50, p95, p99, p999, p9999 = operation.response.quantiles_us(QUANTILES)
    seconds = phase.duration_seconds
    service, asked = operation.service, operation.asked
    return {
        "attempt_id": attempt_id,
        "project_id": project_id,
        "phase": phase.phase,
        "operation": name,
        "duration_seconds": seconds,
        "ok": operation.ok,
        "not_found": operation.not_found,
        "errors": operation.errors,
        "verify_failed": operation.verify_failed,
        "never_sent": operation.never_sent if phase.tells_due else None,
        "answered_late": operation.answered_late if phase.tells_due else None,
        "overflow": operation.overflow,
        "errors_by_kind": operation.errors_by_kind,
        "throughput": (operation.ok - operation.ok_late) / seconds if seconds > 0 else 0.0,
        "mean_us": operation.response.mean_us,
        "p50_us": p50,
        "p95_us": p95,
        "p99_us": p99,
        "p999_us": p999,
        "p9999_us": p9999,
        "max_us": operation.response.max_us,
        "histogram": operation.response.encoded(),
        "service_histogram": None if service is None else service.encoded(),
        "asked": None if asked is None else asked_latency(asked).model_dump(mode="json"),
        # Where everything succeeded it is the successes' own.
        "asked_histogram": None if asked is None or operation.others is None else asked.encoded(),
    }


def asked_latency(asked: Histogram) -> AskedLatency:
    """Latency of everything that was asked, out of its merged histogram."""
    p50, p95, p99, p999, p9999 = asked.quantiles_us(QUANTILES)
    return AskedLatency(
        mean_us=asked.mean_us,
        p50_us=p50,
        p95_us=p95,
        p99_us=p99,
        p999_us=p999,
        p9999_us=p9999,
        max_us=asked.max_us,
    )


def wire(said: Sequence[PhaseRecord]) -> dict[str, float]:
    """Bytes on the drivers' connections in the measured phase, for an operation sent and for a
    second; empty where a driver told of none. Of several drivers, each by its own operations and
    time: what is cut off their figures leaves rates as they are.
    """
    own = [phase for phase in said if phase.phase == "measure" and phase.duration_us > 0]
    sent = sum(
        count
        for phase in own
        for outcomes in phase.operations.values()
        for outcome, count in outcomes.items()
        if outcome != "never_sent"
    )
    told = [(one.wire.sent + one.wire.received, one.duration_us) for one in own if one.wire]
    if not sent or len(told) < len(own):
        return {}
    return {
        WIRE: sum(count for count, _ in told) / sent,
        FLOW: sum(count / duration * US_PER_SECOND for count, duration in told),
    }


def client_hits(workload: Workload, measured: PhaseSum) -> dict[str, float]:
    """Of a cache's reads the share that found their record, percent; empty for other workloads."""
    reads = measured.operations.get("read")
    if reads is None or not workload.fill_on_miss:
        return {}
    found = reads.ok + reads.verify_failed
    answered = found + reads.not_found
    return {CLIENT_HIT_RATIO: 100 * found / answered} if answered else {}


def flows(measured: PhaseSum, workload: Workload) -> dict[str, float]:
    """Bytes of values that the successes of a phase asked for and wrote, a second; without those
    read where it is not known how many they were.
    """
    read: float | None = 0.0
    written = 0.0
    for name, operation in measured.operations.items():
        succeeded = operation.ok - operation.ok_late
        each = payload_of(workload, name)
        written += succeeded * each.written
        if succeeded and each.read is None:
            read = None
        elif read is not None:
            read += succeeded * (each.read or 0.0)
    seconds = measured.duration_seconds
    told = {WRITTEN_FLOW: written / seconds}
    return told if read is None else {READ_FLOW: read / seconds, **told}


def driver_record(measured: PhaseSum, said: list[PhaseRecord]) -> DriverRecord:
    """What the driver measured of itself, with its own judgement of the measured phase."""
    own = [phase for phase in said if phase.phase == "measure"]
    lag = None if measured.lag is None else measured.lag.quantiles_us([0.99])[0]
    return DriverRecord(
        cpu_percent=measured.cpu_percent,
        lag_p99_us=lag,
        loop_delay_p99_us=measured.loop_delay_p99_us,
        steal_percent=measured.steal_percent,
        steal_percent_mean=measured.steal_percent_mean,
        reconnects=measured.reconnects,
        client_bound=any(phase.client_bound and _bound(phase) for phase in own),
        saturated=measured.saturated,
        drain_seconds=measured.drain_seconds,
        reasons=[reason for phase in own for reason in _bound(phase)],
    )


def _bound(phase: PhaseRecord) -> list[str]:
    """Why it may have been the driver that was measured. That operations waited for a place, as
    drivers of before told it, is not the driver's doing.
    """
    return [one for one in phase.client_bound_reasons if not one.startswith("unsent")]
