"""Data directories that wait for a campaign's next run: `data: once` of systems in the driver.

`kept/SLOT/DIGEST/` below the agent's home is what a run of a campaign left of its records. The next
run of the same campaign, target and records in that slot begins with it: it is moved, never
copied, so that there is one of it, and whoever fails with it loads anew. It goes when a run of
another campaign begins in the slot, after `IDLE_SECONDS`, when the disk is short, and when the
agent starts.
"""

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.records import MADE_BY_LOADING
from weighhouse_sdk.clock import SystemClock

from weighhouse_agent.machine.home import Home, make_passable

US = 1_000_000
IDLE_SECONDS = 1800.0
"""After which nobody is expected to come for it."""
OF_PEOPLE = {"name", "label"}
"""Of a target, what says nothing of its data."""


@dataclass(frozen=True)
class KeptData:
    """Where the records of one target wait for one campaign, in one slot."""

    place: Path

    def take(self, directory: Path) -> bool:
        """Move what waits into the place of a directory.

        :returns: False when nothing waits, or its disk is another; then nothing has changed.
        """
        if not self.place.is_dir():
            return False
        shutil.rmtree(directory, ignore_errors=True)
        try:
            self.place.rename(directory)
        except OSError:
            directory.mkdir(exist_ok=True)
            return False
        return True

    def keep(self, directory: Path) -> None:
        """Let a directory wait here; where it cannot, it stays where it is."""
        make_passable(self.place.parent)
        shutil.rmtree(self.place, ignore_errors=True)
        try:
            directory.rename(self.place)
            os.utime(self.place)
        except OSError:
            return


def kept_for(home: Home, order: AttemptOrder) -> KeptData | None:
    """Where an order's records wait; what other campaigns left in its slot is removed.

    :returns: None for whoever shares none.
    """
    slot, campaign = home.kept_directory / order.slot, str(order.campaign_id)
    for each in slot.iterdir() if slot.is_dir() else ():
        if not each.name.startswith(campaign):
            _remove(each)
    if order.target.data != "once" or order.target.deployment != "in_process":
        return None
    said = {
        "target": order.target.model_dump(mode="json", exclude=OF_PEOPLE),
        "records": order.workload.model_dump(mode="json", include=set(MADE_BY_LOADING)),
        "manifest": order.manifest_digest,
    }
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]
    return KeptData(slot / f"{campaign}-{digest}")


def forget(home: Home, *, older_than_seconds: float = 0.0) -> None:
    """Remove what waits on this machine longer than so many seconds. Idempotent."""
    before = SystemClock().now_us() / US - older_than_seconds
    for each in home.kept_directory.glob("*/*"):
        try:
            old = each.stat().st_mtime <= before
        except FileNotFoundError:
            continue
        if old:
            _remove(each)


def _remove(directory: Path) -> None:
    """Out of its name first, so that nobody takes half of it."""
    gone = directory.with_name(f".{directory.name}")
    try:
        directory.rename(gone)
    except OSError:
        return
    shutil.rmtree(gone, ignore_errors=True)
