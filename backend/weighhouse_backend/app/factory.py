"""Makes the application out of settings; nothing happens before."""

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import structlog
from anyio import CapacityLimiter, sleep_forever
from fastapi import FastAPI
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from weighhouse_backend.alerts.endpoints import router as alerts
from weighhouse_backend.annotations.endpoints import router as annotations
from weighhouse_backend.app.described import install_description
from weighhouse_backend.app.description import Application
from weighhouse_backend.app.documentation import install_documentation
from weighhouse_backend.app.exact import install_exact_addresses
from weighhouse_backend.app.frontend import install_frontend
from weighhouse_backend.app.http_cache import Revalidation
from weighhouse_backend.app.manifests import router as manifests
from weighhouse_backend.app.metrics import Measured, Metrics
from weighhouse_backend.app.metrics import router as metrics
from weighhouse_backend.app.overview_files import router as overview_files
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.app.packed_answers import PackedAnswers
from weighhouse_backend.app.parts import Parts
from weighhouse_backend.app.rate_limits import FairTurns, RateLimits, Remainders
from weighhouse_backend.app.reference import install_reference
from weighhouse_backend.app.security_contact import install_security_contact
from weighhouse_backend.app.services import graph
from weighhouse_backend.app.status import router as status
from weighhouse_backend.app.surroundings import Departures, Surroundings
from weighhouse_backend.app.watches import NothingWaits, Watches
from weighhouse_backend.app.work import observers_engine
from weighhouse_backend.bundles.endpoints import router as bundles
from weighhouse_backend.campaigns.endpoints import router as campaigns
from weighhouse_backend.campaigns.shared_reads import SharedReads
from weighhouse_backend.comparisons.endpoints import router as comparisons
from weighhouse_backend.directories.endpoints import router as directories
from weighhouse_backend.directories.endpoints import scim_router
from weighhouse_backend.execution.endpoints import router as campaigns_agent
from weighhouse_backend.execution.waiting_room import CONNECTIONS, WaitingRoom
from weighhouse_backend.experiments.endpoints import router as experiments
from weighhouse_backend.exports.access_endpoints import router as access_exports
from weighhouse_backend.exports.endpoints import router as exports
from weighhouse_backend.exports.experiment_endpoints import router as experiment_exports
from weighhouse_backend.exports.inventory_endpoints import router as inventory_exports
from weighhouse_backend.exports.list_endpoints import router as list_exports
from weighhouse_backend.findings.endpoints import router as findings
from weighhouse_backend.fleet.agent_signs import AgentSigns
from weighhouse_backend.fleet.endpoints import agent_router as fleet_agent
from weighhouse_backend.fleet.endpoints import router as fleet
from weighhouse_backend.fleet.sightings import Sightings
from weighhouse_backend.gates.endpoints import router as gates
from weighhouse_backend.identity.audit_endpoints import router as audit
from weighhouse_backend.identity.cookie_names import SESSION, name_of
from weighhouse_backend.identity.token_endpoints import router as tokens
from weighhouse_backend.kit.background import Background
from weighhouse_backend.kit.bodies import install_bodies
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_backend.kit.database_login import OWNS_TABLES, may_too_much
from weighhouse_backend.kit.db import install_database, make_engine, make_session_factory
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.jobs import make_celery
from weighhouse_backend.kit.logs import configure_logs
from weighhouse_backend.kit.outages import install_outages
from weighhouse_backend.kit.problems import install_problems
from weighhouse_backend.kit.rates import Budgets, Rates
from weighhouse_backend.kit.services import Services, services_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.shares import Shares
from weighhouse_backend.kit.subscriptions import Subscriptions
from weighhouse_backend.kit.traces import Tracing, tracing_of
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements.errors import install_unreadable
from weighhouse_backend.membership.domain_endpoints import router as domains
from weighhouse_backend.membership.endpoints import router as membership
from weighhouse_backend.noise.endpoints import router as noise
from weighhouse_backend.notices.endpoints import router as notices
from weighhouse_backend.packages.endpoints import router as packages
from weighhouse_backend.prices.endpoints import router as prices
from weighhouse_backend.provisions.endpoints import router as provisions
from weighhouse_backend.publishing.endpoints import router as publishing
from weighhouse_backend.quotas.endpoints import router as quotas
from weighhouse_backend.reports.endpoints import router as reports
from weighhouse_backend.results.endpoints import agent_router as results_agent
from weighhouse_backend.results.endpoints import router as results
from weighhouse_backend.results.ingestion import batches_pace
from weighhouse_backend.retention.endpoints import router as retention
from weighhouse_backend.scenarios.endpoints import router as scenarios
from weighhouse_backend.search.endpoints import router as search
from weighhouse_backend.sharing.endpoints import router as sharing
from weighhouse_backend.sharing.page_endpoints import router as shared_pages
from weighhouse_backend.sharing.renderings import Renderings
from weighhouse_backend.sharing.standing_answers import StandingAnswers
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.endpoints import router as sign_in
from weighhouse_backend.sign_in.factor_endpoints import router as factors
from weighhouse_backend.sign_in.logins import Turns
from weighhouse_backend.sign_in.passkey_endpoints import router as passkeys
from weighhouse_backend.sign_in.pipeline_endpoints import router as pipelines
from weighhouse_backend.sign_in.provider_endpoints import router as providers
from weighhouse_backend.sources.endpoints import router as sources
from weighhouse_backend.studies.endpoints import router as studies

log = structlog.get_logger(__name__)

