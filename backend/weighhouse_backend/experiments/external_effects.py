"""What a campaign of a document will write to systems that somebody else runs, in words. Pure."""

from collections.abc import Iterator

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.records import READS
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

from weighhouse_backend.experiments.schemas import EffectRead

LOADS = {"fresh": "for each run", "once": "once, for all runs"}
DOING = {
    "update": "updates",
    "insert": "inserts",
    "read_modify_write": "reads and rewrites",
    "delete": "deletes",
}


def external_effects(experiment: Experiment) -> Iterator[EffectRead]:
    """Of each external target what is written to it, and what is removed."""
    matrix = experiment.matrix
    for index, target in enumerate(experiment.targets):
        if target.deployment == "external":
            workloads = [workload for place, workload in enumerate(experiment.workloads)
                         if matrix.count(index, place)]  # fmt: skip
            yield EffectRead(
                target=target.name,
                endpoints=list(target.endpoints),
                written=_written(target, workloads),
                removed=_removed(workloads),
            )


def _written(target: Target, workloads: list[Workload]) -> str:
    loaded = [
        f"{one.records_to_load:,} records of {one.name}, keys {_keys(one)}" for one in workloads
    ]
    parts = [] if target.data == "keep" else [f"loads {'; '.join(loaded)}, {LOADS[target.data]}"]
    parts += [
        f"{one.name} {_listed(done)} records with keys {_keys(one)}"
        for one in workloads
        if (done := _done(one))
    ]
    return "; then ".join(parts) or "nothing"


def _done(workload: Workload) -> list[str]:
    asked = [DOING[each] for each in _asked(workload) if each not in ("delete", *READS)]
    return [*asked, "fills in missing"] if workload.fill_on_miss else asked


def _removed(workloads: list[Workload]) -> str:
    deletes = [f"{one.name}'s own, with keys {_keys(one)}" for one in workloads if _deletes(one)]
    return f"records that a workload deletes: {'; '.join(deletes)}" if deletes else "nothing"


def _deletes(workload: Workload) -> bool:
    return "delete" in _asked(workload)


def _asked(workload: Workload) -> list[str]:
    return [name for name, share in workload.operations.model_dump().items() if share > 0]


def _keys(workload: Workload) -> str:
    if workload.key_prefix is None:
        return "of its series" if workload.time_series else "user…"
    return f"{workload.key_prefix}…"


def _listed(words: list[str]) -> str:
    return " and ".join(words)
