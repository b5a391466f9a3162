"""What can go wrong with channels."""

from weighhouse_backend.kit.problems import Conflict, FieldProblem, Invalid, NotFound


class ChannelNotFound(NotFound):
    """There is no such channel, or not for this caller."""

    slug = "channel-not-found"
    title = "There is no such channel here"


class ChannelNameTaken(Conflict):
    """Channels of a project have different names."""

    slug = "channel-name-taken"
    title = "The project has a channel of this name"


class TooManyChannels(Conflict):
    """A project has as many channels as it may."""

    slug = "too-many-channels"
    title = "The project has as many channels as it may"


def invalid(path: str, message: str, expected: str | None = None) -> Invalid:
    """A field of a body that is wrong."""
    problem = FieldProblem(path=path, message=message, expected=expected)
    return Invalid(f"{path}: {message}", errors=[problem])
