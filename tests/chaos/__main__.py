"""`python -m chaos [--rounds N] [--seed S] [--short] [--only CONDITION …]`, from the folder
`tests`.
"""

import argparse
import contextlib
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from weighhouse_testing.agents import TestedAgent, agents_of
from weighhouse_testing.platform import SOON_GIVEN_UP, RunningPlatform, running_platform

from chaos.accounts import Account, settle
from chaos.conditions import CONDITIONS
from chaos.disturbing import DISTURBANCES, Scene, small_disk
from chaos.experiments import experiment_of
from chaos.watching import Readers, Watch

NAMES = ("north", "east", "south")
ROUND_SECONDS = 420.0
"""A campaign that has not ended by then is stuck."""
SETTLING_SECONDS = 12.0
"""The first disturbance comes within so long after the campaign's start."""
AT_RANDOM = "at-random"
"""The rounds in which parts are killed and hindered at random moments."""
WELL_SECONDS = 10.0
"""Within so long after its end a condition is told no more."""
LASTING_SECONDS, SHORT_SECONDS = 60.0, 12.0
RECOVERING_SECONDS = 180.0
LOADED_REPETITIONS = 8


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


@dataclass
class Round:
    """What was seen of one condition."""

    condition: str
    seconds_to_named: float | None = None
    """Since it began; None: it was never told."""
    seconds_to_well: float | None = None
    """Since its end, until readiness told of nothing; None: not within the round."""
    seconds_to_work: float | None = None
    """Since its end, until every machine was at work."""
    answers: dict[str, int] = field(default_factory=dict)
    """To people who went on looking at pages, by status."""
    longest_answer_seconds: float = 0.0
    completed: int = 0
    failed: int = 0
    lost: int = 0
    doubled: int = 0
    stuck: int = 0

    @property
    def in_time(self) -> bool:
        """Whether it was told, and over, soon enough."""
        if self.condition == AT_RANDOM:
            return True
        most = CONDITIONS[self.condition].named_seconds
        return _within(self.seconds_to_named, most) and _within(self.seconds_to_well, WELL_SECONDS)


def _within(seconds: float | None, most: float) -> bool:
    return seconds is not None and seconds <= most


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
    """One round: a campaign, disturbed at random.

    :returns: the campaign's id.
    """
    platform = scene.platform
    started = patient(platform, experiment_of(number))
    over = threading.Event()
    count = scene.random.randint(1, 3)
    breaking = threading.Thread(target=disturb, args=(scene, count, over), daemon=True)
    breaking.start()
    try:
        _await_end(platform, started, number)
    finally:
        over.set()
        breaking.join()
    return started


def befall(scene: Scene, number: int, name: str, seconds: float) -> tuple[Round, str]:
    """One round: a campaign that a condition befalls while it is at work.

    :param seconds: how long the condition lasts.
    :returns: what was seen, and the campaign's id.
    """
    found, condition = Round(name), CONDITIONS[name]
    watch, readers = Watch(scene.platform, scene.agents), Readers(scene.platform)
    if watch.until(lambda: watch.well() and watch.at_work(), RECOVERING_SECONDS) is None:
        say(f"    before it began: {watch.conditions()}, {watch.machines()}")
    started = patient(scene.platform, experiment_of(number, LOADED_REPETITIONS))
    watch.until(lambda: scene.platform.campaign(started)["runs"].get("running", 0) > 0, 60)
    with readers.reading():
        begun = time.monotonic()
        with condition.befall(scene) as befell:
            found.seconds_to_named = watch.until(lambda: watch.named(condition, befell), seconds)
            time.sleep(max(0.0, begun + seconds - time.monotonic()))
        ended = time.monotonic()
        found.seconds_to_well = watch.until(watch.well, RECOVERING_SECONDS)
        if watch.until(watch.at_work, RECOVERING_SECONDS) is not None:
            found.seconds_to_work = round(time.monotonic() - ended, 1)
    found.answers = dict(sorted(readers.answers.items()))
    found.longest_answer_seconds = round(readers.longest_seconds, 1)
    _await_end(scene.platform, started, number)
    return found, started


def _await_end(platform: RunningPlatform, campaign_id: str, number: int) -> None:
    try:
        found = platform.wait_for_campaign(campaign_id)
        say(f"  round {number}: {found['status']}, {json.dumps(found['runs'])}")
    except AssertionError as error:
        say(f"  round {number}: {error}")


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


