"""What the platform says of itself while something befalls it, and how it answers people."""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
from weighhouse_testing.agents import TestedAgent
from weighhouse_testing.platform import RunningPlatform

from chaos.conditions import Condition

LOOK_SECONDS = 0.2
ASK_SECONDS = 0.5
ANSWER_SECONDS = 30.0
"""Who looks at a page goes away after so long."""
AT_WORK = ("online", "busy")


@dataclass
class Watch:
    """Looks from outside, as people and their monitoring do."""

    platform: RunningPlatform
    agents: list[TestedAgent]

    def conditions(self) -> set[str] | None:
        """Names of the conditions that readiness tells; None: it does not answer."""
        answer = self._get("/health/ready")
        if answer is None:
            return None
        told = answer.get("conditions", [])
        return {str(one["name"]) for one in told}

    def machines(self) -> dict[str, str] | None:
        """What is said of each machine that is not at work as it should be; None: no answer."""
        answer = self._get("/api/v1/agents")
        if answer is None:
            return None
        return {
            one["name"]: one["no_work"] or one["status"]
            for one in answer["items"]
            if one["status"] not in AT_WORK or one["no_work"] is not None
        }

    def named(self, condition: Condition, befell: str) -> bool:
        """Whether it is told what befell the platform, or its machines."""
        if condition.told_by == "platform":
            return condition.slug in (self.conditions() or ())
        wanted = {one.name for one in self.agents if befell in ("*", one.name)}
        return wanted <= set(self.machines() or ())

    def well(self) -> bool:
        """Whether nothing is told any more, and every machine is at work."""
        return self.conditions() == set()

    def at_work(self) -> bool:
        """Whether every machine is at work."""
        return self.machines() == {}

    def until(self, question: Callable[[], bool], seconds: float) -> float | None:
        """How long it takes until something is so, in seconds; None: longer than may be waited."""
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            if question():
                return round(time.monotonic() - begun, 1)
            time.sleep(LOOK_SECONDS)
        return None

    def _get(self, path: str) -> Any:
        try:
            answer = httpx.get(
                f"{self.platform.url}{path}",
                headers={"Authorization": f"Bearer {self.platform.token}"},
                timeout=ANSWER_SECONDS,
            )
            found = answer.json()
        except (httpx.HTTPError, ValueError):
            return None
        return found if path.startswith("/health") or answer.is_success else None


@dataclass
class Readers:
    """Somebody who goes on looking at pages, and what they were answered."""

    platform: RunningPlatform
    answers: Counter[str] = field(default_factory=Counter)
    """Status, `plain` behind it when it was no problem document; `none`: no answer in time."""
    longest_seconds: float = 0.0

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Read while the context lasts."""
        over = threading.Event()
        thread = threading.Thread(target=self._read, args=(over,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _read(self, over: threading.Event) -> None:
        headers = {"Authorization": f"Bearer {self.platform.token}"}
        paths = ("/api/v1/runs?limit=20", "/api/v1/campaigns?limit=20", "/api/v1/agents")
        number = 0
        while not over.wait(ASK_SECONDS):
            number += 1
            begun = time.monotonic()
            try:
                answer = httpx.get(
                    f"{self.platform.url}{paths[number % len(paths)]}",
                    headers=headers,
                    timeout=ANSWER_SECONDS,
                )
                kind = answer.headers.get("Content-Type", "")
                self.answers[f"{answer.status_code}{'' if 'json' in kind else ' plain'}"] += 1
            except httpx.HTTPError:
                self.answers["none"] += 1
            self.longest_seconds = max(self.longest_seconds, time.monotonic() - begun)
