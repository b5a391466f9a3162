"""Addresses of the platform's pages, as letters, pipelines and the command name them.

The pages' own links are made by `frontend/src/ui/pages.ts`; an address that both know is written
alike.
"""

from collections.abc import Sequence
from typing import Literal, NewType
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import UUID

PagePath = NewType("PagePath", str)
"""Of a page, from the platform's own address on: `/alerts?alert=ID`. Only this module makes one."""

OVERVIEW = PagePath("/")
JOIN = PagePath("/join")
DOMAIN = PagePath("/domain")
PASSWORD = PagePath("/password")
REPLY = PagePath("/reply")
CAMPAIGNS = PagePath("/campaigns")
EXPERIMENTS = PagePath("/experiments")
HISTORY = PagePath("/history")
ALERTS = PagePath("/alerts")
SYSTEMS = PagePath("/systems")
AGENTS = PagePath("/agents")
STUDIES = PagePath("/studies")
PUBLISHED_SOURCES = PagePath("/published-results")
REPORTS = PagePath("/reports")
SHARED = PagePath("/shared")
SIGN_IN = PagePath("/login")
SIGN_IN_ANSWER = PagePath("/login/answer")

Id = UUID | str
SettingsTab = Literal["usage", "notifications", "account", "shared", "members", "tokens"]


def at(public_url: str, path: PagePath) -> str:
    """The whole address of a page.

    :param public_url: the platform's own.
    """
    return f"{public_url.rstrip('/')}{path}"


def kept(path: str) -> PagePath:
    """An address that was made here, and stored since."""
    return PagePath(path)


def in_project(path: PagePath, project_id: Id) -> PagePath:
    """The same page, whichever project whoever opens it looked at last."""
    return PagePath(f"{path}{'&' if '?' in path else '?'}project={project_id}")


def subject_of(path: PagePath) -> tuple[Literal["campaign", "alert"], UUID] | None:
    """The campaign or the alert that a page shows; None: it shows something else."""
    parts = urlsplit(path)
    named = parse_qs(parts.query).get("alert", [""])[0] if parts.path == ALERTS else ""
    before, _, last = parts.path.rpartition("/")
    if before == CAMPAIGNS:
        return "campaign", UUID(last)
    return ("alert", UUID(named)) if named else None


def experiment(slug: str, tab: Literal["revisions", "schedule"]) -> PagePath:
    """A tab of an experiment."""
    return _with(f"/experiments/{slug}", [("tab", tab)])


def campaign(campaign_id: Id) -> PagePath:
    """A campaign."""
    return PagePath(f"/campaigns/{campaign_id}")


def published_source(source: Id) -> PagePath:
    """What others published, as it is kept."""
    return PagePath(f"/published-results/{source}")


def run(run_id: Id) -> PagePath:
    """A run."""
    return PagePath(f"/runs/{run_id}")


def agent(agent_id: Id) -> PagePath:
    """An agent."""
    return PagePath(f"/agents/{agent_id}")


def alert(alert_id: Id) -> PagePath:
    """An alert, in the queue."""
    return _with("/alerts", [("alert", str(alert_id))])


def settings(tab: SettingsTab) -> PagePath:
    """A tab of the settings."""
    return _with("/settings", [("tab", tab)])


def series(series_id: Id, figure: str) -> PagePath:
    """A series in the history."""
    return _with("/history", [("series", str(series_id)), ("metric", figure)])


def comparison(campaign_id: Id, base_id: Id | None = None) -> PagePath:
    """All targets of a campaign; with a base each against itself in it."""
    base = [] if base_id is None else [("base", str(base_id))]
    return _with("/compare", [("campaign", str(campaign_id)), *base])


def sides(keys: Sequence[str], baseline: int = 0) -> PagePath:
    """Sides beside each other.

    :param keys: `CAMPAIGN~TARGET` each.
    """
    base = [("baseline", str(baseline))] if baseline else []
    return _with("/compare", [*(("side", key) for key in keys), *base])


def cell_of_side(campaign_id: Id, target: str, workload: str, load_level: str) -> PagePath:
    """What was measured of one target of a campaign in one cell.

    :param load_level: its label: `8 clients`.
    """
    return _with(
        "/compare", [("side", f"{campaign_id}~{target}"), ("cell", f"{workload}~{load_level}")]
    )


def public(share_id: Id) -> PagePath:
    """Something that is shared with everybody."""
    return PagePath(f"/public/{share_id}")


def _with(path: str, query: Sequence[tuple[str, str]]) -> PagePath:
    return PagePath(f"{path}?{urlencode(query, safe='~')}")
