"""The one service graph: features name their services, each is wired by the types of its fields.

A graph is made once for a process, and refuses to be made when a service wants what nobody
provides. Out of it come the services over one transaction, each made at most once there.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from typing import Annotated, Any, TypeVar

from dishka import Container, Provider, Scope, make_container
from fastapi import Depends, FastAPI, Request
from sqlalchemy.orm import Session

from weighhouse_backend.kit.clock import Clock, SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.events import Events, RedisEvents
from weighhouse_backend.kit.jobs import CeleryJobs, Jobs
from weighhouse_backend.kit.settings import Settings

Graph = Container
Services = Container
"""The services over one transaction: `services.get(GateService)`."""
Kind = TypeVar("Kind")
PORTS = (Session, Clock, Settings, Jobs, Events)
"""What a transaction brings itself."""


def provided(*kinds: type, by: tuple[Callable[..., Any], ...] = ()) -> Provider:
    """What a feature adds to the graph.

    :param kinds: classes whose fields, by their types, are all that they want.
    :param by: functions that make what cannot be made so, by the types of their parameters.
    """
    provider = Provider(scope=Scope.REQUEST)
    provider.provide_all(*kinds)
    for one in by:
        provider.provide(one)
    return provider


def graph_of(*features: Provider) -> Graph:
    """The graph of an application.

    :raises dishka.exceptions.GraphMissingFactoryError: naming who wants what nobody provides.
    """
    ports = Provider(scope=Scope.REQUEST)
    for port in PORTS:
        ports.from_context(provides=port)
    return make_container(ports, *features)


def services_over(
    graph: Graph, session: Session, clock: Clock, settings: Settings, jobs: Jobs, events: Events
) -> AbstractContextManager[Services]:
    """The services over a transaction."""
    made = zip(PORTS, (session, clock, settings, jobs, events), strict=True)
    return graph(context=dict(made))


def services_of(app: FastAPI, session: Session) -> AbstractContextManager[Services]:
    """The services over a transaction, with the application's ports."""
    state = app.state
    jobs = CeleryJobs(state.celery, session, state.redis)
    events = RedisEvents(state.redis, session)
    return services_over(state.graph, session, SystemClock(), state.settings, jobs, events)


async def _services(request: Request, session: SessionDep) -> AsyncIterator[Services]:
    with services_of(request.app, session) as services:
        yield services


ServicesDep = Annotated[Services, Depends(_services, scope="function")]


def wired(kind: type[Kind]) -> Any:
    """A service of the request's transaction, as the second part of an `Annotated`."""

    async def given(services: ServicesDep) -> Kind:
        return services.get(kind)

    return Depends(given)


JobsDep = Annotated[Jobs, wired(Jobs)]
