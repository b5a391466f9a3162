"""Makes a machine an agent, with a registration token."""

from dataclasses import dataclass

from sqlalchemy.orm import Session
from weighhouse_protocol.machine_kinds import kind_of
from weighhouse_protocol.order import Registered, Registration

from weighhouse_backend.fleet.errors import RegistrationRefused
from weighhouse_backend.fleet.models import HOME, Agent
from weighhouse_backend.fleet.repository import FleetRepository
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.quotas.guard import QuotaGuard
from weighhouse_backend.quotas.kinds import Kind


@dataclass(frozen=True)
class Enrolment:
    """Enrols machines."""

    session: Session
    clock: Clock

    @property
    def repository(self) -> FleetRepository:
        """The feature's queries."""
        return FleetRepository(self.session)

    def register(self, token: str, registration: Registration) -> Registered:
        """Enrol a machine. The same machine may repeat the call: it gets a new agent token.

        :raises RegistrationRefused: when the token is unknown, used by another, or too old.
        :raises QuotaExceeded: when no more machines may be enrolled; the token stays good.
        """
        now = self.clock.now()
        found = self.repository.lock_registration(token_hash(token))
        if found is None or found.expires_at <= now:
            raise RegistrationRefused
        if found.used_at is not None and found.used_by != registration.instance_id:
            raise RegistrationRefused("it was used by another machine")
        agent = self.repository.by_instance(found.project_id, registration.instance_id)
        takes_a_place = agent is None or agent.revoked_at is not None
        if agent is None:
            agent = Agent(
                project_id=found.project_id,
                organization_id=self.repository.organization_of(found.project_id),
                lent_to=[found.project_id],
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
        elif agent.revoked_at is not None:
            agent.lent_to, agent.trusted = [agent.project_id], False
        agent_token = new_token("a")
        facts = registration.facts
        agent.name = registration.name
        agent.roles = [role for role in registration.roles if role in found.roles]
        agent.labels = dict(found.labels)
        agent.token_hash = token_hash(agent_token)
        # A machine that comes again looks closer only when its session begins; the token lets it
        # begin in another home.
        known = {name: fact for name, fact in agent.facts.items() if name != HOME}
        seen = facts.model_dump(mode="json", exclude_defaults=True)
        agent.facts = {**facts.model_dump(mode="json"), **known, **seen}
        agent.fingerprint = kind_of(facts)
        agent.revoked_at = None
        agent.trusted = agent.trusted or found.trusted
        if found.used_at is None:
            audit.record(
                self.session, self.clock, actor=found.created_by, action="agent.registered",
                subject=agent.name, project_id=agent.project_id,
            )  # fmt: skip
        found.used_at, found.used_by = found.used_at or now, registration.instance_id
        self.session.flush()
        if takes_a_place:
            QuotaGuard(self.session, self.clock).take(Kind.AGENTS, agent.project_id)
        return Registered(agent_id=agent.id, agent_token=agent_token)
