"""Makes the application out of settings; nothing happens before."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import redis.asyncio
from fastapi import FastAPI

from weighhouse_backend.analysis.endpoints import router as analysis
from weighhouse_backend.app.description import Application
from weighhouse_backend.app.documentation import install_documentation
from weighhouse_backend.app.frontend import install_frontend
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.app.reference import install_reference
from weighhouse_backend.app.status import router as status
from weighhouse_backend.app.surroundings import Surroundings
from weighhouse_backend.campaigns.endpoints import agent_router as campaigns_agent
from weighhouse_backend.campaigns.endpoints import router as campaigns
from weighhouse_backend.experiments.endpoints import router as experiments
from weighhouse_backend.fleet.endpoints import agent_router as fleet_agent
from weighhouse_backend.fleet.endpoints import router as fleet
from weighhouse_backend.identity.endpoints import router as identity
from weighhouse_backend.kit.db import install_database, make_engine
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.jobs import make_celery
from weighhouse_backend.kit.logs import configure_logs
from weighhouse_backend.kit.problems import install_problems
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.results.endpoints import agent_router as results_agent
from weighhouse_backend.results.endpoints import router as results

ROUTERS = (
    status, identity, experiments, campaigns, results, analysis, overviews, fleet,
    fleet_agent, campaigns_agent, results_agent,
)  # fmt: skip


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application.

    :param settings: default: from the environment.
    """
    chosen = settings or Settings()
    configure_logs(chosen.log_level)
    engine = make_engine(chosen.database_url)

    @asynccontextmanager
    async def lifespan(app: Application) -> AsyncIterator[None]:
        app.state.redis_async = redis.asyncio.Redis.from_url(chosen.redis_url)
        try:
            yield
        finally:
            await app.state.redis_async.aclose()
            app.state.redis.close()
            engine.dispose()

    app = Application(lifespan)
    app.state.settings = chosen
    install_database(app, engine)
    app.state.celery = make_celery(chosen.redis_url)
    app.state.redis = make_redis(chosen.redis_url)
    install_problems(app)
    app.add_middleware(Surroundings)
    for router in ROUTERS:
        app.include_router(router)
    install_reference(app)
    install_documentation(app, chosen.docs_dir)
    install_frontend(app, chosen.frontend_dir)
    return app
