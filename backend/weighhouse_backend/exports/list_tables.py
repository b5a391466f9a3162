"""Tables of lists, page by page as they are shown."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar
from uuid import UUID

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.alerts.alert_schemas import AlertRead
from weighhouse_backend.alerts.schemas import SeriesSummaryRead
from weighhouse_backend.campaigns.schemas import CampaignSummary
from weighhouse_backend.experiments.schemas import ExperimentSummary
from weighhouse_backend.exports.tables import Column, Row, Table
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.kit.pages import MAX_LIMIT, Page, PageQuery
from weighhouse_backend.results.schemas import RunListed

Item = TypeVar("Item")

CAMPAIGNS = [
    Column("id"), Column("number", "integer"), Column("experiment"), Column("slug"),
    Column("revision", "integer"), Column("state"), Column("verdict"), Column("trigger"),
    Column("requested_by"), Column("created_at", "instant"), Column("started_at", "instant"),
    Column("finished_at", "instant"), Column("runs", "integer"),
    Column("runs_completed", "integer"), Column("runs_failed", "integer"),
    Column("runs_cancelled", "integer"), Column("interim"), Column("commit"), Column("branch"),
    Column("release"),
]  # fmt: skip
_SHOWN = [one.name for one in sorted(CATALOGUE, key=lambda one: one.read_at)]
RUNS = [
    Column("id"), Column("campaign_id"), Column("system"), Column("target"), Column("workload"),
    Column("load_level"), Column("repetition", "integer"), Column("measured_again", "flag"),
    Column("status"), Column("failure"), Column("agent"), Column("started_at", "instant"),
    Column("finished_at", "instant"), *(Column(name, "number") for name in _SHOWN),
    Column("findings"),
]  # fmt: skip
SERIES = [
    Column("id"), Column("experiment"), Column("system"), Column("target"), Column("workload"),
    Column("load_level"), Column("metric"), Column("points", "integer"),
    Column("last_value", "number"), Column("last_at", "instant"),
    Column("change_points", "integer"),
]  # fmt: skip
ALERTS = [
    Column("id"), Column("kind"), Column("title"), Column("state"), Column("raised_at", "instant"),
    Column("ended_at", "instant"), Column("assignee"), Column("due_on"), Column("experiment"),
    Column("metric"), Column("before", "number"), Column("after", "number"),
    Column("relative", "number"), Column("note"), Column("link"),
]  # fmt: skip
EXPERIMENTS = [
    Column("id"), Column("slug"), Column("name"), Column("description"), Column("owner"),
    Column("revision", "integer"), Column("targets"), Column("created_at", "instant"),
    Column("updated_at", "instant"), Column("last_campaign_id"), Column("last_state"),
    Column("last_verdict"), Column("schedule"), Column("next_at", "instant"),
]  # fmt: skip


class Listed(Protocol[Item]):
    """A list, part by part, as its page asks for it."""

    def __call__(self, query: PageQuery, /) -> "Page[Item]":
        """One part."""
        ...


def parts(listed: Listed[Item]) -> Iterator[Sequence[Item]]:
    """All of a list, part after part."""
    cursor: str | None = None
    while True:
        page = listed(PageQuery(limit=MAX_LIMIT, cursor=cursor))
        yield page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def every(listed: Listed[Item]) -> Iterator[Item]:
    """All of a list, one by one."""
    for part in parts(listed):
        yield from part


def campaigns(listed: Listed[CampaignSummary]) -> Table:
    """A row a campaign."""
    rows = (
        (
            str(one.id), one.number, one.experiment.name, one.experiment.slug, one.revision,
            one.state, one.verdict, one.trigger, one.requested_by, one.created_at, one.started_at,
            one.finished_at, one.runs.total, one.runs.completed, one.runs.failed,
            one.runs.cancelled, one.completeness.words,
            None if one.git is None else one.git.commit,
            None if one.git is None else one.git.branch, one.release,
        )
        for one in every(listed)
    )  # fmt: skip
    return Table("campaigns", CAMPAIGNS, rows)


def runs(listed: Listed[RunListed], examination: ExaminationService) -> Table:
    """A row a run, with its figures and the findings that stand beside them."""
    return Table("runs", RUNS, _runs(listed, examination))


def _runs(listed: Listed[RunListed], examination: ExaminationService) -> Iterator[Row]:
    for part in parts(listed):
        said: dict[UUID, list[str]] = {}
        for found in examination.of_each_run([one.id for one in part]):
            said.setdefault(found.run_id, []).append(found.title)
        for one in part:
            figures = {} if one.summary is None else one.summary.figures
            yield (
                str(one.id), str(one.campaign_id), one.system_id, one.cell.target,
                one.cell.workload, one.cell.load_level.label, one.repetition, one.measured_again,
                one.status, None if one.failure is None else one.failure.message,
                None if one.agent is None else one.agent.name, one.started_at, one.finished_at,
                *(figures.get(name) for name in _SHOWN), "; ".join(said.get(one.id, ())),
            )  # fmt: skip


def series(listed: Listed[SeriesSummaryRead]) -> Table:
    """A row a series, with its latest figure."""
    rows = (
        (
            str(one.id), one.experiment.name, one.system_id, one.target, one.workload,
            one.load_level.label, one.metric, one.points_count, one.last_value, one.last_at,
            one.change_points_count,
        )
        for one in every(listed)
    )  # fmt: skip
    return Table("series", SERIES, rows)


def alerts(listed: Listed[AlertRead]) -> Table:
    """A row an alert."""
    return Table("alerts", ALERTS, map(_alert, every(listed)))


def _alert(one: AlertRead) -> Row:
    lead = None if one.change is None else one.change.lead
    return (
        str(one.id), one.kind, one.title, one.state, one.raised_at, one.ended_at,
        None if one.assignee is None else one.assignee.name,
        None if one.due_on is None else one.due_on.isoformat(),
        None if one.experiment is None else one.experiment.name,
        *((None,) * 4 if lead is None else (lead.metric, lead.before, lead.after, lead.relative)),
        one.note, one.link,
    )  # fmt: skip


def experiments(listed: Iterable[ExperimentSummary]) -> Table:
    """A row an experiment."""
    return Table("experiments", EXPERIMENTS, map(_experiment, listed))


def _experiment(one: ExperimentSummary) -> Row:
    last, plan = one.last_campaign, one.schedule
    return (
        str(one.id), one.slug, one.name, one.description, one.owner_name, one.current_revision,
        ", ".join(target.name for target in one.targets), one.created_at, one.updated_at,
        *((None,) * 3 if last is None else (str(last.id), last.state, last.verdict)),
        None if plan is None else plan.cron, None if plan is None else plan.next_at,
    )  # fmt: skip
