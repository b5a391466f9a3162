"""Enrolment and sessions of agents."""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from uuid import UUID

from sqlalchemy.orm import Session
from weighhouse_protocol.order import (
    Registered,
    Registration,
    SessionOpened,
    SessionOpening,
)

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.enrolment import Enrolment
from weighhouse_backend.fleet.errors import AgentRefused, SecondSession
from weighhouse_backend.fleet.models import Agent, RegistrationToken
from weighhouse_backend.fleet.repository import FleetRepository
from weighhouse_backend.fleet.retirement import Retirement
from weighhouse_backend.fleet.schemas import (
    AgentRead,
    AgentStatus,
    RegistrationTokenCreate,
    RegistrationTokenMade,
)
from weighhouse_backend.fleet.sessions import AgentSessions
from weighhouse_backend.fleet.sightings import Known, as_known, known_of
from weighhouse_backend.fleet.software import may_work, software_of
from weighhouse_backend.fleet.unavailability import rest
from weighhouse_backend.fleet.views import Offers, shown
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import Grant, may_give
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.scopes import Scope
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.packages.release import NotServed, own_version, packages_of
from weighhouse_backend.packages.script import line

MOST_CANDIDATES = 2000
"""Agents of a project that an allocator looks at in one round."""
SEEN_GRAIN = datetime.timedelta(seconds=15)
"""An agent's row is not written more often than this for having been seen."""


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

    @property
    def retirement(self) -> Retirement:
        """How machines end."""
        return Retirement(self.session, self.clock, self.catalog)

    # People

    def make_registration_token(
        self, caller: Caller, wanted: RegistrationTokenCreate
    ) -> RegistrationTokenMade:
        """A token with which one machine may enrol, once; takes a maintainer."""
        project_id = caller.project_or_only(wanted.project_id)
        caller.require(project_id, Role.MAINTAINER)
        grant = may_give(caller, Role.MAINTAINER, [Scope.AGENTS_ENROL], project_id=project_id)
        made = self.issue_registration(
            grant,
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
        grant: Grant,
        author: str,
        *,
        labels: Mapping[str, str],
        roles: Sequence[str],
        lifetime: datetime.timedelta,
        trusted: bool = False,
    ) -> RegistrationTokenMade:
        """A registration token for a grant's project.

        :param trusted: what the machine brings is in force in the project by itself.
        """
        token = new_token("r")
        now = self.clock.now()
        self.repository.add(
            grant.row(
                RegistrationToken,
                token_hash=token_hash(token),
                labels=dict(labels),
                roles=list(roles),
                created_by=author,
                created_at=now,
                expires_at=now + lifetime,
                trusted=trusted,
            )
        )
        command = f"weighhouse agent enrol --url {self.settings.public_url} --token {token}"
        try:
            packages_of(self.settings.packages_dir).release()
            install, why_not = line(self.settings, token), None
        except NotServed as error:
            install, why_not = None, str(error)
        return RegistrationTokenMade(
            token=token,
            expires_at=now + lifetime,
            command=command,
            install_command=install,
            not_installable=why_not,
        )

    def agents(
        self,
        caller: Caller,
        project_id: UUID | None,
        busy: Mapping[UUID, UUID],
        silent: Mapping[UUID, float] = MappingProxyType({}),
    ) -> list[AgentRead]:
        """The agents that work for the caller's projects.

        :param busy: agent → run it carries out.
        :param silent: agent → seconds since something was heard of it, though it is at work.
        """
        if project_id is not None:
            caller.require(project_id)
        projects = [project_id] if project_id is not None else list(caller.project_ids)
        offers, served = self._offers(projects), self._served()
        return [
            self._shown(agent, busy.get(agent.id), offers, silent.get(agent.id), served)
            for agent in self.repository.agents(projects)
        ]

    def read(self, agent: Agent, run_id: UUID | None, silent_seconds: float | None) -> AgentRead:
        """An agent as people see it."""
        offers = self._offers(self.projects_of(agent))
        return self._shown(agent, run_id, offers, silent_seconds, self._served())

    def _shown(
        self,
        agent: Agent,
        run_id: UUID | None,
        offers: Offers,
        silent_seconds: float | None,
        served: tuple[str, str | None],
    ) -> AgentRead:
        status = self.status(agent, busy=run_id is not None)
        if status in {"busy", "draining"} and silent_seconds is not None:
            status = "unreachable"
        software = software_of(agent, status, *served, self.clock.now())
        return shown(agent, status, run_id, offers, software, silent_seconds)

    def _served(self) -> tuple[str, str | None]:
        """This platform's version, and why its packages are not served; None: they are."""
        packages = packages_of(self.settings.packages_dir)
        return packages.wanted, packages.trouble()

    def _offers(self, project_ids: Collection[UUID]) -> Offers:
        offers = self.catalog.offers(project_ids)
        return {(one.agent_id, one.plugin_id): one for one in offers}

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

    def found(self, caller: Caller, agent_id: UUID) -> Agent:
        """An agent that works for a project of the caller, or was enrolled there.

        :raises NotFound: when there is none that they see.
        """
        agent = self.agent(agent_id)
        if not caller.project_ids & {agent.project_id, *self.projects_of(agent)}:
            raise NotFound
        return agent

    def projects_of(self, agent: Agent) -> list[UUID]:
        """Projects that an agent works for."""
        lent = agent.lent_to
        return list(self.repository.projects(agent.organization_id) if lent is None else lent)

    def silent(self, since: datetime.datetime) -> Sequence[Agent]:
        """Agents that may work, had a session, and were not heard of since; for features above."""
        return self.repository.silent(since)

    def revoke(self, caller: Caller, agent_id: UUID) -> Agent:
        """Make an agent's token worthless; takes a maintainer. Repeatable."""
        agent = self._owned(caller, agent_id)
        self.retirement.revoke(agent, caller.name)
        return agent

    def counts_by_plugin(self, project_ids: Collection[UUID]) -> dict[str, int]:
        """How many agents that work for projects have each plugin."""
        return self.repository.counts_by_plugin(project_ids)

    def names(self, agent_ids: Iterable[UUID]) -> dict[UUID, str]:
        """Names of agents."""
        return self.repository.names(set(agent_ids))

    # Agents

    def register(self, token: str, registration: Registration) -> Registered:
        """Enrol a machine. The same machine may repeat the call: it gets a new agent token.

        :raises RegistrationRefused: when the token is unknown, used by another, or too old.
        :raises QuotaExceeded: when no more machines may be enrolled.
        """
        return Enrolment(self.session, self.clock).register(token, registration)

    def who(self, token: str) -> Known:
        """The agent with a token; writes nothing.

        :raises AgentRefused: when the token is unknown or revoked.
        """
        return as_known(self.known(token), self.clock.now())

    def note_seen(
        self, seen: Mapping[UUID, datetime.datetime]
    ) -> tuple[list[Known], Collection[UUID]]:
        """Write when agents were last seen, for all of them in one statement.

        :returns: those of them that are enrolled and not revoked; and those that were written:
            rows that another transaction holds just now are left for the next time.
        """
        if not seen:
            return [], ()
        now = self.clock.now()
        known = [known_of(*row, now) for row in self.repository.enrolled(seen.keys())]
        return known, self.repository.note_seen(seen)

    def known(self, token: str) -> Agent:
        """The agent with a token; that it called is not noted. The transaction sees its projects
        alone.

        :raises AgentRefused: when the token is unknown or revoked.
        """
        agent = self.repository.by_token(token_hash(token))
        if agent is None or agent.revoked_at is not None:
            raise AgentRefused
        confine(self.session, {agent.project_id, *self.projects_of(agent)})
        return agent

    def authenticate(self, token: str) -> Agent:
        """The agent with a token, as `known`; notes that it called."""
        agent = self.known(token)
        now = self.clock.now()
        if agent.seen_at is None or now - agent.seen_at > SEEN_GRAIN:
            agent.seen_at = now
        return agent

    def open_session(
        self, token: str, opening: SessionOpening, set_aside: Mapping[str, str] | None = None
    ) -> SessionOpened:
        """Begin an agent's session; the same home may begin again after a crash.

        A home that was moved to another machine may begin there once the old one is silent.

        :param set_aside: plugins whose manifests could not be read, with the reason.
        :raises AgentRefused: when the token is unknown or revoked.
        :raises AgentVersionRefused: when the platform does not work with its version.
        :raises SecondSession: when another home uses this agent's token, or when the home was
            copied to another machine while the first one is at work.
        """
        agent = self.known(token)
        sessions = AgentSessions(self.session, self.clock, self.settings, self.catalog)
        reachable = self.is_reachable(agent)
        return sessions.open(agent, opening, set_aside or {}, reachable=reachable)

    def require_session(self, agent: Agent, process_id: UUID) -> None:
        """Hold a claim against the agent's session: only the program that opened it gets work.

        :raises SecondSession: when another one did.
        """
        if agent.process_id is not None and agent.process_id != process_id:
            raise SecondSession("another program has opened this agent's session since; end it")

    def takes_work(self, agent: Agent) -> None:
        """An agent came for work: it rests no more, though that may have been lost on the way."""
        rest(self.session, self.clock, agent, None)

    def candidates(self, project_id: UUID) -> list[Agent]:
        """A project's agents that may take work now, not locked: reachable, in a session, neither
        draining nor at rest; so many at most as are looked at in one round.
        """
        return list(filter(self._may_work, self.repository.working(project_id, MOST_CANDIDATES)))

    def enrolled(self, project_id: UUID) -> list[Agent]:
        """A project's agents that are not revoked and have had a session, reachable or not."""
        return [
            agent
            for agent in self.repository.agents([project_id])
            if agent.revoked_at is None
            and agent.process_id is not None
            and (agent.lent_to is None or project_id in agent.lent_to)
        ]

    def plugins_in_force(self, project_id: UUID) -> dict[UUID, frozenset[str]]:
        """Agent → plugins that it may be given work of in a project."""
        return self.catalog.in_force(project_id)

    def serves(self, agent: Agent, project_id: UUID, plugins: Collection[str]) -> bool:
        """Whether an agent may be given a project's work with some plugins: it is lent to it, and
        the manifests that it has now are in force there.
        """
        in_force = self.catalog.in_force(project_id, agent.id)
        return set(plugins) <= in_force.get(agent.id, frozenset())

    def lock_free(self, agent_ids: Sequence[UUID]) -> list[Agent]:
        """Those of some agents that may take work and that nobody holds, locked in the order of
        their ids. Never waits.
        """
        return list(filter(self._may_work, self.repository.lock_working(agent_ids)))

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

    def _may_work(self, agent: Agent) -> bool:
        if agent.process_id is None or agent.resting is not None:
            return False
        return self.is_reachable(agent) and may_work(agent, own_version(), self.clock.now())

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
