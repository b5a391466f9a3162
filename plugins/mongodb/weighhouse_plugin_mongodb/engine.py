"""What is said to WiredTiger itself, in its own words, given to the server as one text.

Sources: the section "Cache and eviction tuning" of WiredTiger's documentation and its release
11.3.1 (`dist/api_data.py`) for bounds and defaults; for the four threads what MongoDB's servers
write into their logs when they open it, `eviction=(threads_min=4,threads_max=4)`; read on
2026-11-24. The words were tried on the engine as Debian has it (3.2.1), without MongoDB around it.
"""

import re
from collections.abc import Mapping
from typing import Any

from weighhouse_protocol.base import Scalar

TOLD_AS = "storage.wiredTiger.engineConfig.configString"
"""Where the server tells the text that it was given."""
PART = re.compile(r"([a-z_]+)=(\([^)]*\)|[^,]*)")


def text(parameters: Mapping[str, Scalar], schemas: Mapping[str, dict[str, Any]]) -> str:
    """What the experiment ordered of the engine; empty: nothing."""
    return ",".join(
        str(schemas[name]["x-engine"]).format(value)
        for name, value in sorted(parameters.items())
        if "x-engine" in schemas[name]
    )


def told(configuration: str) -> dict[str, str]:
    """Settings by name out of such a text; of the threads their number, as `eviction.threads`."""
    found = {}
    for name, value in PART.findall(configuration):
        if name != "eviction":
            found[name] = value
        elif threads := re.search(r"threads_max=(\d+)", value):
            found["eviction.threads"] = threads.group(1)
    return found
