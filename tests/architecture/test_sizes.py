"""Files stay small enough to be read in one sitting."""

import re
from pathlib import Path

from weighhouse_testing.tree import text_of, tracked

LIMITS = {".py": 400, ".ts": 400, ".rs": 600, ".vue": 250}
LONGER: dict[str, tuple[int, str]] = {}
"""A higher limit for one file stands here: lines, and the reason."""
GENERATED = re.compile(r"^migrations/versions/")


def test_files_stay_within_the_house_sizes():
    too_long = []
    for name in tracked(*LIMITS):
        if GENERATED.search(name):
            continue
        limit = LONGER.get(name, (LIMITS[Path(name).suffix], ""))[0]
        if (lines := text_of(name).count("\n")) > limit:
            too_long.append(f"{name}: {lines} lines, limit {limit}")
    assert not too_long, "\n".join(too_long)


def test_every_longer_file_is_there_and_has_a_reason():
    for name, (limit, reason) in LONGER.items():
        assert limit > LIMITS[Path(name).suffix], name
        assert reason, name
        assert name in tracked(), name
