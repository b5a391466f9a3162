"""benchANT's raw files: YCSB's output beside the scenario that says what it ran on."""

import json
import re
from collections.abc import Sequence
from typing import Any, ClassVar

from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.figures import ImportNote
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, label, slug
from weighhouse_imports.formats import hdr_log, ycsb
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

SCENARIO = re.compile(rb'"dbmsDeployment"\s*:')
VALIDATED = re.compile(rb'"insertRetryError"\s*:')
BESIDE = re.compile(rb"^(?:Row\[\w+, (?:keyspace|table),|# Aerospike database configuration file)")
SYSTEMS = ("aerospike", "cassandra", "scylladb", "mongodb", "redis", "valkey", "memcached")


class Benchant(Importer):
    """The scenario of a folder says side, version and machines of its YCSB cells."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="benchant",
        title="benchANT raw files",
        reads=("evaluationScenario.json and validate.json beside YCSB's output",),
        known_errors=(
            (
                "tables leave out the first and the last status lines without saying so: here all of "
                "them are kept"
            ),
            "its validation counts failures under names of YCSB's rows, not by return codes",
        ),
        takes_along=("ycsb", "hdr-log"),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its scenario, or what lies beside it."""
        del name
        if SCENARIO.search(head):
            return Recognition(0.9, "dbmsDeployment of its scenario")
        if VALIDATED.search(head):
            return Recognition(0.8, "its validation")
        if BESIDE.match(head):
            return Recognition(0.6, "a configuration that it keeps beside a run")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """YCSB's cells, with what the scenario says."""
        scenario: dict[str, Any] = {}
        measured: list[ImportFile] = []
        beside: list[ImportFile] = []
        for file in files:
            logged = hdr_log.IMPORTER.recognises(file.head, file.name)
            if ycsb.IMPORTER.recognises(file.head, file.name) or logged:
                measured.append(file)
                continue
            beside.append(file)
            if SCENARIO.search(file.head):
                if scenario:
                    raise Refused("a second scenario in one folder", file.name)
                scenario = _object(_loaded(file))
        if not measured:
            raise Refused("has no output of YCSB beside it: nothing was measured", files[0].name)
        results = ycsb.IMPORTER.read(measured, told)
        return _described(results, scenario, beside, told)


def _loaded(file: ImportFile) -> Any:
    try:
        return json.loads(file.whole(), parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise Refused(
            f"is no whole JSON: {error}", file.name, getattr(error, "lineno", None)
        ) from (error)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _described(
    results: PublishedResults, scenario: dict[str, Any], beside: Sequence[ImportFile], told: Told
) -> PublishedResults:
    deployed = _object(scenario.get("dbmsDeployment"))
    kind = str(deployed.get("dbmsType", "")).lower()
    system = next((name for name in SYSTEMS if kind.startswith(name)), kind)
    version = label(str(deployed.get("version", "")))
    machines = _machines(deployed)
    configuration = str(_object(scenario.get("metadata")).get("configurationLabel", ""))
    kept = tuple(file.told("benchant") for file in beside)
    cells = tuple(_with(cell, machines, kept) for cell in results.cells)
    sides = results.sides
    notes = list(results.notes)
    if system:
        name = slug(configuration or system)
        side = sides[0].model_copy(
            update={"name": name, "label": label(configuration or system),
                    "system": label(told.system or system), "version": told.version or version}
        )  # fmt: skip
        cells = tuple(cell.model_copy(update={"side": name}) for cell in cells)
        sides = (side,)
    else:
        reason = "no scenario lies beside it: what was measured is told by the command alone"
        notes.append(ImportNote(level="unknown", reason=reason, file=beside[0].name))
    return results.model_copy(
        update={"cells": cells, "sides": sides, "notes": tuple(notes),
                "source": results.source.model_copy(
                    update={"title": Draft(told, configuration).told.title or label(configuration)
                            or results.source.title})}
    )  # fmt: skip


def _machines(deployed: dict[str, Any]) -> str:
    nodes = _object(_object(deployed.get("DBMS")).get("dataNodes"))
    resource = _object(nodes.get("resource"))
    virtual = _object(next(iter(resource.values()), {}))
    words = [
        f"{nodes['numberOfNodes']} nodes" if "numberOfNodes" in nodes else "",
        str(virtual.get("instanceType", "")),
        str(virtual.get("regionName", "")),
        f"replication factor {nodes['replicationFactor']}" if "replicationFactor" in nodes else "",
    ]
    return ", ".join(each[:200] for each in words if each)


def _with(cell: PublishedCell, machines: str, kept: Sequence[Any]) -> PublishedCell:
    return cell.model_copy(
        update={"machines": cell.machines or machines, "files": (*cell.files, *kept)[:100]}
    )


IMPORTER = Benchant()
