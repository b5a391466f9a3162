"""Says which systems the tests of a run were on, and which were not on this machine."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

UNKNOWN = "unknown"
"""Version of a system that a test did not learn."""


def lines(records: Iterable[Path]) -> Iterator[str]:
    """A line of the systems that tests ran on, with versions and numbers of tests, and a line for
    each that was not here.

    :param records: what suites noted (`--exercised`); one that is not there noted nothing.
    """
    told = [json.loads(path.read_bytes()) for path in records if path.exists()]
    ran: dict[str, int] = defaultdict(int)
    versions: dict[str, set[str]] = defaultdict(set)
    for each in (one for record in told for one in record["exercised"] if not one["stand_in"]):
        ran[each["plugin"]] += each["tests"]
        versions[each["plugin"]] |= {each["version"]} - {UNKNOWN}
    if ran:
        words = [
            f"{' '.join([name, *sorted(versions[name])])} ({ran[name]} tests)"
            for name in sorted(ran)
        ]
        yield f"systems that tests ran on: {', '.join(words)}"
    left_out: Iterable[dict[str, Any]] = (one for record in told for one in record["not_run"])
    for each in left_out:
        yield f"not run: {each['tests']} tests of {each['plugin']}: {each['reason']}"
