"""Why something may not be published, answered or challenged."""

from weighhouse_backend.kit.problems import Conflict, NotFound, Problem


class PublicationRefused(Problem, status=403, title="These figures may not leave the organization"):
    """What was asked for may not leave the organization."""


class NotOfThisCampaign(Problem, status=422, title="The campaign did not measure this system"):
    """The campaign has no such system."""


class ReplyLinkInvalid(NotFound, title="This link does not lead anywhere (any more)"):
    """A link for replies that was not made here, has ended, or was revoked."""


class TooManyReplies(Problem, status=429, title="Too many replies over this link; wait some time"):
    """A vendor answers again and again."""


class StateRefused(
    Conflict, slug="disclosure-state-refused", title="It is not in a state for this"
):
    """A challenge, consent, override or reply is not in a state for this."""
