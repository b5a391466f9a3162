"""Keeps parts running: starts them in order, restarts the one that died, stops all in reverse.

A part that the platform can do without may end for good: the others go on, and what brings it back
is said.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from weighhouse_cli.embedded.part import Part, PartPlan, end_leftover, tail

WATCH_SECONDS = 0.2
GIVE_UP_AFTER = 12

Listener = Callable[[str, str], None]
"""Told what happens: the part's name and a word (starting, ready, died, gone, reloading, …)."""
Notice = Callable[[str], None]
"""Told what a person has to know, and do."""


def _silent(_name: str, _word: str) -> None:
    return None


def _mute(_text: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Patience:
    """How a supervisor deals with a part that dies again and again. All in seconds."""

    pauses: tuple[float, ...] = (0.0, 0.5, 1.0, 2.0, 5.0)
    """Before the first restart, the second, and so on; the last also before all later ones."""
    steady: float = 30.0
    """A part that has run for longer is well: what it died of before counts no more."""
    again: float = 60.0
    """Between two tries of a part that the platform goes on without. One that it cannot do without
    is tried on as before: a full disk may have room again."""


@dataclass(slots=True)
class Supervisor:
    """The parts of one platform. Used from one thread; a second one watches."""

    listener: Listener = _silent
    notice: Notice = _mute
    patience: Patience = Patience()
    parts: list[Part] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _watcher: threading.Thread | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def start(self, plan: PartPlan) -> Part:
        """Start a part and wait until it is ready; ends first what a crash left of it.

        :raises PartFailed: with the end of its log; parts started before go on.
        """
        end_leftover(plan.record, plan.stop_signal)
        part = Part(plan)
        self.listener(plan.name, "starting")
        part.start()
        with self._lock:
            self.parts.append(part)
        part.wait_ready()
        self.listener(plan.name, "ready")
        return part

    def watch(self) -> None:
        """From now on restart every part that dies, with growing pauses."""
        self._watcher = threading.Thread(target=self._watch, name="watch", daemon=True)
        self._watcher.start()

    def stop(self) -> None:
        """Stop all parts, the last started first. Repeatable."""
        self._stopping.set()
        with self._lock:
            for part in reversed(self.parts):
                part.stop()
                self.listener(part.plan.name, "stopped")
            self.parts.clear()
        self._stopped.set()
        if self._watcher is not None:
            self._watcher.join()
            self._watcher = None

    def restart(self, name: str) -> None:
        """Have a part begin anew, also one that died or is gone; does not wait for it.

        Takes `watch`, which starts it: a part ends with the thread that started it.

        :raises KeyError: when there is no such part.
        """
        with self._lock:
            self.part(name).ask_to_begin_anew()

    def missing(self) -> dict[str, str]:
        """Parts that the platform goes on without → how each ended, and what brings it back."""
        with self._lock:
            return {part.plan.name: part.gone for part in self.parts if part.gone}

    def part(self, name: str) -> Part:
        """:raises KeyError: when there is no such part."""
        with self._lock:
            for part in self.parts:
                if part.plan.name == name:
                    return part
        raise KeyError(name)

    def _watch(self) -> None:
        failures: dict[str, int] = {}
        due: dict[str, float] = {}
        while not self._stopping.wait(WATCH_SECONDS):
            with self._lock:
                for part in self.parts if not self._stopping.is_set() else ():
                    self._look_at(part, failures, due)
        # A part ends with the thread that started it: the ones restarted here need it until then.
        self._stopped.wait()

    def _look_at(self, part: Part, failures: dict[str, int], due: dict[str, float]) -> None:
        """Look once; whatever goes wrong with it, for example on a full disk, the next look is
        another try.
        """
        name = part.plan.name
        try:
            if part.kill_at is not None:
                self._begin_anew(part, part.kill_at, failures, due)
            else:
                self._look_after(part, failures, due)
        except Exception as error:  # noqa: BLE001 - nobody looks after a part whose keeper has ended
            due[name] = time.monotonic() + self.patience.pauses[-1]
            with contextlib.suppress(Exception):
                self.notice(f"the {name} could not be looked after: {error!r}; it is tried again")

    def _look_after(self, part: Part, failures: dict[str, int], due: dict[str, float]) -> None:
        name = part.plan.name
        now = time.monotonic()
        if part.alive():
            if now - part.started_at > self.patience.steady:
                failures.pop(name, None)
                if part.gone:
                    part.gone = ""
                    self.listener(name, "ready")
                    self.notice(f"the {name} is back")
            return
        if part.gone:
            if part.renewed():
                part.gone = ""
                failures.pop(name, None)
                due[name] = now
                self.notice(f"the {name} is started again")
            elif part.again_at is None or now < part.again_at:
                return
            else:
                self._try_again(part, now)
                return
        if name not in due and not self._died(part, failures, due):
            return
        if now >= due[name]:
            del due[name]
            self.listener(name, "restarting")
            part.start()

    def _begin_anew(
        self, part: Part, kill_at: float, failures: dict[str, int], due: dict[str, float]
    ) -> None:
        """Start a part that was asked to end, once it has: no failure, whatever came before."""
        name = part.plan.name
        if part.alive():
            if part.process is not None and time.monotonic() > kill_at:
                part.process.kill()
            return
        part.kill_at = None
        part.gone = ""
        failures.pop(name, None)
        due.pop(name, None)
        part.clear()
        self.listener(name, "reloading")
        part.start()

    def _died(self, part: Part, failures: dict[str, int], due: dict[str, float]) -> bool:
        """Look at how a part ended; whether it is to be started again."""
        name = part.plan.name
        part.sweep()
        count = failures[name] = failures.get(name, 0) + 1
        if part.ended_for_good() and not part.renewed():
            part.again_at = None
            self._do_without(part, "ended for good")
            return False
        if count > GIVE_UP_AFTER and part.plan.dispensable is not None:
            part.again_at = time.monotonic() + self.patience.again
            self._do_without(part, "died again and again")
            return False
        if count == GIVE_UP_AFTER + 1:
            said = "\n".join(tail(part.plan.log))
            self.notice(f"the {name} died again and again; it is tried on. Its log ends:\n{said}")
        pauses = self.patience.pauses
        due[name] = time.monotonic() + pauses[min(count, len(pauses)) - 1]
        self.listener(name, "died")
        return True

    def _try_again(self, part: Part, now: float) -> None:
        """Start one that is gone once more, without a word: what it lacked may have come back."""
        part.again_at = None if part.ended_for_good() else now + self.patience.again
        part.clear()
        with contextlib.suppress(OSError):
            part.start()

    def _do_without(self, part: Part, how: str) -> None:
        """Go on without a part, and say so where people look: here, and at the end of its log."""
        plan = part.plan
        hint = plan.dispensable.hint if plan.dispensable else ""
        part.gone = f"the {plan.name} {how}; the platform goes on without it. {hint}"
        part.clear()
        self.listener(plan.name, "gone")
        self.notice(part.gone)
        with contextlib.suppress(OSError), plan.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps({"level": "error", "event": part.gone}) + "\n")
