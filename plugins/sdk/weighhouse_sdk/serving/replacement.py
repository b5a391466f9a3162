"""Puts an empty node in the place of another, and has nodes leave for good."""

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace

from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed, NotReady
from weighhouse_sdk.lifecycle import Deployed, FaultDone
from weighhouse_sdk.machine.nodes import Node
from weighhouse_sdk.places import Place
from weighhouse_sdk.serving.startup import UNREADABLE, Starting

TRY_SECONDS = 0.2


class Replacing(Starting):
    """How long data takes from node to node nobody can know: only the end of the measured phase
    ends the waiting.
    """

    def _replace(self, context: Context, deployed: Deployed, node: Node) -> FaultDone:
        """End a node if it is up, empty its place, and wait until the one that begins there has its
        share of the data and serves.
        """
        number, place = node.place.number, replace(node.place, fresh=True)
        if place.alone:
            raise DeployFailed(f"node {number} is the only one", "no other has its data")
        begun_at = context.clock.monotonic()
        node.down = True
        node.body.kill()
        others = self._others(deployed, node)
        self._insist(context, lambda: self.forget(others, node.place, self.ask_seconds))
        shutil.rmtree(place.directory, ignore_errors=True)
        place.directory.mkdir(parents=True)
        self.prepare(context.target.parameters, place)
        executable = self.check_host(context.target, context.options).executable
        held, node.place = node.body.reservation, place
        node.body = self._run(context, executable, place, context.target.parameters, held)
        context.network.enrol(node)
        node.paused = False
        self._await(context, node.body, place, math.inf)
        self._insist(context, lambda: self.adopt(others, place, self.ask_seconds))
        node.down = False
        self._await_union(context, deployed, self._up(deployed), math.inf)
        seconds = context.clock.monotonic() - begun_at
        return FaultDone(f"node {number}: an empty one serves in its place after {seconds:.1f} s")

    def _remove(self, context: Context, deployed: Deployed, node: Node) -> FaultDone:
        """Have a node leave, wait until the others do without it, and end it."""
        number = node.place.number
        begun_at = context.clock.monotonic()
        up = not node.down and node.body.exit_code is None
        if node.paused:
            raise DeployFailed(f"node {number} is paused, it cannot leave", "resume it before")
        # It ends by itself, or because it is told to: either way nobody misses it.
        node.down = True
        others = self._others(deployed, node)
        self.expel(context, others, node.place, up=up)
        if up:
            node.body.end(context.options.stop_seconds)
        self._insist(context, lambda: self.forget(others, node.place, self.ask_seconds))
        node.left = True
        seconds = context.clock.monotonic() - begun_at
        return FaultDone(f"node {number}: has left after {seconds:.1f} s")

    def _others(self, deployed: Deployed, node: Node) -> Sequence[Place]:
        number = node.place.number
        return [place for place in self._up(deployed) if place.number != number]

    def _insist(self, context: Context, step: Callable[[], None]) -> None:
        last: Exception | None = None
        for _ in context.attempts(math.inf, every_seconds=TRY_SECONDS):
            try:
                step()
            except UNREADABLE as error:
                last = error
                continue
            return
        raise NotReady(f"{self.manifest.name} does not go on: {last}", "its logs tell more")
