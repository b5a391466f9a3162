"""What has ended by itself, and why."""

from weighhouse_sdk.errors import SystemFailed
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.machine.nodes import Body

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


def ended_one(deployed: Deployed | None, grace_seconds: float = 0.0) -> Body | None:
    """The first of the system's processes that has ended by itself; None when all run."""
    if deployed is None:
        return None
    for node in deployed.nodes:
        if not node.down:
            node.body.wait(grace_seconds)
    return deployed.ended_by_itself()
