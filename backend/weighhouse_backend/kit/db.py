"""The database: the declarative base, the engine, and a session for each request."""

import datetime
from collections.abc import Iterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy import DateTime, Engine, MetaData, Uuid, create_engine
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker

from weighhouse_backend.kit.unit_of_work import unit_of_work

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

SessionFactory = sessionmaker[Session]
"""Makes sessions; one a request or task."""


class Base(DeclarativeBase):
    """Base of all tables: one naming of constraints, instants with a zone, JSON as JSONB."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy's protocol
        datetime.datetime: DateTime(timezone=True),
        UUID: Uuid(),
        dict[str, Any]: JSONB(none_as_null=True),
        list[Any]: JSONB(none_as_null=True),
    }


def make_engine(url: str, *, pool_size: int = 10) -> Engine:
    """An engine over psycopg 3.

    :param url: `postgresql+psycopg://…`.
    :param pool_size: connections kept; up to as many again in a rush.
    """
    return create_engine(
        url,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_pre_ping=True,
        connect_args={"options": "-c timezone=UTC -c lock_timeout=20000"},
    )


def make_session_factory(engine: Engine) -> SessionFactory:
    """Sessions whose objects stay readable after the commit."""
    return sessionmaker(engine, expire_on_commit=False)


def _session(request: Request) -> Iterator[Session]:
    factory: SessionFactory = request.app.state.session_factory
    with unit_of_work(factory) as session:
        yield session


SessionDep = Annotated[Session, Depends(_session, scope="function")]
"""The request's session; committed before the answer is sent, rolled back on any error."""