ROUTERS = (
    campaigns_agent, results_agent, fleet_agent, status, sign_in, membership, tokens, account,
    factors, passkeys, domains, directories, scim_router, audit, providers, pipelines, experiments,
    campaigns, provisions, results, findings, scenarios, comparisons, publishing, sources, studies,
    gates, alerts, annotations, overviews, search, manifests, noise, notices, prices, quotas,
    retention, fleet, exports, list_exports, inventory_exports, experiment_exports, access_exports,
    overview_files, bundles, reports, sharing, shared_pages, metrics, packages,
)  # fmt: skip
"""In the order in which a request is matched with them: first whom agents ask without end."""


def _spare_the_collector() -> None:
    """What is there now stays; looking through it again and again would stop every answer, as would
    looking for cycles each 700 objects: a long answer alone has thousands.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application.

    :param settings: default: from the environment.
    """
    chosen = settings or Settings()
    configure_logs(chosen.log_level)
    tracing = tracing_of(chosen, "weighhouse-api")
    engine = make_engine(chosen.database_url, pooled=chosen.database_pooled)
    claims_engine = make_engine(
        chosen.database_url, pool_size=CONNECTIONS // 2, pooled=chosen.database_pooled
    )
    watching_engine = observers_engine(chosen.database_url, pooled=chosen.database_pooled)

    @asynccontextmanager
    async def lifespan(app: Application) -> AsyncIterator[None]:
        state = app.state
        _spare_the_collector()
        try:
            async with state.background:
                yield
        finally:
            await state.rates.close()
            watches.close()
            state.redis.close()
            watching_engine.dispose()
            claims_engine.dispose()
            engine.dispose()
            await run_in_threadpool(tracing.end)

    app = Application(lifespan)
    app.state.settings = chosen
    app.state.graph = graph()
    conditions = app.state.conditions = Conditions()
    watches = Watches(chosen, conditions)
    watches.guard(engine, claims_engine, watching_engine)
    install_database(app, engine)
    app.state.celery = make_celery(chosen.redis_url)
    app.state.redis = make_redis(chosen.redis_url)
    app.state.subscriptions = Subscriptions(chosen.redis_url)
    app.state.login_turns = Turns()
    app.state.sightings = Sightings(SystemClock())
    app.state.agent_signs = AgentSigns(app.state.redis, chosen.agent_sign_seconds)
    app.state.waiting_room = _waiting_room(app, claims_engine)
    _share(app)
    app.state.observers = CapacityLimiter(2)
    app.state.parts = Parts(watching_engine, app.state.redis, chosen, conditions)
    app.state.background = _background(app, watches, engine)
    app.state.metrics = Metrics({"api": engine, "claims": claims_engine}, app.state)
    _surround(app, chosen, tracing, watches)
    install_exact_addresses(app, ROUTERS)
    for router in ROUTERS:
        app.include_router(router)
    install_reference(app, install_description(app).document)
    install_documentation(app, chosen.docs_dir)
    install_security_contact(app, chosen, SystemClock())
    install_frontend(app, chosen.frontend_dir)
    tracing.follow_requests(app)
    return app


def _surround(app: FastAPI, settings: Settings, tracing: Tracing, watches: Watches) -> None:
    """What each request goes through, the innermost first."""
    install_problems(app)
    install_unreadable(app)
    install_outages(app, app.state.conditions)
    _install_limits(app, settings)
    app.add_middleware(PackedAnswers)
    app.add_middleware(NothingWaits, watch=watches.database)
    app.add_middleware(Departures)
    app.add_middleware(
        Surroundings,
        hsts_seconds=settings.hsts_seconds if settings.cookie_secure else 0,
        tracing=tracing,
    )
    app.add_middleware(Measured, metrics=app.state.metrics)
    if settings.trusted_proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=settings.trusted_proxies)


def _share(app: FastAPI) -> None:
    """What requests of this process know of each other."""
    app.state.renderings = Renderings()
    app.state.batches_pace = batches_pace()
    app.state.campaign_reads = SharedReads()


def _background(app: FastAPI, watches: Watches, engine: Engine) -> Background:
    """What goes on as long as the process does."""
    background = Background(app.state.conditions)
    watches.keep(background)
    background.keep("subscriptions", app.state.subscriptions.run)
    background.keep("waiting-room", app.state.waiting_room.run)
    background.keep("agent-signs", app.state.agent_signs.run)
    background.keep("login-look", partial(_look_at_login, engine))
    return background


async def _look_at_login(engine: Engine) -> None:
    try:
        if await run_in_threadpool(may_too_much, engine):
            log.warning("database_login_owns_tables", detail=OWNS_TABLES)
    except SQLAlchemyError as error:
        log.warning("database_login_not_looked_at", error=repr(error))
    await sleep_forever()  # once is enough


def _install_limits(app: FastAPI, settings: Settings) -> None:
    app.add_middleware(StandingAnswers)
    app.add_middleware(Revalidation)
    app.state.rates = Rates(
        settings.redis_url,
        Budgets(
            person=settings.rate_person_per_minute,
            token=settings.rate_token_per_minute,
            agent=settings.rate_agent_per_minute,
            address=settings.rate_address_per_minute,
        ),
    )
    app.state.shares = Shares(settings.turn_wait_seconds)
    app.add_middleware(FairTurns, shares=app.state.shares)
    app.add_middleware(RateLimits, rates=app.state.rates, session_cookie=name_of(SESSION, settings))
    app.add_middleware(Remainders)
    install_bodies(app, settings)


def _waiting_room(app: FastAPI, engine: Engine) -> WaitingRoom:
    sessions = make_session_factory(engine)

    @contextmanager
    def transaction() -> Iterator[Services]:
        with unit_of_work(sessions) as session, services_of(app, session) as services:
            yield services

    state = app.state
    return WaitingRoom(
        transaction, state.subscriptions, state.sightings, state.agent_signs, state.settings
    )
