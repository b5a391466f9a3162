"""Tables of lists that have no figures of their own: systems, machines, studies, what others
published, reports.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from string import digits
from typing import TypeVar, get_args

from weighhouse_judging.studies.claims import ClaimVerdict

from weighhouse_backend.alerts.schemas import SeriesSummaryRead
from weighhouse_backend.experiments.schemas import ExperimentSummary
from weighhouse_backend.exports.list_tables import Listed, every
from weighhouse_backend.exports.tables import Column, Row, Table
from weighhouse_backend.fleet.schemas import AgentRead
from weighhouse_backend.reports.schemas import ReportSummary
from weighhouse_backend.sources.schemas import PublishedSourceSummary
from weighhouse_backend.studies.schemas import StudySummary

SYSTEMS = [
    Column("id"), Column("name"), Column("vendor"), Column("homepage"), Column("licence"),
    Column("kind"), Column("architecture"), Column("summary"), Column("plugin_version"),
    Column("manifest_digest"), Column("driver"), Column("operations"), Column("deployments"),
    Column("faults"), Column("benchmark_policy"), Column("benchmark_clause"),
    Column("disclaimers", "integer"), Column("agents_agree", "flag"), Column("agents", "integer"),
    Column("last_run_at", "instant"),
]  # fmt: skip
AGENTS = [
    Column("id"), Column("name"), Column("status"), Column("roles"), Column("labels"),
    Column("no_work"), Column("current_run_id"), Column("last_heartbeat_at", "instant"),
    Column("spool_bytes", "integer"), Column("plugins"), Column("agent_version"),
    Column("software"), Column("registered_at", "instant"), Column("facts"),
]  # fmt: skip
_VERDICTS: Sequence[str] = get_args(ClaimVerdict)
STUDIES = [
    Column("name"), Column("title"), Column("asks"), Column("sponsor"), Column("sides"),
    Column("scale"), Column("measured", "flag"),
    *(Column(f"claims_{one}", "integer") for one in _VERDICTS),
]  # fmt: skip
PUBLISHED = [
    Column("id"), Column("title"), Column("authors"), Column("date"), Column("address"),
    Column("licence"), Column("sponsor"), Column("tool"), Column("machines"), Column("raw_data"),
    Column("disclaimer"), Column("sides"), Column("cells", "integer"),
    Column("version", "integer"), Column("kept_by"), Column("kept_at", "instant"),
    Column("changed_at", "instant"),
]  # fmt: skip
REPORTS = [
    Column("id"), Column("title"), Column("template"), Column("revision", "integer"),
    Column("editions", "integer"), Column("made_by"), Column("created_at", "instant"),
    Column("changed_by"), Column("changed_at", "instant"),
]  # fmt: skip

Item = TypeVar("Item")


def agents(listed: Iterable[AgentRead]) -> Table:
    """A row a machine."""
    return Table("agents", AGENTS, map(_agent, listed))


def _agent(one: AgentRead) -> Row:
    run = one.current_run_id
    return (
        str(one.id), one.name, one.status, ", ".join(one.roles), _labels(one.labels), one.no_work,
        None if run is None else str(run), one.last_heartbeat_at, one.spool_bytes,
        ", ".join(f"{plugin.id} {plugin.version}" for plugin in one.plugins), one.agent_version,
        one.software.standing, one.registered_at, json.dumps(one.facts, ensure_ascii=False),
    )  # fmt: skip


def _labels(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in labels.items())


def studies(listed: Iterable[StudySummary]) -> Table:
    """A row a study, with how many of its claims have which verdict here."""
    return Table("studies", STUDIES, map(_study, listed))


def _study(one: StudySummary) -> Row:
    counted = {each.verdict: each.claims for each in one.verdicts}
    return (
        one.name, one.title, one.asks, one.sponsor, ", ".join(one.sides), one.scale, one.measured,
        *(counted.get(verdict, 0) for verdict in get_args(ClaimVerdict)),
    )  # fmt: skip


def published(listed: Listed[PublishedSourceSummary]) -> Table:
    """A row a published source, with what is to be known of it; none of its figures."""
    return Table("published-sources", PUBLISHED, map(_published, every(listed)))


def _published(one: PublishedSourceSummary) -> Row:
    of = one.source
    return (
        str(one.id), of.title, of.authors, of.date, of.address, of.licence, of.sponsor, of.tool,
        of.machines, of.raw_data, of.disclaimer,
        ", ".join(side.label or side.name for side in one.sides), one.cells, one.version,
        one.kept_by, one.kept_at, one.changed_at,
    )  # fmt: skip


def reports(listed: Listed[ReportSummary]) -> Table:
    """A row a report; none of its text."""
    rows = (
        (
            str(one.id), one.title, one.template, one.revision, one.editions, one.made_by,
            one.created_at, one.changed_by, one.changed_at,
        )
        for one in every(listed)
    )  # fmt: skip
    return Table("reports", REPORTS, rows)


def containing(words: str | None, told: Iterable[str]) -> bool:
    """Whether texts have all words that a page's search names, wherever, as the page itself has it:
    a number is found where a number begins, 4 in "4 clients", not in "64 clients".

    :param words: with spaces between them; None or empty: all have them.
    """
    text = " ".join(told).lower()
    return all(_has(text, word) for word in (words or "").lower().split())


def _has(text: str, word: str) -> bool:
    if word[0] not in digits:
        return word in text
    return re.search(f"(?<![0-9]){re.escape(word)}", text) is not None


def words_of_agent(one: AgentRead) -> list[str]:
    """What its page searches for words."""
    labels = [f"{name}={value}" for name, value in one.labels.items()]
    return [one.name, one.status, *one.roles, *labels]


def words_of_experiment(one: ExperimentSummary) -> list[str]:
    """What its page searches for words."""
    systems = [target.system_id for target in one.targets]
    return [one.name, one.slug, one.description or "", *systems]


def words_of_series(one: SeriesSummaryRead) -> list[str]:
    """What its page searches for words."""
    return [
        f"{one.target_name}, {one.workload}, {one.load_level.label}", one.system_id,
        one.experiment.name,
    ]  # fmt: skip
