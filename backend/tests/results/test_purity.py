"""The pure modules stay pure: no database, no web, no clock, so that a notebook can use them."""

import ast
from pathlib import Path

import pytest
import weighhouse_backend.campaigns
import weighhouse_backend.notices
import weighhouse_backend.results

RESULTS = Path(weighhouse_backend.results.__file__).parent
CAMPAIGNS = Path(weighhouse_backend.campaigns.__file__).parent
NOTICES = Path(weighhouse_backend.notices.__file__).parent
PURE = [
    *(RESULTS / f"{name}.py" for name in (
        "packing", "summaries", "points", "arrivals", "charts", "levels", "sample_levels",
        "aligning", "faults", "fault_marks", "fault_schemas", "chains",
    )),
    CAMPAIGNS / "instants.py",
    *(NOTICES / f"{name}.py" for name in ("kinds", "messages", "timing")),
]  # fmt: skip
ALLOWED = {
    "abc", "base64", "binascii", "bisect", "collections", "dataclasses", "datetime", "functools",
    "enum", "itertools", "math", "numpy", "pydantic", "scipy", "statistics", "struct", "typing",
    "zlib", "zoneinfo",
    "uuid", "weighhouse_protocol", "weighhouse_backend", "weighhouse_judging",
}  # fmt: skip


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.stem)
def test_a_pure_module_imports_only_what_is_pure(path):
    names = {other.stem for other in PURE}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        for module in modules:
            assert module.split(".")[0] in ALLOWED, module
            if module.startswith("weighhouse_backend") and module.count(".") > 1:
                assert module.split(".")[2] in names, module
