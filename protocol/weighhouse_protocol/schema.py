"""Exports the JSON Schema of every document: `python -m weighhouse_protocol.schema DIRECTORY`."""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from weighhouse_protocol.driver import DRIVER_EVENT, DriverDescription, DriverOrder, Go
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.report import ATTEMPT_EVENT, Completion
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

DOCUMENTS: dict[str, type[BaseModel]] = {
    "workload": Workload,
    "target": Target,
    "experiment": Experiment,
    "attempt-order": AttemptOrder,
    "completion": Completion,
    "driver-order": DriverOrder,
    "driver-go": Go,
    "driver-description": DriverDescription,
    "plugin-manifest": Manifest,
    "published-results": PublishedResults,
}


def schemas() -> dict[str, dict[str, Any]]:
    """All schemas by file stem."""
    found = {name: model.model_json_schema() for name, model in DOCUMENTS.items()}
    found["driver-event"] = DRIVER_EVENT.json_schema()
    found["attempt-event"] = ATTEMPT_EVENT.json_schema()
    return found


def rendered(schema: dict[str, Any]) -> str:
    """A schema as the text of its file."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**dialect, **schema}, indent=2, ensure_ascii=False) + "\n"


def export(directory: Path) -> list[Path]:
    """Write every schema into a directory; files that are current stay untouched.

    :returns: the files, sorted.
    """
    directory.mkdir(parents=True, exist_ok=True)
    files = []
    for name, schema in sorted(schemas().items()):
        path = directory / f"{name}.schema.json"
        text = rendered(schema)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        files.append(path)
    return files


if __name__ == "__main__":
    export(Path(sys.argv[1]))
