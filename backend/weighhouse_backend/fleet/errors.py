"""What can go wrong with agents."""

from weighhouse_backend.kit.problems import Conflict, NotAuthenticated


class RegistrationRefused(NotAuthenticated):
    """The registration token is unknown, used by another machine, or too old."""

    slug = "registration-refused"
    title = "This registration token does not work (any more)"


class AgentRefused(NotAuthenticated):
    """The agent's token is unknown or revoked."""

    slug = "agent-refused"
    title = "This agent is not enrolled (any more)"


class SecondSession(Conflict):
    """Another program holds this agent's session."""

    slug = "second-session"
    title = "Another program uses this agent's identity right now"
