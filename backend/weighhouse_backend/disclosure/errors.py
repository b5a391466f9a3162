"""Why something may not be published, answered or challenged."""

from weighhouse_backend.kit.problems import Conflict, NotFound, Problem


class PublicationRefused(Problem):
    """What was asked for may not leave the organization."""

    status = 403
    slug = "publication-refused"
    title = "These figures may not leave the organization"


class NotOfThisCampaign(Problem):
    """The campaign has no such system."""

    status = 422
    slug = "not-of-this-campaign"
    title = "The campaign did not measure this system"


class ReplyLinkInvalid(NotFound):
    """A link for replies that was not made here, has ended, or was revoked."""

    slug = "reply-link-invalid"
    title = "This link does not lead anywhere (any more)"


class TooManyReplies(Problem):
    """A vendor answers again and again."""

    status = 429
    slug = "too-many-replies"
    title = "Too many replies over this link; wait some time"


class StateRefused(Conflict):
    """A challenge, consent, override or reply is not in a state for this."""

    slug = "disclosure-state-refused"
    title = "It is not in a state for this"
