"""`python -m bench_tenants [--only ATTACK …]`, from the folder `tests`: what `make bench-tenants`
runs. The last line is JSON; the goal is a ratio under 1.5 for every attack.
"""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions
from weighhouse_testing.bench_fleet import percentile

from bench_tenants.attacks import ATTACKS
from bench_tenants.machines import Tenant, founded, shown_to_everybody, weighed
from bench_tenants.neighbour import Neighbour, Taken

GOAL = 1.5
REPETITIONS, RUN_SECONDS = 3, 20
CALM_SECONDS = 2.0
WARM_SECONDS = 5.0


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


@dataclass
class Beside:
    """What was seen of one attack."""

    alone: Taken = field(default_factory=Taken)
    attacked: Taken = field(default_factory=Taken)
    answers: Counter[str] = field(default_factory=Counter)
    longest_seconds: float = 0.0
    reached: int = 0
    processor_seconds: dict[str, float] = field(default_factory=lambda: {"alone": 0, "attacked": 0})
    """Of the backend, over all blocks of a kind."""
    resident_megabytes: int = 0
    """The most that the backend took while it was attacked."""

    def figures(self) -> dict[str, Any]:
        """For the last line."""
        alone, attacked = (percentile(one.seconds, 0.95) for one in (self.alone, self.attacked))
        return {
            "p95_ms_alone": round(1000 * alone, 1),
            "p95_ms_attacked": round(1000 * attacked, 1),
            "ratio": round(attacked / alone, 2),
            "median_ratio": round(
                percentile(self.attacked.seconds, 0.5) / percentile(self.alone.seconds, 0.5), 2
            ),
            "longest_ms_attacked": round(1000 * max(self.attacked.seconds)),
            "requests": len(self.attacked.seconds),
            "refused": self.alone.refused + self.attacked.refused,
            "answers_to_attack": dict(sorted(self.answers.items())),
            "longest_answer_to_attack_seconds": self.longest_seconds,
            "reached": self.reached,
            "backend_seconds_alone": round(self.processor_seconds["alone"], 1),
            "backend_seconds_attacked": round(self.processor_seconds["attacked"], 1),
            "backend_megabytes": self.resident_megabytes,
        }


@dataclass
class Bench:
    """One platform, the neighbour, and the wrongdoer."""

    platform: Platform
    neighbour: Neighbour
    wrongdoer: Tenant
    seconds: float
    blocks: int

    async def beside(self, attack: str) -> Beside:
        """Alone and attacked by turns."""
        seen = Beside()
        for _ in range(self.blocks):
            await self._block(seen, None)
            await self._block(seen, attack)
        return seen

    async def _block(self, seen: Beside, attack: str | None) -> None:
        await self._calm()
        kind, into = ("alone", seen.alone) if attack is None else ("attacked", seen.attacked)
        process = None if attack is None else await self._attack(attack)
        backend = self._backend()
        before = _processor(backend)
        watching = asyncio.create_task(_watch_memory(backend, seen, attack))
        taken = await self.neighbour.ask(self.seconds)
        watching.cancel()
        seen.processor_seconds[kind] += _processor(backend) - before
        into.seconds += taken.seconds
        into.refused += taken.refused
        for name, values in taken.by_kind.items():
            into.by_kind[name] += values
        if process is not None:
            assert process.stdout is not None
            told = json.loads(await process.stdout.readline())
            await process.wait()
            seen.answers.update(told["answers"])
            seen.longest_seconds = max(seen.longest_seconds, told["longest_seconds"])
            seen.reached += told["reached"]

    async def _attack(self, name: str) -> asyncio.subprocess.Process:
        """Have the wrongdoer's program begin; it is at work when this ends."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench_tenants.attacking",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        order = {"tenant": asdict(self.wrongdoer), "attack": name, "seconds": self.seconds}
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(order).encode() + b"\n")
        await process.stdin.drain()
        if not await process.stdout.readline():
            raise SystemExit(f"the attack {name} ended before it began")
        return process

    async def _calm(self) -> None:
        """Until the platform answers as it did: what the block before left is over."""
        connection = self.neighbour.tenant.connection()
        deadline = time.monotonic() + 300
        calm = 0
        while calm < CALM_SECONDS * 10:
            begun = time.monotonic()
            if begun > deadline:
                say("  not calm after 300 s")
                break
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await connection.send("GET", "/health", "")
            calm = calm + 1 if time.monotonic() - begun < 0.1 else 0
            await asyncio.sleep(0.1)
        connection.close()

    def _backend(self) -> psutil.Process:
        process = self.platform.supervisor.part("backend").process
        assert process is not None
        return psutil.Process(process.pid)


async def _watch_memory(process: psutil.Process, seen: Beside, attack: str | None) -> None:
    while attack is not None:
        with contextlib.suppress(psutil.Error):
            now = process.memory_info().rss >> 20
            seen.resident_megabytes = max(seen.resident_megabytes, now)
        await asyncio.sleep(0.2)


def _processor(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        times = process.cpu_times()
        return float(times.user + times.system)
    return 0.0


async def measure(platform: Platform, options: argparse.Namespace) -> dict[str, Any]:
    """All attacks that are asked for."""
    known = platform.credentials
    host, port = "127.0.0.1", platform.options.port
    neighbour = Tenant(host, port, "neighbour", known["api_token"], known["api_token"])
    campaign = await weighed(neighbour, REPETITIONS, RUN_SECONDS)
    asking = await Neighbour.settled(neighbour, campaign, options.rate)
    wrongdoer = founded(platform.url, known["email"], known["password"], "wrongdoer")
    shared = shown_to_everybody(platform.url, known["api_token"], campaign)
    wrongdoer = replace(wrongdoer, shared=shared)
    bench = Bench(platform, asking, wrongdoer, options.seconds, options.blocks)
    await asking.ask(WARM_SECONDS)
    found: dict[str, Any] = {}
    for name in options.only or ATTACKS:
        found[name] = (await bench.beside(name)).figures()
        say(f"{name}: {json.dumps(found[name])}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and close with one line of JSON; 0 when every attack is under the goal."""
    parser = argparse.ArgumentParser(prog="bench_tenants", description=__doc__)
    parser.add_argument("--only", nargs="*", choices=list(ATTACKS), default=[])
    parser.add_argument("--seconds", type=float, default=15.0, help="of each block")
    parser.add_argument("--blocks", type=int, default=4, help="of each kind, by turns")
    parser.add_argument(
        "--rate", type=float, default=10.0, help="the neighbour's requests a second"
    )
    options = parser.parse_args(arguments)
    path = Path(tempfile.mkdtemp(prefix="weighhouse-tenants-"))
    begun = time.monotonic()
    try:
        chosen = PlatformOptions(
            directory=path,
            port=free_port(),
            agent=False,
            settings={"WEIGHHOUSE_PUBLIC_PAGE": "true"},
        )
        with Platform(chosen) as platform:
            found = asyncio.run(measure(platform, options))
    finally:
        shutil.rmtree(path, ignore_errors=True)
    worst = max((one["ratio"] for name, one in found.items() if name != "ordinary"), default=0.0)
    result = {
        "goal": GOAL,
        "worst_ratio": worst,
        "attacks": found,
        "processors": os.cpu_count(),
        "seconds": round(time.monotonic() - begun),
    }
    print(json.dumps(result))
    return 0 if worst < GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
