"""The service graph of the whole application."""

from functools import cache

from weighhouse_backend.alerts.dependencies import SERVICES as ALERTS
from weighhouse_backend.annotations.dependencies import SERVICES as ANNOTATIONS
from weighhouse_backend.bundles.dependencies import SERVICES as BUNDLES
from weighhouse_backend.campaigns.dependencies import SERVICES as CAMPAIGNS
from weighhouse_backend.catalog.dependencies import SERVICES as CATALOG
from weighhouse_backend.comparisons.dependencies import SERVICES as COMPARISONS
from weighhouse_backend.directories.dependencies import SERVICES as DIRECTORIES
from weighhouse_backend.disclosure.dependencies import SERVICES as DISCLOSURE
from weighhouse_backend.execution.dependencies import SERVICES as EXECUTION
from weighhouse_backend.experiments.dependencies import SERVICES as EXPERIMENTS
from weighhouse_backend.exports.dependencies import SERVICES as EXPORTS
from weighhouse_backend.faults.dependencies import SERVICES as FAULTS
from weighhouse_backend.files.dependencies import SERVICES as FILES
from weighhouse_backend.findings.dependencies import SERVICES as FINDINGS
from weighhouse_backend.fleet.dependencies import SERVICES as FLEET
from weighhouse_backend.gates.dependencies import SERVICES as GATES
from weighhouse_backend.identity.dependencies import SERVICES as IDENTITY
from weighhouse_backend.kit.services import Graph, graph_of
from weighhouse_backend.measurements.dependencies import SERVICES as MEASUREMENTS
from weighhouse_backend.membership.dependencies import SERVICES as MEMBERSHIP
from weighhouse_backend.noise.dependencies import SERVICES as NOISE
from weighhouse_backend.notices.dependencies import SERVICES as NOTICES
from weighhouse_backend.prices.dependencies import SERVICES as PRICES
from weighhouse_backend.provisions.dependencies import SERVICES as PROVISIONS
from weighhouse_backend.publishing.dependencies import SERVICES as PUBLISHING
from weighhouse_backend.quotas.dependencies import SERVICES as QUOTAS
from weighhouse_backend.reports.dependencies import SERVICES as REPORTS
from weighhouse_backend.results.dependencies import SERVICES as RESULTS
from weighhouse_backend.retention.dependencies import SERVICES as RETENTION
from weighhouse_backend.runs.dependencies import SERVICES as RUNS
from weighhouse_backend.scenarios.dependencies import SERVICES as SCENARIOS
from weighhouse_backend.search.dependencies import SERVICES as SEARCH
from weighhouse_backend.series.dependencies import SERVICES as SERIES
from weighhouse_backend.sharing.dependencies import SERVICES as SHARING
from weighhouse_backend.sign_in.dependencies import SERVICES as SIGN_IN
from weighhouse_backend.sources.dependencies import SERVICES as SOURCES
from weighhouse_backend.studies.dependencies import SERVICES as STUDIES

FEATURES = (
    ALERTS,
    ANNOTATIONS,
    BUNDLES,
    CAMPAIGNS,
    CATALOG,
    COMPARISONS,
    DIRECTORIES,
    DISCLOSURE,
    EXECUTION,
    EXPERIMENTS,
    EXPORTS,
    FAULTS,
    FILES,
    FINDINGS,
    FLEET,
    GATES,
    IDENTITY,
    MEASUREMENTS,
    MEMBERSHIP,
    NOISE,
    NOTICES,
    PRICES,
    PROVISIONS,
    PUBLISHING,
    QUOTAS,
    REPORTS,
    RESULTS,
    RETENTION,
    RUNS,
    SCENARIOS,
    SEARCH,
    SERIES,
    SHARING,
    SIGN_IN,
    SOURCES,
    STUDIES,
)


@cache
def graph() -> Graph:
    """Every service there is; one graph for each process, for it holds no state."""
    return graph_of(*FEATURES)


def kinds() -> dict[str, type]:
    """The classes of all services, by name."""
    found = [one.provides.type_hint for feature in FEATURES for one in feature.factories]
    return {kind.__name__: kind for kind in sorted(found, key=lambda kind: kind.__name__)}
