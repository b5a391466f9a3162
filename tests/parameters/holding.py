"""Visits all values of one plugin's parameters on the real system, and keeps count."""

import datetime
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from weighhouse_sdk.capacity import capacity
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.testkit.exercised import this_machine
from weighhouse_sdk.testkit.exercises import ParametersHeld
from weighhouse_sdk.testkit.live_system import Start, refusal, start
from weighhouse_sdk.testkit.parameter_cover import (
    EDITION,
    NotVisitable,
    Pair,
    Values,
    Visit,
    Visiting,
)

Say = Callable[[str], object]


@dataclass
class Holding:
    """One system under way."""

    plugin: Plugin
    options: HostOptions
    work: Path
    say: Say
    starts: int = 0
    version: str = ""
    visited: set[Visit] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    ordered: set[str] = field(default_factory=set)
    builds: dict[str, str] = field(default_factory=dict)
    """Parameters that this build does not have → its words."""
    refused: int = 0
    """Broken requirements that the system refused, or did otherwise, too."""
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.visiting = Visiting(self.plugin.manifest, capacity())
        self.schemas = declared(self.plugin.manifest.parameters)

    def hold(self) -> ParametersHeld:
        """All of it; what is wrong is among `faults`."""
        pairs: list[Pair] = []
        try:
            visits = self.visiting.visits()
            pairs = list(self.visiting.pairs())
            for end in ("least", "greatest"):
                values, left = self.visiting.together(self.visiting.all_at(end))
                taken = [one for one in self.visiting.all_at(end) if one not in left]
                self._one(f"all {end}", values, taken)
            self._refusals()
            self._each(visits)
        except NotVisitable as error:
            self._fault(str(error))
            visits = ()
        for pair in pairs:
            self._pair(pair)
        never = {visit.parameter for visit in visits} - {one.parameter for one in self.visited}
        for name in sorted(never - self.builds.keys()):
            self._fault(f"{name}: none of its values was seen to take effect")
        return ParametersHeld(
            plugin=self.plugin.manifest.id,
            version=self.version,
            parameters=len(self.schemas),
            values=len(visits),
            starts=self.starts,
            told=len(self.told),
            ordered=tuple(sorted(self.ordered - self.told)),
            requirements=len(pairs),
            refused=self.refused,
            builds=tuple(sorted(self.builds)),
            faults=tuple(self.faults),
            taken_on=datetime.datetime.now(tz=datetime.UTC).date(),
            machine=this_machine(),
        )

    # inside

    def _each(self, visits: Iterable[Visit]) -> None:
        """Every value once: alone, with what it needs, where a start is quick; else with as many
        others as go together, and alone when such a start is not what was ordered.
        """
        left = tuple(visits)
        if getattr(self.plugin, "defaults_stay", False):
            alone = [one for one in left if self.schemas[one.parameter].get("x-build")]
            left = tuple(one for one in left if one not in self.visited and one not in alone)
            while left:
                values, rest = self.visiting.together(left)
                taken = [one for one in left if one not in rest]
                if not taken:
                    break
                if not self._one(f"{len(taken)} together", values, taken, told=False):
                    alone += taken
                left = rest
            left = (*alone, *left)
        for visit in left:
            values_alone = self.visiting.completed({visit.parameter: visit.value})
            label = f"{visit.parameter} {visit.kind} {visit.value!r}"
            if values_alone is None:
                self._fault(f"{label}: the requirements leave no start with it")
            else:
                self._one(label, values_alone, [visit])

    def _one(
        self, label: str, values: Values, visits: Iterable[Visit], *, told: bool = True
    ) -> bool:
        done = self._start(values)
        if not done.words:
            self.visited |= set(visits)
            self.told |= done.told
            self.ordered |= done.ordered
            return True
        builds = [
            one.parameter
            for one in visits
            if self.schemas[one.parameter].get("x-build") or EDITION in values
        ]
        if done.refused and builds:
            self.builds |= dict.fromkeys(builds, done.refused)
        elif told:
            self._fault(f"{label}: {done.words}")
        return False

    def _pair(self, pair: Pair) -> None:
        because = pair.requirement.because
        if self._start(pair.met).words:
            self._fault(f"{pair.met} meets `{because}`, and is refused")
        if pair.broken is None:
            return
        target = self.visiting.target(pair.broken)
        if because not in refusal(self.plugin, target):
            self._fault(f"{pair.broken} breaks `{because}`, and the manifest takes it")
        if pair.of_the_machine:
            return
        with mock.patch.object(self.plugin, "check_target", return_value=None):
            self.refused += bool(self._start(pair.broken).words)

    def _refusals(self) -> None:
        for visit in self.visiting.refused():
            target = self.visiting.target({visit.parameter: visit.value})
            if f"parameters.{visit.parameter}" not in refusal(self.plugin, target):
                self._fault(f"{visit.parameter}: {visit.value!r} is outside, and is not refused")

    def _start(self, values: Values) -> Start:
        self.starts += 1
        folder = self.work / str(self.starts)
        done = start(self.plugin, self.visiting.target(values), folder, self.options)
        shutil.rmtree(folder, ignore_errors=True)
        self.version = done.version or self.version
        self.say(f"  {self.starts}: {values}" + (f" — {done.words}" if done.words else ""))
        return done

    def _fault(self, words: str) -> None:
        self.faults.append(words)
        self.say(f"  FAULT {words}")
