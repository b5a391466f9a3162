"""`python -m chaos [--rounds N] [--seed S] [--short]`, from the folder `tests`."""

import argparse
import contextlib
import json
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

from weighhouse_testing.agents import TestedAgent, agents_of
from weighhouse_testing.platform import SOON_GIVEN_UP, RunningPlatform, running_platform

from chaos.accounts import Account, settle
from chaos.disturbing import DISTURBANCES, Scene, small_disk
from chaos.experiments import experiment_of

NAMES = ("north", "east", "south")
ROUND_SECONDS = 420.0
"""A campaign that has not ended by then is stuck."""
SETTLING_SECONDS = 12.0
"""The first disturbance comes within so long after the campaign's start."""


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


def disturb(scene: Scene, count: int, over: threading.Event) -> None:
    """Do some things at random moments, several of them at once where they take a while."""
    threads = []
    for _ in range(count):
        if over.wait(scene.random.uniform(0.3, SETTLING_SECONDS)):
            break
        name = scene.random.choice(list(DISTURBANCES))

        def work(name: str = name) -> None:
            say(f"    {DISTURBANCES[name](scene)}")

        thread = threading.Thread(target=work, name=name, daemon=True)
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()


def play(scene: Scene, number: int) -> str:
    """One round: a campaign, disturbed.

    :returns: the campaign's id.
    """
    platform = scene.platform
    started = patient(platform, experiment_of(number))
    over = threading.Event()
    count = scene.random.randint(1, 3)
    breaking = threading.Thread(target=disturb, args=(scene, count, over), daemon=True)
    breaking.start()
    try:
        found = platform.wait_for_campaign(started)
        say(f"  round {number}: {found['status']}, {json.dumps(found['runs'])}")
    except AssertionError as error:
        say(f"  round {number}: {error}")
    finally:
        over.set()
        breaking.join()
    return started


def patient(platform: RunningPlatform, yaml: str) -> str:
    """Start a campaign, whatever is still coming back from the round before."""
    deadline = time.monotonic() + ROUND_SECONDS
    while True:
        try:
            return str(platform.start_campaign(yaml)["id"])
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


def shake(rounds: int, seed: int, cut_seconds: tuple[float, float]) -> Account:
    """Play all rounds on a platform of their own."""
    with contextlib.ExitStack() as stack:
        homes = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="weighhouse-chaos-")))
        own_disk = stack.enter_context(small_disk(homes))
        platform = stack.enter_context(running_platform(**SOON_GIVEN_UP))
        found = stack.enter_context(agents_of(platform, *NAMES, homes=homes, own_clocks=True))
        agents = list(found.values())
        scene = Scene(platform, agents, homes, own_disk, random.Random(seed), cut_seconds)
        campaigns = [play(scene, number) for number in range(1, rounds + 1)]
        account = settle(platform.inner.database_url, campaigns)
        for note in account.notes:
            say(f"  {note}")
        if not account.clean:
            keep(agents, platform)
        return account


def keep(agents: list[TestedAgent], platform: RunningPlatform) -> None:
    """Keep the logs of a round that went wrong, for whoever looks into it."""
    place = Path(tempfile.mkdtemp(prefix="weighhouse-chaos-logs-"))
    for agent in agents:
        (place / f"agent-{agent.name}.log").write_bytes(agent.log.read_bytes())
    for log in platform.inner.directory.folder("logs").glob("*.log"):
        (place / log.name).write_bytes(log.read_bytes())
    say(f"  logs: {place}")


def main() -> int:
    """Read the command line, play, and close with one line of JSON.

    :returns: 0 when nothing was lost, doubled or stuck.
    """
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--short", action="store_true", help="an agent's network is cut briefly")
    chosen = parser.parse_args()
    say(f"chaos: {chosen.rounds} rounds, seed {chosen.seed}")
    cut = (2.0, 8.0) if chosen.short else (10.0, 150.0)
    begun = time.monotonic()
    account = shake(chosen.rounds, chosen.seed, cut)
    figures = {
        "rounds": chosen.rounds,
        **account.figures(),
        "seed": chosen.seed,
        "seconds": round(time.monotonic() - begun),
    }
    print(json.dumps(figures))
    return 0 if account.clean else 1


if __name__ == "__main__":
    sys.exit(main())
