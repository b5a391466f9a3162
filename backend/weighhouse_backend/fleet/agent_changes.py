"""What maintainers change of an agent."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.schemas import AgentChange
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.fleet.views import bringer_of, tag_of, texts
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.etags import require_match
from weighhouse_backend.kit.problems import Forbidden, Invalid


@dataclass(frozen=True)
class AgentChanges:
    """Labels of agents, and the projects they work for; both are kept in the audit log."""

    fleet: FleetService

    def change(
        self, caller: Caller, agent_id: UUID, wanted: AgentChange, if_match: str | None
    ) -> Agent:
        """Change an agent; takes a maintainer of the project that it was enrolled in.

        Lending it takes a maintainer of the other project, too: it gets that project's orders, and
        its figures stand in that project's history. What is under way goes on; the next run is
        given by what it says then.

        :param if_match: tag of what was edited; None: whatever is current.
        :raises Changed: when somebody else changed it meanwhile.
        :raises Forbidden: when the caller maintains only one of the two.
        :raises Invalid: when a project is not one of its organization's.
        """
        caller.require(self.fleet.agent(agent_id).project_id, Role.MAINTAINER)
        agent = self.fleet.repository.lock(agent_id)
        require_match(if_match, tag_of(agent))
        if wanted.labels is not None and wanted.labels != agent.labels:
            before, agent.labels = agent.labels, dict(wanted.labels)
            self._audit(agent, "agent.labelled", caller, before, agent.labels)
        if "lent_to" in wanted.model_fields_set and wanted.lent_to != agent.lent_to:
            self._lend(caller, agent, wanted.lent_to)
        self.fleet.session.flush()
        return agent

    def _lend(self, caller: Caller, agent: Agent, wanted: Collection[UUID] | None) -> None:
        if wanted is None:
            raise Invalid("lent_to: name the projects; a machine is lent to no project unseen")
        served = set(self.fleet.projects_of(agent))
        self._require_theirs(caller, agent, set(wanted) - served)
        was, agent.lent_to = agent.lent_to, sorted(set(wanted))
        self.fleet.catalog.lend(bringer_of(agent))
        concerned = served.symmetric_difference(wanted) & caller.project_ids
        for project_id in sorted({agent.project_id, *concerned}):
            self._audit(agent, "agent.lent", caller, texts(was), texts(agent.lent_to), project_id)

    def _require_theirs(self, caller: Caller, agent: Agent, projects: Collection[UUID]) -> None:
        seen = self.fleet.repository.projects(agent.organization_id)
        if unknown := set(projects) - set(seen):
            named = ", ".join(sorted(str(one) for one in unknown))
            hint = "; an API token sees one: sign in, and lend it on its page"
            raise Invalid(
                f"lent_to: no project of the agent's organization: {named}"
                + (hint if caller.kind == "token" else "")
            )
        for project_id in sorted(projects):
            role = caller.roles.get(project_id)
            if role is None or not role.covers(Role.MAINTAINER):
                raise Forbidden(
                    f"you are {role or 'nobody'} in the project that it is to be lent to; this "
                    "takes a maintainer of both"
                )

    def _audit(
        self,
        agent: Agent,
        action: str,
        caller: Caller,
        before: object,
        now: object,
        project_id: UUID | None = None,
    ) -> None:
        audit.record(
            self.fleet.session,
            self.fleet.clock,
            actor=caller.name,
            action=action,
            subject=agent.name,
            project_id=project_id or agent.project_id,
            before=before,
            now=now,
        )
