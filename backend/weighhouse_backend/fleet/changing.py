"""What maintainers change of an agent."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.schemas import AgentChange
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.fleet.views import tag_of, texts
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.etags import require_match
from weighhouse_backend.kit.problems import Invalid


@dataclass(frozen=True)
class AgentChanges:
    """Labels of agents, and the projects they work for; both are kept in the audit log."""

    fleet: FleetService

    def change(
        self, caller: Caller, agent_id: UUID, wanted: AgentChange, if_match: str | None
    ) -> Agent:
        """Change an agent; takes a maintainer.

        What is under way goes on; the next run is given by what it says then.

        :param if_match: tag of what was edited; None: whatever is current.
        :raises Changed: when somebody else changed it meanwhile.
        :raises Invalid: when a project is not one of its organization's.
        """
        caller.require(self.fleet.agent(agent_id).project_id, Role.MAINTAINER)
        agent = self.fleet.repository.lock(agent_id)
        require_match(if_match, tag_of(agent))
        if wanted.labels is not None and wanted.labels != agent.labels:
            before, agent.labels = agent.labels, dict(wanted.labels)
            self._audit(agent, "agent.labelled", caller, before, agent.labels)
        if "lent_to" in wanted.model_fields_set and wanted.lent_to != agent.lent_to:
            lent_to = None if wanted.lent_to is None else sorted(set(wanted.lent_to))
            self._require_own(agent, lent_to or ())
            was, agent.lent_to = agent.lent_to, lent_to
            self.fleet.catalog.lend(agent.id, lent_to)
            self._audit(agent, "agent.lent", caller, texts(was), texts(lent_to))
        self.fleet.session.flush()
        return agent

    def _require_own(self, agent: Agent, projects: Collection[UUID]) -> None:
        unknown = set(projects) - set(self.fleet.repository.projects(agent.organization_id))
        if unknown:
            named = ", ".join(sorted(str(one) for one in unknown))
            raise Invalid(f"lent_to: no project of the agent's organization: {named}")

    def _audit(
        self, agent: Agent, action: str, caller: Caller, before: object, now: object
    ) -> None:
        audit.record(
            self.fleet.session,
            self.fleet.clock,
            actor=caller.name,
            action=action,
            subject=agent.name,
            project_id=agent.project_id,
            before=before,
            now=now,
        )
