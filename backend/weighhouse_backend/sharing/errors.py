"""Why something is not shown, or cannot be shared."""

from weighhouse_backend.kit.problems import Forbidden, Invalid, NotFound, Problem


class ShareGone(NotFound, title="Nothing is shared here (any more)"):
    """A link that was not made here, has ended, or was revoked; which, is not told."""


class LinkLocked(Forbidden, title="This link asks for a password"):
    """The password is missing, or wrong."""


class MembersOnly(Forbidden, title="This link is for members of the organization"):
    """Whoever opens it is not signed in as somebody of the organization."""


class TooManyPasswords(Problem, status=429, title="Too many wrong passwords; wait some time"):
    """Somebody guesses at a link's password."""


class NotShareable(Invalid, title="This cannot be shared so"):
    """What is wanted does not go together, or is not of one project."""
