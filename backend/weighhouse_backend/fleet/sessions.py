"""Opens sessions of agents."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session
from weighhouse_protocol.machine_kinds import kind_of
from weighhouse_protocol.order import SessionOpened, SessionOpening, Timings

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.errors import AgentVersionRefused, SecondSession
from weighhouse_backend.fleet.models import HOME, Agent
from weighhouse_backend.fleet.software import begun_anew, refusal
from weighhouse_backend.fleet.unavailability import rest
from weighhouse_backend.fleet.views import bringer_of
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.packages.release import own_version


@dataclass(frozen=True)
class AgentSessions:
    """Takes in what an agent says of itself."""

    session: Session
    clock: Clock
    settings: Settings
    catalog: CatalogService

    def open(
        self,
        agent: Agent,
        opening: SessionOpening,
        set_aside: Mapping[str, str],
        *,
        reachable: bool,
    ) -> SessionOpened:
        """Begin an agent's session.

        :param set_aside: plugins whose manifests could not be read, with the reason.
        :param reachable: whether it called within its lease.
        :raises AgentVersionRefused: when the platform does not work with its version.
        :raises SecondSession: when another home uses this agent's token.
        """
        require_version(opening.agent_version, self.settings)
        if opening.instance_id != agent.instance_id:
            raise SecondSession("its token was copied to another home; enrol that machine itself")
        known_home = agent.facts.get(HOME) or opening.home
        elsewhere = (
            opening.facts.machine_id != agent.facts.get("machine_id") or opening.home != known_home
        )
        another = agent.process_id not in {None, opening.process_id}
        if elsewhere and another and reachable:
            raise SecondSession(
                "its home was copied, and the one that it was copied from is still at work; enrol "
                "this one by itself, with a home of its own"
            )
        if agent.process_id != opening.process_id:
            begun_anew(agent, opening.agent_version, self.clock.now())
        agent.process_id = opening.process_id
        agent.agent_version = opening.agent_version
        agent.facts = {**opening.facts.model_dump(mode="json"), HOME: opening.home}
        agent.fingerprint = kind_of(opening.facts)
        agent.policy = opening.policy.model_dump(mode="json")
        agent.plugins = {manifest.id: manifest.version for manifest in opening.manifests}
        agent.deployments = {one.id: list(one.deployments) for one in opening.manifests}
        agent.seen_at = self.clock.now()
        rest(self.session, self.clock, agent, opening.resting)
        full = self.catalog.offer(bringer_of(agent), opening.manifests)
        agent.set_aside = {**set_aside, **full}
        heartbeat = self.settings.heartbeat_seconds
        return SessionOpened(
            agent_id=agent.id,
            timings=Timings(
                long_poll_seconds=self.settings.long_poll_seconds,
                heartbeat_seconds=heartbeat,
                upload_seconds=min(1.0, heartbeat / 2),
                sign_seconds=self.settings.agent_sign_seconds or None,
            ),
            directives=("drain",) if agent.draining else (),
            server_time=self.clock.now(),
        )


def require_version(agent_version: str, settings: Settings) -> None:
    """:raises AgentVersionRefused: when this platform does not work with a version of agents."""
    why = refusal(agent_version, own_version(), settings.public_url.rstrip("/"))
    if why is not None:
        raise AgentVersionRefused(why)
