"""docs/plugins leaves out nothing that a plugin's author is asked."""

import dataclasses
import re
from pathlib import Path

import pytest
from pydantic import BaseModel
from weighhouse_protocol.disclaimers import ManifestDisclaimer
from weighhouse_protocol.layouts import ManifestTopology
from weighhouse_protocol.manifest import (
    BenchmarkClause,
    Manifest,
    ManifestDriver,
    ManifestImage,
)
from weighhouse_sdk.places import Place
from weighhouse_sdk.serving.questions import Questions

PAGES = sorted((Path(__file__).resolve().parents[3] / "docs" / "plugins").glob("*.md"))
GUIDE = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)


def told(name: str) -> bool:
    """As code, as a table of TOML, or as a key of one."""
    return bool(re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`|^\[*{name}\b", GUIDE, re.MULTILINE))


@pytest.mark.parametrize("name", sorted({*vars(Questions), *Questions.__annotations__}))
def test_each_question_is_told(name: str) -> None:
    assert name.startswith("_") or name == "ask_seconds" or told(name)


@pytest.mark.parametrize("field", dataclasses.fields(Place), ids=lambda field: field.name)
def test_each_part_of_a_place_is_told(field: dataclasses.Field[object]) -> None:
    assert told(field.name)


@pytest.mark.parametrize(
    "model",
    [
        Manifest,
        ManifestTopology,
        ManifestImage,
        ManifestDriver,
        ManifestDisclaimer,
        BenchmarkClause,
    ],
)
def test_each_key_of_the_manifest_is_told(model: type[BaseModel]) -> None:
    assert not [name for name in model.model_fields if not told(name)]


def test_what_is_not_told_is_found() -> None:
    assert not told("no_such_question")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link
