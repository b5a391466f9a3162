"""What has ended by itself, why, and what is kept of what it wrote."""

import sys
from contextlib import suppress

from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import SystemFailed
from weighhouse_sdk.kept_files import keep_files
from weighhouse_sdk.lifecycle import Deployed, Plugin
from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.machine.remains import Leftover

END_GRACE_SECONDS = 0.3
"""A server that broke its connections may take so long until its end is seen."""


def system_ended(process: Body) -> SystemFailed:
    """A process of the system that ended by itself, as the run's failure."""
    code = process.exit_code
    reason = process.reason()
    how = f"by signal {-code}" if code is not None and code < 0 else f"with status {code}"
    return SystemFailed(
        f"{process.name} ended {how} during the run" + (f": {reason}" if reason else ""),
        "its own log tells why; signal 9 often means that memory ran out",
        process.log_tail(),
    )


def keep_what_they_wrote(plugin: Plugin, context: Context) -> tuple[Leftover, ...]:
    """End what still runs, and keep the files of tool and system; the attempt's log names what is
    not kept. Whatever the matter is with them, what comes after it is done.

    :returns: what still ran.
    :raises DeployFailed: when something would not go; then nothing is kept.
    """
    ended = context.remove_leftovers()
    try:
        missing = [f"{each.name}: {each.reason}" for each in keep_files(context, plugin.kept_files)]
    except Exception as error:  # noqa: BLE001 - as above
        missing = [f"files: {error!r}"]
    with suppress(OSError):  # the disk may be full
        for each in missing:
            print(f"not kept: {each}", file=sys.stderr, flush=True)  # noqa: T201 - its log
    return ended


def ended_one(deployed: Deployed | None, grace_seconds: float = 0.0) -> Body | None:
    """The first of the system's processes that has ended by itself; None when all run."""
    if deployed is None:
        return None
    for node in deployed.nodes:
        if not node.down:
            node.body.wait(grace_seconds)
    return deployed.ended_by_itself()
