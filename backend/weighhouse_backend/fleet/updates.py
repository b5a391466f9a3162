"""Brings agents up to the platform's version: asked for by people, carried out by agents."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.updates import OfferedFile, UpdateOrder, UpdateProgress

from weighhouse_backend.fleet.errors import AgentCannotUpdate
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.fleet.software import AgentUpdate, keep, software_of, update_of
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.packages.release import INSTALLER, NotServed, Release, Wheel, packages_of


@dataclass(frozen=True)
class AgentUpdates:
    """What is asked of agents, and what they say of it."""

    fleet: FleetService

    def ask(self, caller: Caller, agent_id: UUID, *, busy: bool) -> Agent:
        """Have an idle agent install the platform's version; takes a maintainer. It is given no
        work until that has ended.

        :param busy: whether a run of the caller's is under way on it; of any other it knows itself.
        :raises AgentCannotUpdate: with the reason.
        """
        caller.require(self.fleet.agent(agent_id).project_id, Role.MAINTAINER)
        release = self._release()
        agent = self.fleet.repository.lock(agent_id)
        now = self.fleet.clock.now()
        status = self.fleet.status(agent, busy=busy)
        found = software_of(agent, status, release.version, None, now)
        if found.cannot_update is not None:
            raise AgentCannotUpdate(f"{agent.name} cannot be updated now: {found.cannot_update}")
        update = AgentUpdate(
            id=new_id(),
            state="wanted",
            version=release.version,
            before=agent.agent_version,
            asked_by=caller.name,
            asked_at=now,
            changed_at=now,
        )
        keep(agent, update)
        audit.record(
            self.fleet.session, self.fleet.clock, actor=caller.name, action="agent.update_asked",
            subject=agent.name, project_id=agent.project_id, before=update.before,
            now=update.version,
        )  # fmt: skip
        self.fleet.session.flush()
        return agent

    def order(self, token: str) -> UpdateOrder:
        """What the agent with a token is to install.

        :raises AgentRefused: when the token is unknown or revoked.
        :raises NotFound: when nothing is asked of it.
        """
        agent = self.fleet.authenticate(token)
        found = update_of(agent.software_update, self.fleet.clock.now())
        if found is None or found.state not in {"wanted", "installing"}:
            raise NotFound("nothing is asked of this agent")
        release = self._release()
        installer = release.one_of(INSTALLER)
        if installer is None or release.version != found.version:
            raise NotFound(f"the platform has no version {found.version} any more")
        return UpdateOrder(
            update_id=found.id,
            version=found.version,
            installer=_offered(installer),
            files=tuple(_offered(one) for one in release.files),
        )

    def progress(self, token: str, told: UpdateProgress) -> Agent:
        """Note how far an agent is; what is told of another update than the latest is passed over.

        :raises AgentRefused: when the token is unknown or revoked.
        """
        agent = self.fleet.repository.lock(self.fleet.authenticate(token).id)
        now = self.fleet.clock.now()
        found = update_of(agent.software_update, now)
        if found is not None and found.id == told.update_id and found.state != "done":
            changes = {"state": told.state, "reason": told.reason, "changed_at": now}
            keep(agent, found.model_copy(update=changes))
        self.fleet.session.flush()
        return agent

    def _release(self) -> Release:
        try:
            return packages_of(self.fleet.settings.packages_dir).release()
        except NotServed as error:
            raise AgentCannotUpdate(f"this platform serves no packages: {error}") from error


def _offered(wheel: Wheel) -> OfferedFile:
    return OfferedFile(name=wheel.name, sha256=wheel.sha256, size_bytes=wheel.size_bytes)
