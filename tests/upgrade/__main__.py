"""`python -m upgrade [--from COMMIT]`, from the folder `tests`: what `make upgrade` runs.

The former release invents some campaigns and measures one; it is stopped, and this release is
started on the same directory. All that the former told, this one must tell the same, and the same
agent must go on measuring.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import httpx
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.experiments import small_experiment

from upgrade.releases import Serving, former, present, say
from upgrade.telling import Told, deliberate, differences, kind_of, listen, lists

BEFORE_TENANTS_HAD_ROLES = "6f077f7"
"""The last commit whose database login owned its tables."""
MEASURED_WITHIN = 600.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Upgrade, compare, tell; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="commit", default=BEFORE_TENANTS_HAD_ROLES)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="weighhouse-upgrade-") as name:
        work = Path(name)
        work.chmod(0o711)
        data, port = work / "data", free_port()
        with former(chosen.commit, work) as release:
            say("inventing campaigns with the former release")
            place = ("--data-dir", str(data), "--port", str(port))
            release.call("dev", "seed", "--scale", "small", "--once", *place)
            with release.up(data, port) as platform:
                measure(platform, "measured-before")
                before = settled(platform)
                agents = agents_of(platform)
        say(f"{len(before)} addresses told; starting this release on the same directory")
        with present().up(data, port) as platform:
            after = listen(platform)
            same = agents_of(platform) == agents
            measure(platform, "measured-after")
    return tell(chosen.commit, before, after, same)


def measure(platform: Serving, slug: str) -> None:
    """A campaign on a real Redis, by the platform's own agent.

    :raises SystemExit: when it does not complete.
    """
    made = platform.send("/experiments", {"yaml": small_experiment(slug)})
    started = platform.send("/campaigns", {"experiment_id": made["id"]})
    ends = time.monotonic() + MEASURED_WITHIN
    status = ""
    while status not in {"completed", "failed", "cancelled"} and time.monotonic() < ends:
        time.sleep(1)
        status = platform.ask(f"/campaigns/{started['id']}").json()["status"]
    if status != "completed":
        raise SystemExit(f"the campaign {slug} did not complete: {status}")
    say(f"{slug}: completed")


def settled(platform: Serving) -> Told:
    """What it tells when nothing is judged any more."""
    told = lists(platform)
    while list(differences(told, again := lists(platform))):
        told = again
    return listen(platform)


def agents_of(platform: Serving) -> set[str]:
    """Who measures there."""
    return {one["id"] for one in platform.ask("/agents").raise_for_status().json()["items"]}


def tell(commit: str, before: Told, after: Told, same: bool) -> int:
    """The differences, and their number as JSON on the last line."""
    every = list(differences(before, after))
    found = [one for one in every if deliberate(one) is None]
    reasons = Counter(why for one in every if (why := deliberate(one)) is not None)
    for why, times in reasons.items():
        say(f"{times} times on purpose: {why}")
    kinds: dict[str, list[str]] = {}
    for one in found:
        kinds.setdefault(kind_of(one), []).append(one)
    for alike in sorted(kinds.values(), key=len, reverse=True):
        say(f"{len(alike)} times, for example {alike[0]}")
    result = {
        "from": commit,
        "addresses": len(before),
        "differences": len(found),
        "kinds": len(kinds),
        "on_purpose": sum(reasons.values()),
        "agents_go_on": same,
    }
    print(json.dumps(result))
    return 1 if found or not same else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (subprocess.SubprocessError, httpx.HTTPError) as error:
        sys.exit(f"{error!r}")
