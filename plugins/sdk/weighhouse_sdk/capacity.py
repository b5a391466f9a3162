"""What this machine has at most, by the names that a manifest's requirements use."""

import math
import os
import resource

from weighhouse_protocol.target import Target


def capacity(
    target: Target | None = None, server_cpus: frozenset[int] | None = None
) -> dict[str, int]:
    """Memory in bytes, processors that a server may use, and files that one program may have open.

    This process's own affinity says nothing of a server: the agent keeps off what is measured.

    :param target: whose limits and deployment count; None: the machine as a whole.
    :param server_cpus: processors that servers are pinned to; None: all.
    """
    processors = len(server_cpus) if server_cpus else os.cpu_count() or 1
    if target is not None and target.limits.cpus is not None:
        processors = min(processors, math.ceil(target.limits.cpus))
    found = {
        "machine:memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "machine:processors": processors,
    }
    # A container has the engine's limit of open files, not this process's.
    if target is None or target.deployment != "docker":
        _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
        found["machine:open_files"] = files if files != resource.RLIM_INFINITY else 2**31 - 1
    return found
