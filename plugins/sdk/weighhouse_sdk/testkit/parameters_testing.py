"""What every plugin's parameters must hold, tried against the real system: two starts of it.

`make test-parameters` goes on from here, with each value of each parameter.
"""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

from pathlib import Path
from typing import ClassVar, Literal

import pytest
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target

from weighhouse_sdk.capacity import capacity
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.testkit.live_system import refusal, start
from weighhouse_sdk.testkit.parameter_cover import Visiting
from weighhouse_sdk.testkit.translation import check_translation


class ParametersConformance:
    """The manifest's ranges and requirements are the system's."""

    plugin: ClassVar[Plugin]

    def visiting(self) -> Visiting:
        """What is to be visited, read from the manifest, on this machine."""
        return Visiting(self.plugin.manifest, capacity())

    def test_no_parameter_is_unvisited(self) -> None:
        visiting = self.visiting()
        visits = visiting.visits()
        names = declared(self.plugin.manifest.parameters).keys()
        assert {visit.parameter for visit in visits} == names
        impossible = [
            one for one in visits if visiting.completed({one.parameter: one.value}) is None
        ]
        assert not impossible, "the requirements leave no start with these values"

    @pytest.mark.parametrize("end", ["least", "greatest"])
    def test_all_at_one_end_take_effect(
        self, end: Literal["least", "greatest"], tmp_path: Path
    ) -> None:
        """In one start; what two parameters cannot both be, the first one is."""
        visiting = self.visiting()
        values, _ = visiting.together(visiting.all_at(end))

        def translated(
            target: Target, settings: tuple[Setting, ...], endpoints: tuple[str, ...]
        ) -> None:
            check_translation(self.plugin.manifest, target, settings, endpoints)

        done = start(self.plugin, visiting.target(values), tmp_path / end, also=translated)
        assert not done.words, values

    def test_what_the_manifest_refuses_is_refused(self) -> None:
        visiting = self.visiting()
        for visit in visiting.refused():
            target = visiting.target({visit.parameter: visit.value})
            assert f"parameters.{visit.parameter}" in refusal(self.plugin, target), visit
        for pair in visiting.pairs():
            assert not refusal(self.plugin, visiting.target(pair.met)), pair.met
            if pair.broken is not None:
                said = refusal(self.plugin, visiting.target(pair.broken))
                assert pair.requirement.because in said, pair.broken
