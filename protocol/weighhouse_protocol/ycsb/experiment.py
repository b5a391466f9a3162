"""Workloads of YCSB's property files as one experiment."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.phases import Phases
from weighhouse_protocol.yaml_document import DocumentError, field_errors
from weighhouse_protocol.ycsb.core import Translated
from weighhouse_protocol.ycsb.notes import Problem, YcsbError

ONE_FOR_ALL: tuple[tuple[str, Callable[[Translated], Any]], ...] = (
    ("threadcount", lambda one: one.threads),
    ("target", lambda one: one.load.label),
    ("operationcount", lambda one: one.measure_operations),
    ("maxexecutiontime", lambda one: one.measure_seconds),
)
"""What one experiment has once, by the property that says it."""


def experiment_of(
    all_translated: Sequence[Translated], *, slug: str, repetitions: int = 5
) -> Experiment:
    """An experiment of some workloads on the targets that they were translated for.

    :raises YcsbError: when the files ask for unlike loads, lengths or targets, which one experiment
        cannot have.
    """
    first = all_translated[0]
    problems = [
        Problem(name, "differs among the files; give one for all, or make several experiments")
        for name, value in ONE_FOR_ALL
        if len({value(one) for one in all_translated}) > 1
    ]
    for index, target in enumerate(first.targets):
        others = [one.targets[index] for one in all_translated]
        if any(other != target for other in others):
            message = (
                f"the files say unlike options of {target.system}'s binding; give the same in all, "
                "or make several experiments"
            )
            problems.append(Problem("", message))
    if problems:
        raise YcsbError(problems)
    try:
        return Experiment(
            slug=slug,
            name="YCSB: " + ", ".join(one.workload.name for one in all_translated),
            targets=first.targets,
            workloads=tuple(one.workload for one in all_translated),
            load_levels=(first.load,),
            repetitions=repetitions,
            phases=Phases(
                load_clients=first.threads,
                warmup_seconds=0,
                measure_seconds=first.measure_seconds,
                measure_operations=first.measure_operations,
            ),
        )
    except ValidationError as error:
        raise DocumentError(field_errors(error, Experiment)) from error
