"""What is publicly known against parts of others; whoever cannot be asked is named, never taken for
one that knows nothing.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from supply.listing import REPOSITORY


@dataclass
class Answer:
    """What one source of advisories said."""

    asked: int = 0
    """Parts that it answered for."""
    unasked: int = 0
    """Parts that it did not; with `why`."""
    why: str = ""
    found: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether it answered for all parts."""
        return self.unasked == 0 and not self.why


def python() -> Answer:
    """Asks the Python Package Index, by pip-audit."""
    tool = Path(sys.executable).with_name("pip-audit")
    command = [
        str(tool), "--requirement", str(REPOSITORY / "requirements.lock"), "--no-deps",
        "--disable-pip", "--format", "json", "--progress-spinner", "off",
    ]  # fmt: skip
    return read_python(_ended(command))


def read_python(ended: subprocess.CompletedProcess[str]) -> Answer:
    """Reads pip-audit's answer."""
    told = _document(ended)
    if "dependencies" not in told:
        return Answer(why=_last_words(ended))
    answer = Answer()
    for one in told["dependencies"]:
        if "skip_reason" in one:
            answer.unasked += 1
            answer.why = one["skip_reason"]
            continue
        answer.asked += 1
        answer.found += [
            f"{one['name']} {one['version']}: {each['id']}"
            f" (mended in {', '.join(each['fix_versions']) or 'no version yet'})"
            for each in one["vulns"]
        ]
    return answer


def npm() -> Answer:
    """Asks npm's registry."""
    command = ["npm", "audit", "--json", "--package-lock-only"]
    return read_npm(_ended(command, REPOSITORY / "frontend"))


def read_npm(ended: subprocess.CompletedProcess[str]) -> Answer:
    """Reads npm's answer."""
    told = _document(ended)
    if "vulnerabilities" not in told:
        return Answer(why=str(told.get("message") or _last_words(ended)))
    return Answer(
        asked=int(told["metadata"]["dependencies"]["total"]),
        found=[
            f"{name} {one['range']}: {one['severity']}"
            for name, one in sorted(told["vulnerabilities"].items())
        ],
    )


def rust() -> Answer:
    """Asks RustSec's database, by cargo-audit where it is installed."""
    if shutil.which("cargo-audit") is None:
        return Answer(why="cargo-audit is not on this machine: `cargo install cargo-audit`")
    return read_rust(_ended(["cargo-audit", "audit", "--json"]))


def read_rust(ended: subprocess.CompletedProcess[str]) -> Answer:
    """Reads cargo-audit's answer."""
    told = _document(ended)
    if "vulnerabilities" not in told:
        return Answer(why=_last_words(ended))
    return Answer(
        asked=int(told["lockfile"]["dependency-count"]),
        found=[
            f"{one['package']['name']} {one['package']['version']}: {one['advisory']['id']}"
            for one in told["vulnerabilities"]["list"]
        ],
    )


SOURCES: Mapping[str, Callable[[], Answer]] = {"python": python, "npm": npm, "rust": rust}


def _ended(command: list[str], folder: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        missing = f"{command[0]} is missing: `make install` brings it"
        return subprocess.CompletedProcess(command, 127, "", missing)


def _document(ended: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    try:
        told = json.loads(ended.stdout)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _last_words(ended: subprocess.CompletedProcess[str]) -> str:
    lines = (ended.stderr or ended.stdout).strip().splitlines()
    return lines[-1] if lines else f"it ended with {ended.returncode} and says nothing"
