"""A pytest plugin that writes down which systems a test run really set up, on which versions.

`pytest -p weighhouse_sdk.testkit.exercised --exercised FILE …` writes FILE, a JSON document
(`Exercises`). A deployment counts when the test passed in which it became ready. A test that drives
a stand-in says so by `@pytest.mark.stand_in("what it is")`; one that was left out is listed with
its reason.
"""

import datetime
import os
import platform
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from weighhouse_protocol.target import Target

from weighhouse_sdk.context import Context
from weighhouse_sdk.lifecycle import Deployed, Plugin, Ready
from weighhouse_sdk.registry import discover
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.serving.startup import asked_addresses
from weighhouse_sdk.testkit.agreements import Agreements
from weighhouse_sdk.testkit.arrivals import STAND_IN, Arrivals
from weighhouse_sdk.testkit.exercises import Exercise, Exercises, NotRun

ASK_SECONDS = 5.0


def this_machine() -> str:
    """Operating system, kernel and processors, in words."""
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, Linux {platform.release().split('-')[0]}, {os.cpu_count()} processors"


def note(target: Target, version: str) -> None:
    """For a test whose system is set up in another process: say that it was.

    Does nothing in a test run that writes nothing down.
    """
    for recorder in _RECORDERS:
        recorder.seen(target, version)


class Recorder:
    """Listens to a test run."""

    def __init__(self, path: Path, arrivals: Arrivals, agreements: Agreements) -> None:
        self._path, self._arrivals, self._agreements = path, arrivals, agreements
        self._under_way: list[tuple[Any, ...]] = []
        self._passed: Counter[tuple[Any, ...]] = Counter()
        self._left_out: Counter[tuple[str, str]] = Counter()
        self._stand_in = ""

    def seen(self, target: Target, version: str) -> None:
        """A system became ready in the test under way."""
        topology = target.topology
        key = (
            target.system, target.deployment, topology.nodes, topology.replication_factor, version,
            self._stand_in,
        )  # fmt: skip
        if key not in self._under_way:
            self._under_way.append(key)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Begin anew with each test."""
        self._under_way.clear()
        marker = item.get_closest_marker(STAND_IN)
        self._stand_in = str(marker.args[0]) if marker else ""
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what a test that passed had set up, and why one was left out."""
        if report.passed and report.when == "call":
            self._passed.update(self._under_way)
        elif report.skipped and isinstance(report.longrepr, tuple):
            path = Path(report.nodeid.partition("::")[0])
            if path.parts[:1] == ("plugins",):
                reason = str(report.longrepr[2]).removeprefix("Skipped: ")
                self._left_out[(path.parts[1], reason)] += 1

    def pytest_sessionfinish(self) -> None:
        """Write it all down."""
        today = datetime.datetime.now(tz=datetime.UTC).date()
        about = {"taken_on": today, "machine": this_machine()}
        names = ("plugin", "deployment", "nodes", "replication_factor", "version", "stand_in")
        found = Exercises(
            arrivals=self._arrivals.found(today),
            agreements=self._agreements.found(today),
            exercised=tuple(
                Exercise.model_validate(
                    {**dict(zip(names, key, strict=True)), "tests": tests, **about}
                )
                for key, tests in sorted(self._passed.items())
            ),
            not_run=tuple(
                NotRun.model_validate({"plugin": plugin, "reason": reason, "tests": tests, **about})
                for (plugin, reason), tests in sorted(self._left_out.items())
            ),
        )
        self._path.write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")


_RECORDERS: list[Recorder] = []


def _listen(plugin: Plugin) -> None:
    kind = type(plugin)
    wait = kind.wait_ready

    def wait_ready(self: Plugin, context: Context, deployed: Deployed) -> Ready:
        ready = wait(self, context, deployed)
        version = deployed.version
        if context.target.deployment == "external" and isinstance(self, ServerPlugin):
            version = self.version_served(asked_addresses(context, deployed)[0], ASK_SECONDS)
        note(context.target, version)
        return ready

    kind.wait_ready = wait_ready  # type: ignore[method-assign] # - to be told of every system


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--exercised FILE`."""
    parser.addoption("--exercised", type=Path, help="write down which systems were really set up")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to listen, when asked to."""
    config.addinivalue_line("markers", f"{STAND_IN}(what): the system's place is taken by another")
    arrivals = Arrivals(config.rootpath)
    arrivals.listen()
    agreements = Agreements(config.rootpath)
    config.pluginmanager.register(arrivals)
    config.pluginmanager.register(agreements)
    path = config.getoption("--exercised")
    if path is not None:
        recorder = Recorder(path, arrivals, agreements)
        _RECORDERS.append(recorder)
        config.pluginmanager.register(recorder)
        systems = [one for one in discover()[0].values() if isinstance(one, Plugin)]
        for plugin in {type(one): one for one in systems}.values():
            _listen(plugin)
