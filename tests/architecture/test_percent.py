"""People read percentages in one form, which one module writes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from weighhouse_testing.tree import REPOSITORY

WRITES = "protocol/weighhouse_protocol/percent.py"
PARTS = ("judging", "backend", "worker", "cli", "agent", "protocol", "plugins")
OTHERS_READ = {
    "weighhouse_judging/bench": "tables of benchmarks",
    "/tests/": "tests",
    "machine/network/network_faults.py": "arguments of tc",
}


def written_by_hand(text: str) -> Iterator[int]:
    """Lines of f-strings that write a number and its per cent themselves."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.JoinedStr):
            continue
        for part, after in zip(node.values, [*node.values[1:], None], strict=True):
            if not isinstance(part, ast.FormattedValue) or part.format_spec is None:
                continue
            spec = ast.unparse(part.format_spec).strip("f'\"")
            follows = after.value if isinstance(after, ast.Constant) else ""
            if spec.endswith("%") or re.match(r"\s?%", str(follows)):
                yield part.lineno


def test_what_is_written_by_hand_is_seen() -> None:
    lines = 'a = f"by {x:+.1%}"\nb = f"{x:.1f} % of it"\nc = f"%{x}%"\nd = f"{percent(x)} %"\n'
    assert list(written_by_hand(lines)) == [1, 2]


def test_one_module_writes_percentages() -> None:
    found = [
        f"{name}:{line}"
        for part in PARTS
        for path in sorted((REPOSITORY / part).rglob("*.py"))
        if (name := Path(path).relative_to(REPOSITORY).as_posix()) != WRITES
        and not any(one in f"/{name}" for one in OTHERS_READ)
        for line in written_by_hand(path.read_text())
    ]
    assert not found, f"write these with weighhouse_protocol.percent: {found}"
