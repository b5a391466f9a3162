"""Real results that lie beside the project, where somebody put them there."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from weighhouse_testing.tree import REPOSITORY

PLACE = Path("shared") / "data"


def given() -> Path | None:
    """The folder of real results; none: it is not beside the project."""
    places = (parent / PLACE for parent in REPOSITORY.parents)
    return next((place for place in places if (place / "imports" / "MANIFEST.json").exists()), None)


def entries() -> list[dict[str, Any]]:
    """What the manifest of real results says of each file; empty where they are not here."""
    place = given()
    if place is None:
        return []
    found: list[dict[str, Any]] = json.loads((place / "imports" / "MANIFEST.json").read_bytes())
    return found


def path_of(entry: dict[str, Any]) -> Path:
    """Where the file of an entry lies."""
    place = given()
    assert place is not None
    return place / "imports" / str(entry["format"]) / str(entry["file"])


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> None:
    """Tests that need the real results say so where they are not."""
    if given() is None:
        with capsys.disabled():
            how = "put them there, with their MANIFEST.json"
            sys.stdout.write(f"\nnot run: real results are not in ../{PLACE}/imports; {how}\n")
        pytest.skip("real results are not beside the project")
