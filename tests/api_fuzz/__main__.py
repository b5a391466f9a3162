"""`python -m api_fuzz [--examples N] [--seed S] [--only PART …]`: what `make fuzz-api` runs."""

import argparse
import json
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
from weighhouse_testing.fixtures import _apply_migrations

from api_fuzz.asking import Account
from api_fuzz.running import examine, say
from api_fuzz.world import world


def main() -> int:
    """Start servers of its own, ask, tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=200)
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
            base = postgres(
                directory / "postgresql", directory, directory, free_port(), "not-a-secret",
                durable=False,
            )  # fmt: skip
            supervisor.start(base.plan)
            broker = redis(directory / "redis", directory, directory, free_port(), "not-a-secret")
            supervisor.start(broker.plan)
            _apply_migrations(base.url)
            with world(base.url, broker.url, directory) as there:
                account = examine(there, arguments.examples, seed, arguments.only).account
            said = (directory / "backend.log").read_text(errors="replace")
        finally:
            supervisor.stop()
    show(account)
    unhandled = [line for line in said.splitlines() if "unhandled" in line]
    faults = len(unhandled)
    if unhandled:
        say(f"the backend's log says, for one:\n{unhandled[0]}")
    result = {
        "seed": seed,
        "operations": len({call.rpartition(" ")[0] for call in account.examples}),
        "examples_each": arguments.examples,
        "requests": account.requests,
        "seconds": round(time.monotonic() - began),
        "statuses": {
            identity: {str(status): count for status, count in sorted(counted.items())}
            for identity, counted in account.statuses.items()
        },
        "valid_refused": dict(account.refused.most_common()),
        "unhandled_in_log": faults,
        "findings": len(account.findings),
    }
    print(json.dumps(result))
    return 1 if account.findings or faults else 0


def show(account: Account) -> None:
    """The table of findings, and what valid requests were refused for."""
    console = Console(stderr=True, width=160)
    for call, reasons in account.reasons.items():
        told, count = reasons.most_common(1)[0]
        console.print(f"valid, and refused: {call} ({account.refused[call]}): {count} x {told}",
                      markup=False, highlight=False)  # fmt: skip
    table = Table("call", "what", "times", "as", "detail", title="findings")
    for found in account.findings.values():
        table.add_row(
            found.call, found.what, str(found.count), ", ".join(sorted(found.identities)),
            f"{found.detail}\n{found.repeat}",
        )  # fmt: skip
    if account.findings:
        console.print(table)
    else:
        console.print("no findings")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.SubprocessError as error:
        sys.exit(str(error))
