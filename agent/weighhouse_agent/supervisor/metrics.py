"""What an agent tells Prometheus, on a port that its policy names; without one it opens none.

Everything is worked out when it is asked for, and at most every few seconds, by the agent's own
program, which stays on the processors that are for it: nothing is counted on the way of a
measurement.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import httpx
import structlog
from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily, Metric
from weighhouse_protocol.report import ClockOffset

from weighhouse_agent import VERSION
from weighhouse_agent.delivery.platform_client import PlatformClient
from weighhouse_agent.machine.disk_space import spooled_bytes
from weighhouse_agent.machine.home import Home
from weighhouse_agent.machine.policy import PolicyFile, PolicyRefused

LOG = structlog.get_logger("weighhouse_agent")
FRESH_SECONDS = 5.0
"""What was found is told again for so long, whoever asks how often."""
US = 1_000_000


@dataclass(eq=False)
class Telling:
    """A collector of what there is to tell.

    :param clocks: estimates of the attempts under way.
    """

    home: Home
    clocks: Callable[[], Sequence[ClockOffset]]
    heard_at: float | None = None
    """When the platform answered last, unix time."""
    _found: list[Metric] = field(default_factory=list)
    _found_at: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def hear(self, _answer: httpx.Response) -> None:
        """The platform has answered, whatever it said."""
        self.heard_at = time.time()

    def collect(self) -> list[Metric]:
        """The metrics, as of a few seconds ago at most."""
        with self._lock:
            now = time.monotonic()
            if self._found_at is None or now - self._found_at > FRESH_SECONDS:
                self._found, self._found_at = list(self._look()), now
            return self._found

    def _look(self) -> Iterator[Metric]:
        build = InfoMetricFamily("weighhouse_build", "Which release this is.")
        build.add_metric((), {"version": VERSION})
        yield build
        attempts = self.home.attempts()
        waiting = sum(each.outcome.exists() for each in attempts)
        states = GaugeMetricFamily(
            "weighhouse_agent_attempts", "Attempts on this machine.", labels=("state",)
        )
        states.add_metric(("under_way",), len(attempts) - waiting)
        states.add_metric(("waiting_for_delivery",), waiting)
        yield states
        yield _one(
            "weighhouse_agent_spooled_bytes",
            "Waiting for delivery, or set aside.",
            spooled_bytes(self.home),
        )
        disk = os.statvfs(self.home.path)
        yield _one(
            "weighhouse_agent_disk_free_bytes",
            "Free where it keeps what waits.",
            disk.f_bavail * disk.f_frsize,
        )
        if self.heard_at is not None:
            yield _one(
                "weighhouse_agent_heard_timestamp_seconds",
                "When the platform answered last.",
                self.heard_at,
            )
        for clock in self.clocks():
            yield _one(
                "weighhouse_agent_clock_offset_seconds",
                "The platform's clock less this machine's; while an attempt is under way.",
                clock.offset_us / US,
            )
            break


def _one(name: str, words: str, value: float) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(name, words)
    gauge.add_metric((), value)
    return gauge


def tell_if_asked(
    home: Home, client: PlatformClient, clocks: Callable[[], Sequence[ClockOffset]]
) -> None:
    """Answer Prometheus, if the policy names where; a taken port costs the metrics alone."""
    try:
        place = PolicyFile(home.policy).read().machine.metrics_listen
    except PolicyRefused:
        return
    if not place:
        return
    telling = Telling(home, clocks)
    client.http.event_hooks = {"response": [telling.hear]}
    registry = CollectorRegistry()
    registry.register(telling)
    ProcessCollector(registry=registry)
    host, _, port = place.rpartition(":")
    try:
        start_http_server(int(port), host, registry)
    except OSError as error:
        LOG.warning("no metrics", at=place, reason=str(error))
        return
    LOG.info("tells Prometheus", at=place)
