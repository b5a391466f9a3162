"""What is told of, over which channels, and what can become of a delivery."""

from enum import StrEnum


class NoticeKind(StrEnum):
    """What a notice tells of."""

    REGRESSION = "regression"
    """Series of an experiment became worse, confirmed."""
    CAMPAIGN_DONE = "campaign_done"
    """A campaign has its results."""
    CAMPAIGN_FAILED = "campaign_failed"
    """A campaign ended without a result."""
    MISSED_RUN = "missed_run"
    """A schedule started nothing on a date."""
    AGENT_SILENT = "agent_silent"
    """Nobody hears of an agent that work waits for."""
    AGENT_RESTING = "agent_resting"
    """An agent takes no work because its machine does not allow it: a full disk, for example."""
    QUOTA = "quota"
    """A limit of the organization or project is near, or reached."""
    CHALLENGE = "challenge"
    """Somebody says that a result is wrong, or such a challenge was answered or decided."""
    REPLY = "reply"
    """A vendor replied to a result."""


class ChannelKind(StrEnum):
    """How a project's channel is reached."""

    WEBHOOK = "webhook"
    """A signed JSON body to an address of one's own."""
    MAIL = "mail"
    """A mailbox that several people read."""
    SLACK = "slack"
    TEAMS = "teams"
    DISCORD = "discord"


class OpenTo(StrEnum):
    """Who can open the pages that a channel's messages link to."""

    MEMBERS = "members"
    """Who has a role in the project, and signs in."""
    READERS = "readers"
    """Whoever reads the channel, as far as the terms of what it tells of allow it."""


class DeliveryState(StrEnum):
    """What became of a delivery."""

    PENDING = "pending"
    """It is tried, or waits for its time."""
    DELIVERED = "delivered"
    FAILED = "failed"
    """It was refused for good, or tried for a day."""
    DROPPED = "dropped"
    """Nobody is to get it any more: the person left, or the channel was switched off."""


class AttemptOutcome(StrEnum):
    """How one attempt ended."""

    DELIVERED = "delivered"
    REFUSED = "refused"
    """The other side answered, and did not take it."""
    UNREACHABLE = "unreachable"
    """There was no answer, or none in time."""
    FORBIDDEN = "forbidden"
    """The address is one that this installation does not send to."""


class Digest(StrEnum):
    """When a person's mail goes out."""

    NOW = "now"
    DAILY = "daily"
    """Once a day, all that came since in one letter."""
