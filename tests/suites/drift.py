"""Whether generated files are as they would be written now: `python -m suites.drift`.

Ends with 1, and a few lines of each difference, where one is not.
"""

import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

from weighhouse_testing.tree import REPOSITORY

LINES_SHOWN = 12


def generate(work: Path) -> dict[str, Path]:
    """Write all generated files anew.

    :param work: an empty directory for them.
    :returns: where each file of the repository has its new one, folders file by file.
    :raises subprocess.CalledProcessError: when one cannot be made; it has said why.
    """
    schemas, document = work / "schemas", work / "openapi.json"
    shipped = work / "shipped.json"
    python, frontend = sys.executable, REPOSITORY / "frontend"
    _run([python, "-m", "weighhouse_protocol.schema", str(schemas)])
    _run([python, "-m", "weighhouse_backend.app.openapi", str(document)])
    _run([python, "-m", "weighhouse_testing.shipped", str(shipped)])
    _run(["node", "figures.js", str(document), str(work / "figures.ts")], frontend)
    experiment = str(schemas / "experiment.schema.json")
    _run(["node", "defaults.js", experiment, str(work / "unlessSaid.ts")], frontend)
    names = {path.name for path in (REPOSITORY / "protocol/schemas").iterdir()}
    names |= {path.name for path in schemas.iterdir()}
    return {
        **{f"protocol/schemas/{name}": schemas / name for name in sorted(names)},
        "backend/weighhouse_backend/catalog/shipped.json": shipped,
        "frontend/openapi.json": document,
        "frontend/src/api/figures.ts": work / "figures.ts",
        "frontend/src/api/unlessSaid.ts": work / "unlessSaid.ts",
    }


def _run(command: list[str], directory: Path = REPOSITORY) -> None:
    subprocess.run(command, cwd=directory, check=True, stdout=subprocess.DEVNULL)


def differences(kept: Path, made: Path, name: str) -> list[str]:
    """The first lines in which two files differ; none: they are alike.

    :param name: of the file, as the differences call it.
    """
    before, after = (
        path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for path in (kept, made)
    )
    found = difflib.unified_diff(before, after, name, f"{name}, written now", lineterm="", n=1)
    lines = [line for line, _ in zip(found, range(LINES_SHOWN + 1), strict=False)]
    return [*lines[:LINES_SHOWN], "…"] if len(lines) > LINES_SHOWN else lines


def main() -> int:
    """Compare all; the exit status."""
    with tempfile.TemporaryDirectory() as work:
        found = [
            line
            for name, made in generate(Path(work)).items()
            for line in differences(REPOSITORY / name, made, name)
        ]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
