"""What can go wrong with campaigns, as problems."""

from weighhouse_backend.kit.problems import Problem


class CampaignNotFound(Problem):
    """There is no such campaign, or it is not the caller's to see."""

    status = 404
    slug = "campaign-not-found"
    title = "Campaign not found"


class RunNotFound(Problem):
    """There is no such run, or it is not the caller's to see."""

    status = 404
    slug = "run-not-found"
    title = "Run not found"


class TransitionRefused(Problem):
    """What was asked does not fit the state a campaign, run or attempt is in."""

    status = 409
    slug = "transition-refused"
    title = "Not possible in this state"


class NothingToRetry(Problem):
    """Failed runs are to be tried again, and there are none."""

    status = 409
    slug = "nothing-to-retry"
    title = "No run has failed"


class BaseCampaignUnusable(Problem):
    """The campaign to compare with does not exist, has not completed, or is of other making."""

    status = 422
    slug = "base-campaign-unusable"
    title = "The base campaign cannot be used"


class RepeatsRefused(Problem):
    """More repeats of a campaign that would grow beyond all bounds, or has nothing undecided."""

    status = 409
    slug = "repeats-refused"
    title = "No repeats can be added"


class AttemptTokenInvalid(Problem):
    """The bearer token is not that of the attempt in the address."""

    status = 401
    slug = "attempt-token-invalid"
    title = "Attempt token not valid"


class AttemptNotYours(Problem):
    """The attempt has ended, was given to another, or its fence is an older one."""

    status = 409
    slug = "attempt-not-yours"
    title = "The attempt is not this agent's any more"


class EventsMissing(Problem):
    """A completion came before all events of its attempt."""

    status = 409
    slug = "events-missing"
    title = "Events of the attempt are missing"


class NothingToAccept(Problem):
    """A campaign was to be accepted that has no verdict yet, or none that stands against it."""

    status = 409
    slug = "nothing-to-accept"
    title = "There is nothing to accept"


class ReleaseTaken(Problem):
    """Another campaign of the experiment stands for the release."""

    status = 409
    slug = "release-taken"
    title = "Another campaign stands for the release"


class NoSuchBarrier(Problem):
    """The gang of an attempt has no such barrier, or what was to be told there is too long."""

    status = 422
    slug = "no-such-barrier"
    title = "The gang has no such barrier"
