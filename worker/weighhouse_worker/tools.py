"""What tasks work with: one set a process, made when the first task needs it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property

from celery import Celery
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from weighhouse_backend.app.services import graph
from weighhouse_backend.kit.background import keep_looking
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_backend.kit.database_watch import DatabaseWatch
from weighhouse_backend.kit.db import SessionFactory, make_engine, make_session_factory
from weighhouse_backend.kit.events import PassingRedis, RedisEvents, make_redis
from weighhouse_backend.kit.jobs import CeleryJobs, make_celery
from weighhouse_backend.kit.mail import SmtpPost
from weighhouse_backend.kit.services import Services, services_over
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.notices.senders import Sender
from weighhouse_backend.sign_in.mail import LetterService

CONNECTIONS = 2
"""Of a process, which carries out one task at a time."""
WATCH_SECONDS = 1.0


@dataclass(frozen=True)
class Tools:
    """Database, Redis and jobs, as the settings say."""

    settings: Settings

    @cached_property
    def engine(self) -> Engine:
        """The database."""
        return make_engine(
            self.settings.database_url,
            pool_size=CONNECTIONS,
            pooled=self.settings.database_pooled,
        )

    def watch_database(self) -> None:
        """Have tasks that wait for a database that hangs end, as long as this process lasts: they
        are sent again when it is back.
        """
        watch = DatabaseWatch(self.settings.database_url, Conditions())
        watch.guard(self.engine)
        keep_looking("watch-database", watch.look, WATCH_SECONDS)

    @cached_property
    def sessions(self) -> SessionFactory:
        """Sessions over the engine."""
        return make_session_factory(self.engine)

    @cached_property
    def redis(self) -> PassingRedis:
        """For wake-ups."""
        return make_redis(self.settings.redis_url)

    @cached_property
    def celery(self) -> Celery:
        """For sending further jobs."""
        return make_celery(self.settings.redis_url)

    @contextmanager
    def letters(self) -> Iterator[LetterService]:
        """What is written to people, over one transaction."""
        with unit_of_work(self.sessions) as session:
            yield LetterService(session, SystemClock(), self.settings, SmtpPost(self.settings))

    @property
    def sender(self) -> Sender:
        """Takes notices to their addressees."""
        return Sender(self.settings, SmtpPost(self.settings), SystemClock().now)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """One transaction over all tenants."""
        with unit_of_work(self.sessions) as session:
            yield session

    @contextmanager
    def transaction(self) -> Iterator[Services]:
        """The services over one transaction; what they send leaves after its commit."""
        with unit_of_work(self.sessions) as session, self.services(session) as services:
            yield services

    def services(self, session: Session) -> AbstractContextManager[Services]:
        """The services over somebody's transaction."""
        jobs = CeleryJobs(self.celery, session, self.redis)
        events = RedisEvents(self.redis, session)
        return services_over(graph(), session, SystemClock(), self.settings, jobs, events)
