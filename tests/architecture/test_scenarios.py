"""What a scenario is stands in one list, and each floor has a module of its own for it."""

import pytest
from weighhouse_protocol.scenarios import COURSES, PARTS, SEARCHES
from weighhouse_testing.tree import REPOSITORY

from tests.architecture.test_figures import PYTHON, listed_in_python

MAY = {
    "protocol/weighhouse_protocol/scenarios.py": "the list",
    "backend/weighhouse_backend/scenarios/planners.py": "what each asks",
    "cli/weighhouse_cli/templates.py": "a first file of each",
}
"""Who else may name several."""


def test_nobody_else_lists_scenarios() -> None:
    names = {*SEARCHES, *COURSES, *PARTS}
    found = {
        str(path.relative_to(REPOSITORY))
        for part in PYTHON
        for path in sorted((REPOSITORY / part).rglob("*.py"))
        if any(listed_in_python(path.read_text(encoding="utf-8"), names))
    }
    assert found == set(MAY), "go through `weighhouse_protocol.scenarios`"


@pytest.mark.parametrize("name", PARTS)
def test_each_floor_has_a_module_for_it(name: str) -> None:
    assert (REPOSITORY / f"judging/weighhouse_judging/scenarios/{name}.py").exists()
