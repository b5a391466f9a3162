"""YCSB's property files over HTTP: what one comes to, and what is to be told of it."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from weighhouse_protocol.document_errors import did_you_mean, one_of
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.ycsb import Note, Problem, YcsbError, translate
from weighhouse_protocol.ycsb.java import LONGEST_NAME, MOST_BYTES

from weighhouse_backend.kit.schemas import Body


class PropertyFile(BaseModel):
    """A property file of YCSB's."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "file": "workloada",
                    "text": "recordcount=1000\noperationcount=1000\nreadproportion=0.5\n"
                    "updateproportion=0.5\nrequestdistribution=zipfian\n",
                }
            ]
        },
    )

    file: Annotated[str, Field(min_length=1, max_length=200)]
    """Its name, without directories: the workload's."""
    text: Annotated[str, Field(max_length=MOST_BYTES)]
    """Its bytes as ISO-8859-1, as Java takes them."""
    systems: Annotated[list[Annotated[str, Field(max_length=63)]], Field(max_length=20)] = []
    """Plugins that options of YCSB's bindings are for, for example `redis`; each becomes a target.
    None: those options are not taken, and notes say so."""
    credentials: Annotated[str | None, Field(max_length=63, pattern="^[a-z0-9][a-z0-9._-]*$")] = (
        None
    )
    """Name of what agents have in place of a user and a password in the file."""
    leave_out: Annotated[
        list[Annotated[str, Field(max_length=LONGEST_NAME)]], Field(max_length=100)
    ] = []
    """Properties that are not to count, by name or by a pattern such as `redis.*`."""


class PropertyTold(Body):
    """What is to be told of a property; its value is not repeated."""

    property: str
    """Empty: it is the file."""
    severity: Literal["note", "caution", "problem"]
    message: str
    line: int | None


class WorkloadFromFile(Body):
    """What a property file comes to; parts of an experiment's document."""

    workload: dict[str, Any] | None
    """None: the file is refused, and `told` has the problems beside all notes."""
    load_level: dict[str, Any] | None
    phases: dict[str, Any] | None
    targets: list[dict[str, Any]]
    """One for each of `systems`."""
    told: list[PropertyTold]


def workload_from(source: PropertyFile, manifests: Mapping[str, Manifest]) -> WorkloadFromFile:
    """Translate a property file; raises nothing, however wrong it is.

    :param manifests: what the project's agents offer, by plugin.
    """
    weighed = {name: one for name, one in manifests.items() if one.kind == "system"}
    unknown = [name for name in source.systems if name not in weighed]
    if unknown:
        problems = [
            Problem("", f"no plugin weighs {name!r}{did_you_mean(name, list(weighed))}; there are: "
                    f"{one_of(sorted(weighed))}")
            for name in unknown
        ]  # fmt: skip
        return _refused(problems, ())
    try:
        found = translate(
            [(source.file, source.text)],
            systems=[weighed[name] for name in dict.fromkeys(source.systems)],
            credentials=source.credentials,
            leave_out=source.leave_out,
        )
    except YcsbError as error:
        return _refused(error.problems, error.notes)
    phases: dict[str, Any] = {
        "load_clients": found.threads,
        "warmup_seconds": 0,
        "measure_seconds": found.measure_seconds,
    }
    if found.measure_operations is not None:
        phases["measure_operations"] = found.measure_operations
    return WorkloadFromFile(
        workload=_document(found.workload),
        load_level={"model": found.load.model, **_document(found.load)},
        phases=phases,
        targets=[_document(target) for target in found.targets],
        told=list(_told(found.notes)),
    )


def _document(part: BaseModel) -> dict[str, Any]:
    return part.model_dump(mode="json", exclude_defaults=True)


def _refused(problems: Iterable[Problem], notes: Iterable[Note]) -> WorkloadFromFile:
    refused = [
        PropertyTold(property=one.property, severity="problem", message=one.message, line=one.line)
        for one in problems
    ]
    return WorkloadFromFile(
        workload=None, load_level=None, phases=None, targets=[], told=[*refused, *_told(notes)]
    )


def _told(notes: Iterable[Note]) -> Iterable[PropertyTold]:
    for one in notes:
        yield PropertyTold(
            property=one.property, severity=one.severity, message=one.message, line=one.line
        )
