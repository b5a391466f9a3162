"""What this machine has at most, by the names that a manifest's requirements use."""

import os
import resource


def capacity() -> dict[str, int]:
    """Memory in bytes, processors that may be used, and files that one program may have open."""
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    return {
        "machine:memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "machine:processors": len(os.sched_getaffinity(0)),
        "machine:open_files": files if files != resource.RLIM_INFINITY else 2**31 - 1,
    }
