"""No pattern of somebody else's reaches an engine that goes back, and no end lets a newline in.

Python's own engine may take time that doubles with each letter, and its `$` holds before a newline
at the end. Patterns that plugins bring are read by `weighhouse_protocol.patterns`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = (
    "protocol/weighhouse_protocol", "backend/weighhouse_backend", "worker/weighhouse_worker",
    "judging/weighhouse_judging", "agent/weighhouse_agent", "cli/weighhouse_cli",
    "plugins/sdk/weighhouse_sdk",
)  # fmt: skip
"""All but plugins, which read what their own system prints."""
OF_OTHERS = {
    ("backend/weighhouse_backend/sign_in/pipeline_claims.py", "fnmatch.translate"):
        "globs of a length that their schema bounds, of which each star gives nothing back",
    ("cli/weighhouse_cli/skeleton/lists.py", "pattern"): "the module's own, one call away",
}  # fmt: skip
"""File, and call that makes a pattern of what somebody else wrote → why that is bounded work."""
LINES = re.compile(r"MULTILINE|\bM\b")
CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
END = re.compile(r"(?<!\\)(?:\\\\)*\$")


def sources() -> Iterator[tuple[str, ast.Module]]:
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def calls(module: ast.Module) -> Iterator[ast.Call]:
    """Of `re`, with a pattern."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            whose = node.func.value
            if isinstance(whose, ast.Name) and whose.id == "re" and node.func.attr != "escape":
                yield node


def strange(pattern: ast.expr) -> str | None:
    """What of a pattern is not written in the module itself; None: nothing."""
    if isinstance(pattern, ast.Constant) or (
        isinstance(pattern, ast.Name) and pattern.id.isupper()
    ):
        return None
    inner: list[ast.expr] = []
    if isinstance(pattern, ast.JoinedStr):
        inner = [each.value for each in pattern.values if isinstance(each, ast.FormattedValue)]
    elif isinstance(pattern, ast.BinOp):
        inner = [pattern.left, pattern.right]
    elif not isinstance(pattern, ast.Call):
        return ast.unparse(pattern)
    elif ast.unparse(pattern.func) != "re.escape":
        return ast.unparse(pattern.func)
    return next((said for each in inner if (said := strange(each)) is not None), None)


def test_patterns_of_others_are_not_given_to_an_engine_that_goes_back() -> None:
    found = {
        (path, said)
        for path, module in sources()
        for call in calls(module)
        if (said := strange(call.args[0])) is not None
    }
    assert found == OF_OTHERS.keys()


def test_ends_are_ends() -> None:
    """`\\Z`, or `fullmatch`: `$` holds before a newline too."""
    found = [
        f"{path}:{call.lineno}"
        for path, module in sources()
        for call in calls(module)
        for each in ast.walk(call.args[0])
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
        if END.search(CLASS.sub("", each.value)) and not LINES.search(ast.unparse(call))
        if not each.value.startswith("(?m)")
    ]
    assert found == []


def test_nobody_holds_values_against_schemas_of_others() -> None:
    """A schema's engine fetches what it refers to; `weighhouse_protocol.parameters` does not."""
    names = {
        (path, name)
        for path, module in sources()
        for node in ast.walk(module)
        for name in imported(node)
        if name.partition(".")[0] in {"jsonschema", "jsonschema_rs", "fastjsonschema"}
    }
    assert names == set()


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


@pytest.mark.parametrize(
    ("pattern", "said"),
    [("r'a$'", None), ("PATTERN", None), ("f'{NAME}x'", None), ("re.escape(text)", None),
     ("schema['pattern']", "schema['pattern']"), ("pattern", "pattern"),
     ("f'^{given}$'", "given"), ("translate(glob)", "translate"), ("'a' + given", "given")],
)  # fmt: skip
def test_the_rule_knows_what_is_strange(pattern: str, said: str | None) -> None:
    assert strange(ast.parse(pattern, mode="eval").body) == said
