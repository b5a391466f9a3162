"""What can go wrong with channels."""

from weighhouse_backend.kit.problems import Conflict, FieldProblem, Invalid, NotFound


class ChannelNotFound(NotFound, title="There is no such channel here"):
    """There is no such channel, or not for this caller."""


class ChannelNameTaken(Conflict, title="The project has a channel of this name"):
    """Channels of a project have different names."""


class TooManyChannels(Conflict, title="The project has as many channels as it may"):
    """A project has as many channels as it may."""


def invalid(path: str, message: str, expected: str | None = None) -> Invalid:
    """A field of a body that is wrong."""
    problem = FieldProblem(path=path, message=message, expected=expected)
    return Invalid(f"{path}: {message}", errors=[problem])
