"""What a token may do within its role."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class Scope(StrEnum):
    """A kind of thing that tokens are made for."""

    RESULTS_READ = "results:read"
    """Look at experiments, campaigns, runs, comparisons, series, alerts, machines."""
    RESULTS_EXPORT = "results:export"
    """Take histograms, files of runs, logs and disclosures along."""
    EXPERIMENTS_WRITE = "experiments:write"
    """Change experiments and their schedules."""
    CAMPAIGNS_RUN = "campaigns:run"
    """Start, pause, cancel, repeat, accept and judge campaigns."""
    NOTES_WRITE = "notes:write"
    """Write annotations, triage alerts."""
    PUBLISHING_WRITE = "publishing:write"
    """Consents, overrides, links for replies, challenges."""
    PRICES_WRITE = "prices:write"
    """Change what machines and licences cost."""
    AGENTS_ENROL = "agents:enrol"
    """Make registration tokens for machines."""
    AGENTS_MANAGE = "agents:manage"
    """Rename, drain and revoke machines."""
    NOTICES_MANAGE = "notices:manage"
    """Change where a project is told of things, and see what was sent there."""
    PEOPLE_MANAGE = "people:manage"
    """Look at and change people, tokens, projects, quotas; read the audit log."""


READING: Mapping[str, Scope] = {
    "notices": Scope.NOTICES_MANAGE,
    "tokens": Scope.PEOPLE_MANAGE,
    "people": Scope.PEOPLE_MANAGE,
    "projects": Scope.RESULTS_READ,
}
"""By the tag of an operation; what is not here is `RESULTS_READ`."""
WRITING: Mapping[str, Scope] = {
    "agents": Scope.AGENTS_MANAGE,
    "alerts": Scope.NOTES_WRITE,
    "annotations": Scope.NOTES_WRITE,
    "campaigns": Scope.CAMPAIGNS_RUN,
    "experiments": Scope.EXPERIMENTS_WRITE,
    "notices": Scope.NOTICES_MANAGE,
    "people": Scope.PEOPLE_MANAGE,
    "prices": Scope.PRICES_WRITE,
    "projects": Scope.PEOPLE_MANAGE,
    "publishing": Scope.PUBLISHING_WRITE,
    "quotas": Scope.PEOPLE_MANAGE,
    "retention": Scope.PEOPLE_MANAGE,
    "studies": Scope.CAMPAIGNS_RUN,
    "tokens": Scope.PEOPLE_MANAGE,
}
"""By the tag of an operation that changes something."""
OF_ADDRESS: Mapping[tuple[str, str], Scope] = {
    ("POST", "/agent-registration-tokens"): Scope.AGENTS_ENROL,
    ("POST", "/experiments/validate"): Scope.RESULTS_READ,
    ("POST", "/experiments/fairness"): Scope.RESULTS_READ,
    ("POST", "/schedules/preview"): Scope.RESULTS_READ,
    ("POST", "/retention/preview"): Scope.RESULTS_READ,
    ("PUT", "/campaigns/{campaign_id}/keeping"): Scope.CAMPAIGNS_RUN,
    ("DELETE", "/campaigns/{campaign_id}/keeping"): Scope.CAMPAIGNS_RUN,
    ("POST", "/alerts/trial"): Scope.RESULTS_READ,
    ("GET", "/comparisons/histogram"): Scope.RESULTS_EXPORT,
    ("GET", "/runs/{run_id}/histogram"): Scope.RESULTS_EXPORT,
    ("GET", "/runs/{run_id}/artifacts/{sha256}"): Scope.RESULTS_EXPORT,
    ("GET", "/runs/{run_id}/logs/{stream}"): Scope.RESULTS_EXPORT,
    ("GET", "/campaigns/{campaign_id}/disclosure"): Scope.RESULTS_EXPORT,
    ("GET", "/members"): Scope.RESULTS_READ,
    ("GET", "/organization-quotas"): Scope.PEOPLE_MANAGE,
}
"""Those that their tag does not tell."""


def needed(method: str, path: str, tags: Sequence[str]) -> Scope | None:
    """The scope that an operation takes; None: no token may.

    :param path: its template, for example `/api/v1/runs/{run_id}`.
    :param tags: as in the API's document.
    """
    verb = "GET" if method in SAFE else method
    own = OF_ADDRESS.get((verb, path.removeprefix("/api/v1")))
    if own is not None:
        return own
    if verb == "GET":
        return next((READING[tag] for tag in tags if tag in READING), Scope.RESULTS_READ)
    return next((WRITING[tag] for tag in tags if tag in WRITING), None)
