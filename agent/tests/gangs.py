"""Agents that carry one attempt out together: each with a platform, a home and an address of its
own; the platforms have their barriers in common.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from weighhouse_agent.machine.home import Home
from weighhouse_agent.supervisor.enrolment import enrol
from weighhouse_cli.embedded.directory import free_port
from weighhouse_protocol.load import Share
from weighhouse_protocol.order import AttemptOrder, GangMember
from weighhouse_testing.platform import until

from .conftest import RunningAgent, ended
from .meeting import Meeting
from .protocol_server import Attempt, Platform, Server

Parts = list[tuple[tuple[int, ...], bool]]
"""Of each member: the nodes it has, and whether it makes load."""
PATIENCE_SECONDS = 180


@dataclass
class Gang:
    """All of one attempt's members."""

    meeting: Meeting
    servers: list[Server] = field(default_factory=list)
    agents: list[RunningAgent] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    members: tuple[GangMember, ...] = ()

    def offer(self, order: AttemptOrder) -> None:
        """Offer everybody its part, and start the agents."""
        for member, server in zip(self.members, self.servers, strict=True):
            own = {"gang": self.members, "member": member.index, "attempt_token": uuid4().hex}
            self.attempts.append(server.platform.offer(order.model_copy(update=own)))
        for agent in self.agents:
            agent.start()

    def until_ended(self) -> None:
        """Wait until all have delivered; nothing of them is left."""
        for attempt, agent in zip(self.attempts, self.agents, strict=True):
            until("a member ends", lambda a=attempt: ended(a))
            until("nothing is left of it", lambda a=agent: not a.processes())

    def until_measuring(self) -> None:
        """Wait until every driver is in the measured phase, and its platform knows."""
        for member, attempt in zip(self.members, self.attempts, strict=True):
            if member.share is not None:
                until("a driver measures", lambda a=attempt: intervals(a))

    @property
    def outcomes(self) -> list[str | None]:
        """How each member's part ended."""
        return [each.completion.outcome if each.completion else None for each in self.attempts]


def intervals(attempt: Attempt, phase: str = "measure") -> list[dict[str, Any]]:
    """What a driver told of a phase."""
    found = (event["interval"] for event in attempt.of_kind("interval"))
    return [each for each in found if each["phase"] == phase]


def counted(attempt: Attempt, phase: str = "measure") -> int:
    """Operations that a driver says it did in a phase."""
    ended_phases = {each["phase"]: each for each in attempt.of_kind("phase_ended")}
    return sum(each["ok"] for each in ended_phases[phase]["operations"].values())


@contextmanager
def gang_of(
    tmp_path: Path,
    environment: Mapping[str, str],
    parts: Parts,
    *,
    ahead_us: int = 0,
    policies: Mapping[int, str] | None = None,
) -> Iterator[Gang]:
    """Enrol agents; nothing runs yet.

    :param ahead_us: how far the platform's clock is ahead of the agents'.
    :param policies: member → its policy file, where it is not the usual one.
    """
    gang = Gang(Meeting(ahead_us=ahead_us))
    drivers = sum(1 for _, drives in parts if drives)
    shares = (Share(index=n, of=drivers) for n in range(drivers))
    members = []
    for index, (nodes, drives) in enumerate(parts):
        address = f"127.0.1.{index + 1}"
        roles = (*(("server",) if nodes else ()), *(("driver",) if drives else ()))
        members.append(
            GangMember(
                index=index,
                agent_name=f"machine-{index}",
                roles=roles,
                address=address,
                nodes=nodes,
                share=next(shares) if drives else None,
            )
        )
        server = Server(Platform(meeting=gang.meeting), free_port())
        server.start()
        gang.servers.append(server)
        place = tmp_path / str(index)
        enrol(server.url, server.platform.registration_token, place / "home", name="test")
        policy = (policies or {}).get(index, f'[machine]\nhost = "{address}"\n')
        (place / "home" / "policy.toml").write_text(policy)
        gang.agents.append(RunningAgent(Home(place / "home"), dict(environment)))
    gang.members = tuple(members)
    try:
        yield gang
    finally:
        for agent in gang.agents:
            agent.end()
        for server in gang.servers:
            server.stop()
    breaches = [each.platform.breaches for each in gang.servers]
    assert not any(breaches), breaches
