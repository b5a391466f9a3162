"""What can go wrong with campaigns, as problems."""

from weighhouse_backend.kit.problems import Problem


class CampaignNotFound(Problem, status=404, title="Campaign not found"):
    """There is no such campaign, or it is not the caller's to see."""


class RunNotFound(Problem, status=404, title="Run not found"):
    """There is no such run, or it is not the caller's to see."""


class TransitionRefused(Problem, status=409, title="Not possible in this state"):
    """What was asked does not fit the state a campaign, run or attempt is in."""


class NothingToRetry(Problem, status=409, title="No run has failed"):
    """Failed runs are to be tried again, and there are none."""


class BaseCampaignUnusable(Problem, status=422, title="The base campaign cannot be used"):
    """The campaign to compare with does not exist, has not completed, or is of other making."""


class RepeatsRefused(Problem, status=409, title="No repeats can be added"):
    """More repeats of a campaign that would grow beyond all bounds, or has nothing undecided."""


class AttemptTokenInvalid(Problem, status=401, title="Attempt token not valid"):
    """The bearer token is not that of the attempt in the address."""


class AttemptNotYours(Problem, status=409, title="The attempt is not this agent's any more"):
    """The attempt has ended, was given to another, or its fence is an older one."""


class EventsMissing(Problem, status=409, title="Events of the attempt are missing"):
    """A completion came before all events of its attempt."""


class NothingToAccept(Problem, status=409, title="There is nothing to accept"):
    """A campaign was to be accepted that has no verdict yet, or none that stands against it."""


class ReleaseTaken(Problem, status=409, title="Another campaign stands for the release"):
    """Another campaign of the experiment stands for the release."""


class NoSuchBarrier(Problem, status=422, title="The gang has no such barrier"):
    """The gang of an attempt has no such barrier, or what was to be told there is too long."""
