"""What can go wrong with agents."""

from weighhouse_backend.kit.problems import Conflict, Invalid, NotAuthenticated


class RegistrationRefused(
    NotAuthenticated, title="This registration token does not work (any more)"
):
    """The registration token is unknown, used by another machine, or too old."""


class AgentRefused(NotAuthenticated, title="This agent is not enrolled (any more)"):
    """The agent's token is unknown or revoked."""


class SecondSession(Conflict, title="Another program uses this agent's identity right now"):
    """Another program holds this agent's session."""


class AgentVersionRefused(Invalid, title="This platform does not work with that version of agents"):
    """The agent is newer than the platform, or older than the last two minor versions."""


class AgentCannotUpdate(Conflict, title="This agent cannot be brought up to date now"):
    """It is at work, its policy forbids it, or the platform has no packages."""