@contextlib.contextmanager
def scene_of(seed: int, cut_seconds: tuple[float, float]) -> Iterator[Scene]:
    """A platform with three agents, on disks of their own where this machine lets us mount."""
    with contextlib.ExitStack() as stack:

        def folder() -> Path:
            made = tempfile.TemporaryDirectory(prefix="weighhouse-chaos-")
            return Path(stack.enter_context(made))

        place, homes = folder(), folder()
        place.chmod(0o711)
        own = [stack.enter_context(small_disk(each)) for each in (place, homes)]
        platform = stack.enter_context(running_platform(agent=False, within=place, **SOON_GIVEN_UP))
        found = stack.enter_context(agents_of(platform, *NAMES, homes=homes, own_clocks=True))
        yield Scene(
            platform, list(found.values()), homes, all(own), random.Random(seed), cut_seconds, place
        )


def shake(rounds: int, seed: int, cut_seconds: tuple[float, float]) -> Account:
    """Play some rounds at random on a platform of their own."""
    with scene_of(seed, cut_seconds) as scene:
        campaigns = [play(scene, number) for number in range(1, rounds + 1)]
        return _settled(scene, campaigns)


def _settled(scene: Scene, campaigns: Sequence[str]) -> Account:
    account = settle(scene.platform.inner.database_url, campaigns)
    for note in account.notes:
        say(f"  {note}")
    if not account.clean:
        keep(scene.agents, scene.platform)
    return account


def go_through(
    rounds: Sequence[str], seed: int, cut_seconds: tuple[float, float], seconds: float
) -> tuple[Account, list[Round]]:
    """Play each round on one platform.

    :param rounds: conditions, or `AT_RANDOM`.
    :param seconds: how long each condition lasts.
    """
    whole, seen = Account(), []
    with scene_of(seed, cut_seconds) as scene:
        if not scene.small_disk:
            raise SystemExit("a disk that may be filled has to be mounted: this takes root")
        for number, name in enumerate(rounds, 1):
            say(f"  round {number}: {name}")
            if name == AT_RANDOM:
                found, campaign = Round(name), play(scene, number)
            else:
                found, campaign = befall(scene, number, name, seconds)
            account = _settled(scene, [campaign])
            for each in ("completed", "failed", "lost", "doubled", "stuck"):
                setattr(found, each, getattr(account, each))
            whole.add(account)
            seen.append(found)
            say(f"    {json.dumps(asdict(found))}")
        if not all(found.in_time for found in seen):
            keep(scene.agents, scene.platform)
    return whole, seen


def keep(agents: list[TestedAgent], platform: RunningPlatform) -> None:
    """Keep the logs of a round that went wrong, for whoever looks into it."""
    place = Path(tempfile.mkdtemp(prefix="weighhouse-chaos-logs-"))
    for agent in agents:
        (place / f"agent-{agent.name}.log").write_bytes(agent.log.read_bytes())
    for log in platform.inner.directory.folder("logs").glob("*.log"):
        (place / log.name).write_bytes(log.read_bytes())
    say(f"  logs: {place}")


def chosen_rounds(count: int, seed: int, only: Sequence[str]) -> list[str]:
    """Which rounds are played: all conditions equally often, in an order of chance, and what is
    left at random.
    """
    conditions = list(only or CONDITIONS)
    each = count // len(conditions)
    rounds = conditions * each
    rounds += [AT_RANDOM] * (count - len(rounds)) if each else conditions[:count]
    random.Random(seed).shuffle(rounds)
    return rounds


def main() -> int:
    """Read the command line, play, and close with one line of JSON.

    :returns: 0 when nothing was lost, doubled or stuck, and all was told and over in time.
    """
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument(
        "--short", action="store_true", help="networks are cut, and conditions last, for seconds"
    )
    parser.add_argument("--only", nargs="*", choices=list(CONDITIONS), default=[])
    chosen = parser.parse_args()
    say(f"chaos: {chosen.rounds} rounds, seed {chosen.seed}")
    cut = (2.0, 8.0) if chosen.short else (10.0, 150.0)
    lasting = SHORT_SECONDS if chosen.short else LASTING_SECONDS
    begun = time.monotonic()
    rounds = chosen_rounds(chosen.rounds, chosen.seed, chosen.only)
    account, seen = go_through(rounds, chosen.seed, cut, lasting)
    figures: dict[str, Any] = {
        "rounds": [asdict(found) for found in seen],
        "late": sum(not found.in_time for found in seen),
        **account.figures(),
        "seed": chosen.seed,
        "seconds": round(time.monotonic() - begun),
    }
    print(json.dumps(figures))
    return 0 if account.clean and not figures["late"] else 1


if __name__ == "__main__":
    sys.exit(main())
