"""The list of projects: in a terminal of 80 columns nothing of it is cut off."""

from typing import Any

import pytest
from rich.console import Console
from weighhouse_cli.commands.project import _listed


def project(slug: str, **other: Any) -> dict[str, Any]:
    return {
        "id": f"019ac0de-0000-7000-8000-{len(slug):012d}",
        "slug": slug,
        "name": slug.replace("-", " ").capitalize(),
        "organization_name": "Weighhouse",
        "role": "maintainer",
        "archived_at": "2026-11-26T21:00:00Z",
    } | other


def printed(*projects: dict[str, Any], width: int = 80) -> str:
    console = Console(width=width)
    with console.capture() as said:
        console.print(_listed(projects))
    return said.get()


def test_state_role_slug_and_name_stand_whole_in_80_columns() -> None:
    said = printed(project("main", archived_at=None), project("storage-team"))
    assert "archived 2026-11-26" in said
    assert "in use" in said
    assert "maintainer" in said
    assert "storage-team" in said
    assert "Storage team" in said
    assert "…" not in said
    assert "019ac0de" not in said, "a slug is enough to name it by"
    assert "Weighhouse" not in said, "it is the same of all"


@pytest.mark.parametrize("width", [80, 160])
def test_what_tells_projects_apart_is_shown(width: int) -> None:
    here, there = project("main"), project("main", id="another", organization_name="Elsewhere")
    said = printed(here, there, width=width)
    assert here["id"] in said
    assert "another" in said
    assert "archived 2026-11-26" in said
    assert "…" not in said
