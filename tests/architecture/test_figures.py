"""Figures are listed in the catalogue and nowhere else, and the primary one is decided there."""

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_testing.tree import REPOSITORY

NAMES = {figure.name for figure in CATALOGUE}
PYTHON = (
    "judging/weighhouse_judging",
    "backend/weighhouse_backend",
    "worker/weighhouse_worker",
    "cli/weighhouse_cli",
    "agent/weighhouse_agent",
    "protocol/weighhouse_protocol",
)
PAGES = "frontend/src"

MAY: dict[str, str] = {
    "protocol/weighhouse_protocol/figures.py": "the catalogue",
    "backend/weighhouse_backend/results/sources.py": "how each is worked out",
    "backend/weighhouse_backend/results/settlement.py": "the columns of a summary",
    "backend/weighhouse_backend/results/fill.py": "what is drawn of a fill",
    "backend/weighhouse_backend/results/scenario_schemas.py": "what a soak is read by",
    "judging/weighhouse_judging/bench/calibration.py": "a bench that gives two of them",
    "judging/weighhouse_judging/bench/papers.py": "a bench of texts that print four of them",
    "judging/weighhouse_judging/bench/scenarios.py": "a bench that gives three of them",
    "cli/weighhouse_cli/courses.py": "the columns of a fill's table",
    "cli/weighhouse_cli/faults.py": "the columns of a fault's table",
    "frontend/src/api/figures.ts": "the catalogue, generated",
    "frontend/src/charts/palette.ts": "how lines of percentiles are drawn",
    "frontend/src/features/runs/RunFigures.vue": "the columns of an operation's table",
    "frontend/src/features/runs/RunFill.vue": "the lines of a fill",
    "frontend/src/features/runs/RunsBeside.vue": "the lines of a run's course",
    "frontend/src/features/runs/faults.ts": "the columns of a fault's table",
}
"""Who else lists some, and what of: none of them is a list of all figures there are."""


def listed_in_python(text: str, names: Collection[str] = NAMES) -> Iterator[str]:
    """Collections and conditions that name two figures or more, as `line: names`."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                said = parts
            case ast.Dict(keys=keys, values=values):
                said = [key for key in keys if key is not None] + values
            case ast.IfExp(body=body, orelse=other):
                said = [body, other]
            case _:
                continue
        named = {one.value for one in said if isinstance(one, ast.Constant)} & {*names}
        if len(named) > 1:
            yield f"{node.lineno}: {', '.join(sorted(named))}"


def listed_in_pages(text: str) -> Iterator[str]:
    """The same of TypeScript: brackets, braces, and the two ends of a condition."""
    spans = r"\[[^\[\]]*\]|\{[^{}]*\}|\?[^?\n]*:[^\n]*"
    for found in re.finditer(spans, text):
        named = set(re.findall(r"'(\w+)'|\b(\w+): \{", found[0]))
        flat = {name for pair in named for name in pair} & NAMES
        if len(flat) > 1:
            line = text.count("\n", 0, found.start()) + 1
            yield f"{line}: {', '.join(sorted(flat))}"


def files() -> list[Path]:
    found = [one for part in PYTHON for one in sorted((REPOSITORY / part).rglob("*.py"))]
    pages = [*(REPOSITORY / PAGES).rglob("*.ts"), *(REPOSITORY / PAGES).rglob("*.vue")]
    return found + [
        one for one in sorted(pages) if ".spec." not in one.name and one.name != "schema.d.ts"
    ]


def lists_of(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return list(listed_in_python(text) if path.suffix == ".py" else listed_in_pages(text))


def test_nobody_lists_figures_but_the_catalogue() -> None:
    found = {str(one.relative_to(REPOSITORY)): lists for one in files() if (lists := lists_of(one))}
    assert {name: lists for name, lists in found.items() if name not in MAY} == {}, (
        "go through `weighhouse_protocol.figures.CATALOGUE`, or `IN_ORDER` in the pages"
    )
    assert (
        set(MAY)
        - found.keys()
        - {"protocol/weighhouse_protocol/figures.py"}
        - {"frontend/src/api/figures.ts"}
        == set()
    ), "these list none any more: take them out of MAY"


def test_each_is_documented() -> None:
    text = (REPOSITORY / "docs" / "comparing.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    for figure in CATALOGUE:
        judged = f"{100 * figure.threshold:g} %" if figure.is_judged else ""
        watched = "yes" if figure.in_series else ""
        row = [f"{figure.label}: {figure.note}", figure.unit, figure.statistic, judged, watched]
        said = [cell.strip() for cell in rows.get(figure.name, "").split("|")[2:-1]]
        assert said == row, figure.name


@pytest.mark.parametrize(
    "text",
    [
        'SHOWN = ("throughput", "p99_us")',
        'metric = "throughput" if closed else "p99_us"',
        'KNOWN = {"p50_us": 1, "p99_us": 2}',
    ],
)
def test_a_list_is_seen(text: str) -> None:
    assert list(listed_in_python(text))


@pytest.mark.parametrize(
    "text",
    ["const A = ['throughput', 'p99_us']", "closed ? 'throughput' : 'p99_us'"],
)
def test_a_list_of_the_pages_is_seen(text: str) -> None:
    assert list(listed_in_pages(text))
