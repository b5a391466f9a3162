"""`python -m api_fuzz [--examples N] [--hostile N] [--total N] [--seed S] [--only PART …]`: what
`make fuzz-api` runs.
"""

import argparse
import json
import math
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.servers import postgres, redis
from weighhouse_cli.embedded.supervisor import Supervisor
from weighhouse_testing.clusters import OWNER_PASSWORD, lay_cluster

from api_fuzz.asking import Account
from api_fuzz.doors import DOORS
from api_fuzz.enemies import Enemy
from api_fuzz.running import examine, operations_of, say
from api_fuzz.world import World, world


def main() -> int:
    """Start servers of its own, ask, tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=200, help="of each operation")
    parser.add_argument("--hostile", type=int, default=None, help="at the doors of agents")
    parser.add_argument(
        "--total", type=int, default=None,
        help="of both together, half and half, in place of the two above",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
    say(f"seed {seed}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weighhouse-fuzz-") as name:
        directory = Path(name)
        directory.chmod(0o711)
        supervisor = Supervisor()
        try:
            lay_cluster(data := directory / "postgresql")
            base = postgres(data, directory, directory, free_port(), OWNER_PASSWORD, durable=False)
            supervisor.start(base.plan)
            broker = redis(directory / "redis", directory, directory, free_port(), "not-a-secret")
            supervisor.start(broker.plan)
            with world(base.url, broker.url, directory) as there:
                each, hostile = _shares(arguments, there)
                account = Account()
                try:
                    Enemy.of(there, account, seed).ask(hostile)
                    examine(there, each, seed, arguments.only, account)
                except KeyboardInterrupt:
                    say("interrupted: what follows is of what was asked by then")
            said = (directory / "backend.log").read_text(errors="replace")
        finally:
            supervisor.stop()
    show(account)
    unhandled = [line for line in said.splitlines() if "unhandled" in line]
    faults = len(unhandled)
    if unhandled:
        say(f"the backend's log says, for one:\n{unhandled[0]}")
    processor = sorted(account.processor) or [0]
    result = {
        "seed": seed,
        "operations": len({call.rpartition(" ")[0] for call in account.examples}),
        "examples": sum(account.examples.values()),
        "examples_each": each,
        "examples_hostile": hostile,
        "requests": account.requests,
        "seconds": round(time.monotonic() - began),
        "statuses": {
            identity: {str(status): count for status, count in sorted(counted.items())}
            for identity, counted in account.statuses.items()
        },
        "answered_5xx": sum(
            count
            for counted in account.statuses.values()
            for status, count in counted.items()
            if status >= 500
        ),
        "refused": len(account.processor),
        "refused_p99_ms": processor[len(processor) * 99 // 100 - 1] / 1000,
        "refused_longest_ms": processor[-1] / 1000,
        "refused_over_100_ms": sum(found.count for found in account.slow.values()),
        "valid_refused": dict(account.refused.most_common()),
        "unhandled_in_log": faults,
        "findings": len(account.findings),
    }
    print(json.dumps(result))
    return 1 if account.findings or account.slow or faults else 0


def _shares(arguments: argparse.Namespace, there: World) -> tuple[int, int]:
    """Examples of each operation, and hostile ones."""
    each = arguments.examples
    chosen = len(operations_of(there, arguments.only))
    if arguments.total is not None:
        half = math.ceil(arguments.total / 2)
        return math.ceil(half / chosen), half
    if arguments.hostile is not None:
        return each, arguments.hostile
    return each, 0 if arguments.only else each * len(DOORS)


def show(account: Account) -> None:
    """The table of findings, and what valid requests were refused for."""
    console = Console(stderr=True, width=160)
    for call, reasons in account.reasons.items():
        told, count = reasons.most_common(1)[0]
        console.print(f"valid, and refused: {call} ({account.refused[call]}): {count} x {told}",
                      markup=False, highlight=False)  # fmt: skip
    table = Table("call", "what", "times", "as", "detail", title="findings")
    for found in (*account.findings.values(), *account.slow.values()):
        table.add_row(
            found.call, found.what, str(found.count), ", ".join(sorted(found.identities)),
            f"{found.detail}\n{found.repeat}",
        )  # fmt: skip
    if account.findings or account.slow:
        console.print(table)
    else:
        console.print("no findings")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.SubprocessError as error:
        sys.exit(str(error))
