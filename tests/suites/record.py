"""What each run took, suite by suite, kept so that the next one can be held against it.

The files lie in the cache, newest last by name: `runs/2026-11-25T16-45-00.json`.
"""

import datetime
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

KEPT = 20
HELD_AGAINST = 5
"""Runs before this one, the median of which it is held against."""
NOISE = 1.25
"""How much more a suite may compute than the others did by the same measure, before it is said."""
NOISE_SECONDS = 5.0
"""What is less than this is not said, whatever its share."""


@dataclass(frozen=True, slots=True)
class Told:
    """One suite's run."""

    name: str
    passed: bool
    tests: int
    seconds: float
    """From its start to its end, while others ran beside it."""
    computed: float
    """Processor seconds of it and of all that it waited for, kernel included."""

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """Of a file's entry; what later versions add is left out."""
        return cls(*(document[name] for name in cls.__slots__))


def keep(
    folder: Path,
    told: Sequence[Told],
    seconds: float,
    commit: str,
    files: Mapping[str, float] | None = None,
) -> Path:
    """Write a run's file, and remove those beyond the newest `KEPT`.

    :param seconds: of the whole run.
    :param files: of tests → seconds of each.
    :param commit: of the tree that was tested.
    """
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.datetime.now(datetime.UTC)
    path = folder / f"{now:%Y-%m-%dT%H-%M-%S}.json"
    document = {
        "at": now.isoformat(timespec="seconds"),
        "commit": commit,
        "seconds": round(seconds, 1),
        "suites": [asdict(each) for each in told],
        "files": {name: round(took, 2) for name, took in sorted((files or {}).items())},
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    for old in sorted(folder.glob("*.json"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


def earlier(folder: Path) -> list[dict[str, Told]]:
    """Runs that were kept, newest last; a file that cannot be read is left out."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            suites = json.loads(path.read_text(encoding="utf-8"))["suites"]
            told = [Told.read(each) for each in suites]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        found.append({each.name: each for each in told})
    return found


def file_seconds(folder: Path) -> dict[str, float]:
    """File of tests → what it took in the last run that had it."""
    found: dict[str, float] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            found |= json.loads(path.read_text(encoding="utf-8")).get("files", {})
        except (OSError, ValueError, AttributeError):
            continue
    return found


def expected(runs: Sequence[Mapping[str, Told]], name: str) -> Told | None:
    """A suite as the last runs that were green had it, by the medians of what they took."""
    green = [run[name] for run in runs if name in run and run[name].passed][-HELD_AGAINST:]
    if not green:
        return None
    return Told(
        name, True, green[-1].tests,
        statistics.median(each.seconds for each in green),
        statistics.median(each.computed for each in green),
    )  # fmt: skip


def grown(runs: Sequence[Mapping[str, Told]], told: Sequence[Told]) -> list[str]:
    """What computes more than it did, or has fewer tests, in words.

    A machine computes half as fast at one hour as at another, and every suite with it. So each is
    held against its own past by how all others did against theirs: the median ratio is the hour's.
    """
    pairs = [(now, before) for now in told if (before := expected(runs, now.name)) is not None]
    ratios = [now.computed / before.computed for now, before in pairs if before.computed >= 1]
    hour = statistics.median(ratios) if ratios else 1.0
    found = []
    for now, before in pairs:
        usual = before.computed * hour
        if now.computed > usual * NOISE and now.computed - usual > NOISE_SECONDS:
            found.append(
                f"{now.name} computed {now.computed:.0f} s; by its last runs it would have been "
                f"{usual:.0f} s"
            )
        if now.tests < before.tests:
            found.append(f"{now.name} passed {now.tests} tests, {before.tests} in its last run")
    return found
