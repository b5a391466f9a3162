"""Enrolment and sessions of agents."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session
from weighhouse_protocol.order import (
    Registered,
    Registration,
    SessionOpened,
    SessionOpening,
    Timings,
)

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.errors import AgentRefused, RegistrationRefused, SecondSession
from weighhouse_backend.fleet.models import Agent, RegistrationToken
from weighhouse_backend.fleet.repository import FleetRepository
from weighhouse_backend.fleet.schemas import (
    AgentRead,
    AgentStatus,
    PluginOnAgent,
    RegistrationTokenCreate,
    RegistrationTokenMade,
)
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.tenancy import confine

MOST_CANDIDATES = 2000
"""Agents of a project that an allocator looks at in one round."""
SEEN_GRAIN = datetime.timedelta(seconds=1)


@dataclass(frozen=True)
class FleetService:
    """Agents and how they come to us."""

    session: Session
    clock: Clock
    settings: Settings
    catalog: CatalogService

    @property
    def repository(self) -> FleetRepository:
        """The feature's queries, for its own use."""
        return FleetRepository(self.session)

    # People

    def make_registration_token(
        self, caller: Caller, wanted: RegistrationTokenCreate
    ) -> RegistrationTokenMade:
        """A token with which one machine may enrol, once; takes a maintainer."""
        project_id = caller.project_or_only(wanted.project_id)
        caller.require(project_id, Role.MAINTAINER)
        made = self.issue_registration(
            project_id,
            caller.name,
            labels=wanted.labels,
            roles=list(wanted.roles),
            lifetime=datetime.timedelta(minutes=wanted.expires_in_minutes),
        )
        audit.record(
            self.session,
            self.clock,
            actor=caller.name,
            action="registration_token.created",
            subject="agent",
            project_id=project_id,
        )
        return made

    def issue_registration(
        self,
        project_id: UUID,
        author: str,
        *,
        labels: Mapping[str, str],
        roles: Sequence[str],
        lifetime: datetime.timedelta,
    ) -> RegistrationTokenMade:
        """A registration token without asking who wants it; for the installation itself."""
        token = new_token("r")
        now = self.clock.now()
        self.repository.add(
            RegistrationToken(
                project_id=project_id,
                token_hash=token_hash(token),
                labels=dict(labels),
                roles=list(roles),
                created_by=author,
                created_at=now,
                expires_at=now + lifetime,
            )
        )
        command = f"weighhouse agent enrol --url {self.settings.public_url} --token {token}"
        return RegistrationTokenMade(token=token, expires_at=now + lifetime, command=command)

    def agents(
        self, caller: Caller, project_id: UUID | None, busy: Mapping[UUID, UUID]
    ) -> list[AgentRead]:
        """The agents of the caller's projects.

        :param busy: agent → run it carries out.
        """
        if project_id is not None:
            caller.require(project_id)
        projects = [project_id] if project_id is not None else list(caller.project_ids)
        return [self.read(agent, busy.get(agent.id)) for agent in self.repository.agents(projects)]

    def read(self, agent: Agent, run_id: UUID | None) -> AgentRead:
        """An agent as people see it."""
        return AgentRead(
            id=agent.id,
            name=agent.name,
            status=self.status(agent, busy=run_id is not None),
            roles=agent.roles,
            labels=agent.labels,
            current_run_id=run_id,
            last_heartbeat_at=agent.seen_at,
            spool_bytes=agent.spool_bytes,
            facts=agent.facts,
            plugins=[PluginOnAgent(id=k, version=str(v)) for k, v in sorted(agent.plugins.items())],
            policy=agent.policy,
            agent_version=agent.agent_version,
            registered_at=agent.registered_at,
        )

    def status(self, agent: Agent, *, busy: bool) -> AgentStatus:
        """How an agent is doing now."""
        if agent.revoked_at is not None:
            return "revoked"
        if not self.is_reachable(agent):
            return "unreachable"
        if agent.draining:
            return "draining"
        return "busy" if busy else "online"

    def is_reachable(self, agent: Agent) -> bool:
        """Whether an agent called within its lease, or its long poll may still be open."""
        if agent.seen_at is None:
            return False
        allowed = max(self.settings.lease_seconds, self.settings.long_poll_seconds + 15)
        return (self.clock.now() - agent.seen_at).total_seconds() <= allowed

    def set_draining(self, caller: Caller, agent_id: UUID, *, draining: bool) -> Agent:
        """Give an agent no new runs, or give it some again; takes a maintainer."""
        agent = self._owned(caller, agent_id)
        agent.draining = draining
        self._audit(agent, "agent.drained" if draining else "agent.resumed", caller.name)
        return agent

    def revoke(self, caller: Caller, agent_id: UUID) -> Agent:
        """Make an agent's token worthless; takes a maintainer. Repeatable."""
        agent = self._owned(caller, agent_id)
        if agent.revoked_at is None:
            agent.revoked_at = self.clock.now()
            self._audit(agent, "agent.revoked", caller.name)
        return agent

    def counts_by_plugin(self, caller: Caller) -> dict[str, int]:
        """How many of the caller's agents have each plugin."""
        return self.repository.counts_by_plugin(list(caller.project_ids))

    # Agents

    def register(self, token: str, registration: Registration) -> Registered:
        """Enrol a machine. The same machine may repeat the call: it gets a new agent token.

        :raises RegistrationRefused: when the token is unknown, used by another, or too old.
        """
        now = self.clock.now()
        found = self.repository.lock_registration(token_hash(token))
        if found is None or found.expires_at <= now:
            raise RegistrationRefused
        if found.used_at is not None and found.used_by != registration.instance_id:
            raise RegistrationRefused("it was used by another machine")
        agent = self.repository.by_instance(found.project_id, registration.instance_id)
        if agent is None:
            agent = Agent(
                project_id=found.project_id,
                instance_id=registration.instance_id,
                registered_at=now,
                facts={},
                fingerprint="",
                roles=[],
                name="",
                token_hash="",
            )
            self.session.add(agent)
        elif agent.revoked_at is not None and found.used_at is not None:
            raise RegistrationRefused("this agent was revoked; enrol it with a new token")
        agent_token = new_token("a")
        facts = registration.facts
        agent.name = registration.name
        agent.roles = [role for role in registration.roles if role in found.roles]
        agent.labels = dict(found.labels)
        agent.token_hash = token_hash(agent_token)
        agent.facts = facts.model_dump(mode="json")
        agent.fingerprint = facts.fingerprint()
        agent.revoked_at = None
        if found.used_at is None:
            self._audit(agent, "agent.registered", actor=found.created_by)
        found.used_at, found.used_by = found.used_at or now, registration.instance_id
        self.session.flush()
        return Registered(agent_id=agent.id, agent_token=agent_token)

    def authenticate(self, token: str) -> Agent:
        """The agent with a token; notes that it called. The transaction sees its project alone.

        :raises AgentRefused: when the token is unknown or revoked.
        """
        agent = self._known(token)
        now = self.clock.now()
        if agent.seen_at is None or now - agent.seen_at > SEEN_GRAIN:
            agent.seen_at = now
        return agent

    def open_session(self, token: str, opening: SessionOpening) -> SessionOpened:
        """Begin an agent's session; the same home may begin again after a crash.

        A home that was moved to another machine may begin there once the old one is silent.

        :raises AgentRefused: when the token is unknown or revoked.
        :raises SecondSession: when another home uses this agent's token, or when the home was
            copied to another machine while the first one is at work.
        """
        agent = self._known(token)
        if opening.instance_id != agent.instance_id:
            raise SecondSession("its token was copied to another home; enrol that machine itself")
        elsewhere = opening.facts.machine_id != agent.facts.get("machine_id")
        if elsewhere and agent.process_id is not None and self.is_reachable(agent):
            raise SecondSession("its home was copied; the machine it came from is still at work")
        agent.process_id = opening.process_id
        agent.agent_version = opening.agent_version
        agent.facts = opening.facts.model_dump(mode="json")
        agent.fingerprint = opening.facts.fingerprint()
        agent.policy = opening.policy.model_dump(mode="json")
        agent.plugins = {manifest.id: manifest.version for manifest in opening.manifests}
        agent.deployments = {
            manifest.id: list(manifest.deployments) for manifest in opening.manifests
        }
        agent.seen_at = self.clock.now()
        self.catalog.bring(opening.manifests)
        heartbeat = self.settings.heartbeat_seconds
        return SessionOpened(
            agent_id=agent.id,
            timings=Timings(
                long_poll_seconds=self.settings.long_poll_seconds,
                heartbeat_seconds=heartbeat,
                upload_seconds=min(1.0, heartbeat / 2),
            ),
            directives=("drain",) if agent.draining else (),
            server_time=self.clock.now(),
        )

    def candidates(self, project_id: UUID) -> list[Agent]:
        """A project's agents that may take work now, not locked: reachable, not draining, in a
        session; so many at most as are looked at in one round.
        """
        return [
            agent
            for agent in self.repository.working(project_id, MOST_CANDIDATES)
            if agent.process_id is not None and self.is_reachable(agent)
        ]

    def enrolled(self, project_id: UUID) -> list[Agent]:
        """A project's agents that are not revoked and have had a session, reachable or not."""
        return [
            agent
            for agent in self.repository.agents([project_id])
            if agent.revoked_at is None and agent.process_id is not None
        ]

    def lock_free(self, agent_ids: Sequence[UUID]) -> list[Agent]:
        """Those of some agents that may take work and that nobody holds, locked in the order of
        their ids. Never waits.
        """
        return [
            agent
            for agent in self.repository.lock_working(agent_ids)
            if agent.process_id is not None and self.is_reachable(agent)
        ]

    def agent(self, agent_id: UUID) -> Agent:
        """:raises NotFound: when there is no such agent."""
        found = self.repository.agent(agent_id)
        if found is None:
            raise NotFound
        return found

    def touch(self, agent_id: UUID, *, spool_bytes: int | None = None) -> None:
        """Note that an agent called with an attempt's token, and how much it holds back.

        Locks the agent's row: it comes before every row of a campaign.

        :raises AgentRefused: when the agent was revoked; its attempts end with it.
        """
        agent = self.agent(agent_id)
        if agent.revoked_at is not None:
            raise AgentRefused
        agent.seen_at = self.clock.now()
        if spool_bytes is not None:
            agent.spool_bytes = spool_bytes
        self.session.flush()

    def _known(self, token: str) -> Agent:
        agent = self.repository.by_token(token_hash(token))
        if agent is None or agent.revoked_at is not None:
            raise AgentRefused
        confine(self.session, [agent.project_id])
        return agent

    def _owned(self, caller: Caller, agent_id: UUID) -> Agent:
        agent = self.agent(agent_id)
        caller.require(agent.project_id, Role.MAINTAINER)
        return agent

    def _audit(self, agent: Agent, action: str, actor: str) -> None:
        audit.record(
            self.session,
            self.clock,
            actor=actor,
            action=action,
            subject=agent.name,
            project_id=agent.project_id,
        )
