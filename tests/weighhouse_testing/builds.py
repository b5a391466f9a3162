"""Builds of one server that differ in how long a command or the disk takes, and in nothing that an
experiment, a version or a setting would tell.

A server as it is measures its machine: on one that others use too, its throughput moves by a third.
These answer so many commands a second, by the clock, for as long as the machine can keep up at all.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from weighhouse_agent.machine.home import Home
from weighhouse_cli.embedded.directory import AGENT
from weighhouse_sdk.context import default_search_path

from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform

SOURCE = Path(__file__).with_name("paced_server.c")
PER_SECOND = 1_000_000_000
PACE = "pace"
LIBRARY = "paced_server.so"
SWUNG, STARTS, VERSION = "swung", "starts", "version"
RATE, SYNC_SECONDS = 500.0, 0.1
"""Commands a second, and what it takes to force the log to the disk: so long that it is seen on any
machine, also where several clients share it.
"""
RECORDS = 100
CATCHES_UP_SECONDS = 2.0
"""As long as a busy machine may stop a server."""
WARMUP_SECONDS = 0.6
"""Over which a server that was idle catches up."""
WRAPPER = """#!/bin/sh
if [ "$1" = --version ] && [ -e {folder}/version ]; then
  {real} --version | sed "s/v=[0-9.]*/v=$(cat {folder}/version)/"
  exit
fi
pace={folder}/pace
case "$*" in
*--port*)
  if [ -e {folder}/swung ]; then
    side=0
    case "$*" in *{mark}*) side=1 ;; esac
    count=$(cat {folder}/starts/$side 2>/dev/null || echo $((side * {each})))
    echo $((count + 1)) >{folder}/starts/$side
    [ $((count / {each} % 2)) = 0 ] || pace={folder}/swung
  fi
  ;;
esac
LD_PRELOAD={library} PACED_SERVER=$pace exec {real} "$@"
"""
"""What stands in a server's place."""
STARTS_A_BLOCK = 2
"""Of each side, where they swing: so that every cell is of one pace in one block, of another in the
next."""
MARK = "'appendfsync always'"
"""By which the servers of one side are told from the other's, where they swing."""


def paced_experiment(
    slug: str,
    *,
    repetitions: int = 5,
    records: int = RECORDS,
    parameters: dict[str, Any] | None = None,
    thresholds: dict[str, float] | None = None,
) -> str:
    """An experiment of one cell: so many clients that only write that the server is never idle.

    With so many records it is the same cell in every experiment, whatever the rest: how much its
    campaigns differ is weighed once.
    """
    text = small_experiment(
        slug, repetitions=repetitions, clients=(16,), measure_seconds=1.0, records=records,
        operations={"update": 1.0}, parameters=parameters,
    )  # fmt: skip
    document: dict[str, Any] = yaml.safe_load(text)
    document["phases"]["warmup_seconds"] = WARMUP_SECONDS
    if thresholds:
        document["thresholds"] = thresholds
    return str(yaml.safe_dump(document, sort_keys=False))


@dataclass(frozen=True)
class Builds:
    """What stands in a server's place, and how quick it is."""

    folder: Path

    def use(
        self,
        rate_per_second: float,
        *,
        sync_seconds: float = 0.0,
        swing: float = 0.0,
        catches_up_seconds: float = CATCHES_UP_SECONDS,
    ) -> None:
        """Install a build; for servers started later.

        :param rate_per_second: commands that it answers.
        :param sync_seconds: what it takes to force a file to the disk, above what it does take.
        :param swing: share of the rate that servers of a side answer more in every other block of
            two cells, when those of the other side do not: noise that is the same each time, and
            favours nobody.
        :param catches_up_seconds: of what it was idle or not let run, so much is caught up with.
        """

        def times(rate: float) -> str:
            lengths = (1 / rate, sync_seconds, catches_up_seconds)
            return " ".join(str(round(PER_SECOND * length)) for length in lengths)

        (self.folder / PACE).write_text(times(rate_per_second))
        # Another build is another program; what follows an ELF file's sections is of no effect.
        fresh = self.folder / "fresh.so"
        fresh.write_bytes((self.folder / LIBRARY).read_bytes() + times(rate_per_second).encode())
        fresh.replace(self.folder / LIBRARY)
        (self.folder / SWUNG).unlink(missing_ok=True)
        if swing:
            (self.folder / SWUNG).write_text(times(rate_per_second * (1 + swing)))

    def call(self, version: str) -> None:
        """Have the program say that it is another version; what runs is the same."""
        (self.folder / VERSION).write_text(version)


@contextmanager
def builds_of(platform: RunningPlatform, program: str) -> Iterator[Builds]:
    """Have the platform's own agent start other builds of a server than the one installed.

    They are found as any server is: by the search path in the policy of the agent's machine.

    :param program: a server that writes each reply to a socket at once, such as `redis-server`.
    """
    real = shutil.which(program, path=default_search_path())
    assert real is not None, f"{program} is not installed"
    folder = Path(tempfile.mkdtemp(prefix="weighhouse-builds-"))
    folder.chmod(0o755)  # servers run as accounts of their own
    library = folder / LIBRARY
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(library), str(SOURCE)],
        check=True,
    )
    wrapper = folder / "bin" / program
    wrapper.parent.mkdir()
    starts = folder / STARTS
    starts.mkdir()
    starts.chmod(0o777)
    wrapper.write_text(
        WRAPPER.format(folder=folder, library=library, real=real, mark=MARK, each=STARTS_A_BLOCK)
    )
    wrapper.chmod(0o755)
    policy = Home(platform.inner.directory.folder(AGENT)).policy
    before = policy.read_text() if policy.exists() else ""
    assert "search_path" not in before, f"{policy} has a search path of its own"
    policy.write_text(
        f'{before}\n[machine]\nsearch_path = "{wrapper.parent}:{default_search_path()}"\n'
    )
    try:
        yield Builds(folder)
    finally:
        policy.write_text(before)
        shutil.rmtree(folder, ignore_errors=True)
