"""The pure modules stay pure: no database, no web, no clock, so that a notebook can use them."""

import ast
from pathlib import Path

import pytest
import weighhouse_backend

BACKEND = Path(weighhouse_backend.__file__).parent
PURE = [
    BACKEND / f"{name}.py" for name in (
        "measurements/packed_intervals", "measurements/summaries", "measurements/points",
        "measurements/arrivals", "measurements/charts", "measurements/levels",
        "measurements/sample_levels", "measurements/alignment", "faults/fault_course",
        "faults/marks", "faults/schemas", "results/chains", "runs/instants", "notices/kinds",
        "notices/messages", "notices/quiet_hours",
    )
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
