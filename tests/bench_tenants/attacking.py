"""The wrongdoer's program: an attack as JSON on standard input; `"began"`, and at its end what
became of it, on standard output.
"""

import asyncio
import json
import os
import sys

from bench_tenants.attacks import carry_out
from bench_tenants.machines import Tenant

BEHIND = 5
"""Its own work would be done on another machine: here the platform's comes before it."""


def main() -> int:
    """Attack, and tell."""
    os.nice(BEHIND)
    order = json.loads(sys.stdin.readline())
    who = asyncio.run(carry_out(Tenant(**order["tenant"]), order["attack"], order["seconds"]))
    told = {
        "answers": dict(sorted(who.statuses.items())),
        "longest_seconds": round(who.longest_seconds, 3),
        "reached": who.reached,
    }
    print(json.dumps(told), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
