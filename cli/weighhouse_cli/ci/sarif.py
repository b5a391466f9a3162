"""A gate as SARIF 2.1.0 (OASIS), which code scanning takes: a result a cell that did not pass.

Its place is the experiment's file, where what is measured is written.
"""

import hashlib
import json
from importlib.metadata import version
from typing import Any

from weighhouse_protocol.text import numbered

from weighhouse_cli.ci.told import State, Told, ToldCell

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS: dict[State, str] = {"failed": "error", "error": "error", "undecided": "warning"}
RULES = {
    "failed": "A cell is worse than its base, or than the anchor, by more than the gate lets pass.",
    "error": "A cell could not be judged.",
    "undecided": "A cell can be called neither worse nor safe.",
}


def sarif(told: Told, file: str) -> str:
    """A gate as a SARIF log.

    :param file: the experiment's, relative to the repository's top.
    """
    place = [{"physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": 1}}}]
    results = [_result(told, cell, place) for cell in told.cells if cell.state != "passed"]
    run = {
        "tool": {
            "driver": {
                "name": "weighhouse",
                "version": version("weighhouse-cli"),
                "informationUri": told.page,
                "rules": [
                    {"id": state, "shortDescription": {"text": words}}
                    for state, words in RULES.items()
                ],
            }
        },
        "invocations": [
            {"executionSuccessful": told.state != "error", "exitCode": told.exit_code}
        ],
        "properties": {
            "campaign": numbered(told.number), "page": told.page, "verdict": told.verdict,
            "message": "\n".join(told.message), "threshold": told.threshold,
            "caveats": [f"{severity}: {title}" for severity, title in told.caveats],
        },
        "results": results,
    }  # fmt: skip
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(told: Told, cell: ToldCell, place: list[dict[str, Any]]) -> dict[str, Any]:
    words = ", ".join(filter(None, (f"{cell.outcome} {cell.change}".strip(), cell.why)))
    name = f"{cell.target}: {cell.cell}: {cell.metric}"
    same = hashlib.sha256(f"{told.mark}\n{name}".encode()).hexdigest()
    return {
        "ruleId": cell.state,
        "level": LEVELS[cell.state],
        "message": {"text": f"{name}: {words}"},
        "locations": place,
        "partialFingerprints": {"cell/v1": same},
    }
