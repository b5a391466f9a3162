"""The database: the declarative base, the engine, and a session for each request."""

import datetime
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Annotated, Any, cast
from uuid import UUID

import sqlalchemy
from anyio import CapacityLimiter
from fastapi import Depends, FastAPI, Request
from pydantic_core import from_json, to_json
from sqlalchemy import (
    ColumnElement,
    DateTime,
    Dialect,
    Engine,
    ForeignKey,
    LargeBinary,
    MetaData,
    QueuePool,
    TextClause,
    Uuid,
    any_,
    literal,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import (
    DeclarativeBase,
    InstrumentedAttribute,
    MappedColumn,
    Session,
    mapped_column,
    sessionmaker,
)

from weighhouse_backend.kit.unit_of_work import unit_of_work

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

OF_CONNECTIONS = {"timezone": "UTC", "lock_timeout": "20000"}
"""What every connection is set to; milliseconds."""
DEADLINES = {
    "connect_timeout": "3",
    "tcp_user_timeout": "15000",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
}
"""What libpq gives up by itself: seconds, but `tcp_user_timeout`, milliseconds. A server that hangs
while its kernel answers is seen by the `DatabaseWatch` alone."""
POOL_SECONDS = 10
"""Longest wait for a connection that somebody else has."""
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


def reference(table: str, *, ondelete: str = "CASCADE", **column: Any) -> MappedColumn[Any]:
    """A column that names a row of another table.

    :param table: whose `id` it is; or `table.column`.
    :param ondelete: what becomes of this row when that one goes.
    :param column: the rest, as `mapped_column` takes it.
    """
    target = table if "." in table else f"{table}.id"
    return mapped_column(ForeignKey(target, ondelete=ondelete), **column)


def make_engine(url: str, *, pool_size: int = 10, pooled: bool = False) -> Engine:
    """An engine over psycopg 3.

    :param url: `postgresql+psycopg://…`.
    :param pool_size: connections kept; up to as many again in a rush.
    :param pooled: a pooler answers there, which gives each transaction another connection: what
        holds for one is said in each, and nothing is prepared.
    """
    options = " ".join(f"-c {name}={value}" for name, value in OF_CONNECTIONS.items())
    settings = {"prepare_threshold": None} if pooled else {"options": options}
    named = sqlalchemy.make_url(url).query
    # By its module's name: traces wrap it there.
    engine = sqlalchemy.create_engine(
        url,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_pre_ping=True,
        pool_timeout=POOL_SECONDS,
        json_deserializer=from_json,
        connect_args={
            **{name: value for name, value in DEADLINES.items() if name not in named},
            **settings,
        },
    )
    if pooled:
        sqlalchemy.event.listen(engine, "begin", _say_what_holds)
    return engine


def _say_what_holds(connection: sqlalchemy.Connection) -> None:
    said = "; ".join(f"SET LOCAL {name} = '{value}'" for name, value in OF_CONNECTIONS.items())
    connection.exec_driver_sql(said)


def insert_new(session: Session, table: type[Base], rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows, all by one statement; those whose key is there already are passed over.

    A statement a row would fire the triggers a row that weigh what is stored: each walks through
    all versions that its transaction has made of the one row with their sum. A parameter a value
    would make a statement of thousands, composed and parsed anew each time: they go as JSON.

    :param rows: of the same columns each, by their names: all without a default of the database's.
    """
    if rows:
        made = _insertion(session.get_bind().dialect, table, tuple(rows[0]))
        session.execute(made, {"rows": to_json(rows, bytes_mode="hex").decode()})


@lru_cache(maxsize=256)
def _insertion(dialect: Dialect, table: type[Base], names: tuple[str, ...]) -> TextClause:
    quoted = {name: dialect.identifier_preparer.quote(name) for name in names}
    types = {name: table.__table__.columns[name].type for name in names}
    binary = {name for name, kind in types.items() if isinstance(kind, LargeBinary)}
    typed = ", ".join(
        f"{column} {'text' if name in binary else types[name].compile(dialect)}"
        for name, column in quoted.items()
    )
    chosen = ", ".join(
        f"decode({column}, 'hex')" if name in binary else column for name, column in quoted.items()
    )
    return text(
        f"INSERT INTO {table.__tablename__} ({', '.join(quoted.values())}) SELECT {chosen}"  # noqa: S608 - names of the models
        f" FROM json_to_recordset(CAST(:rows AS json)) AS given({typed}) ON CONFLICT DO NOTHING"
    )


def among(
    column: InstrumentedAttribute[UUID] | InstrumentedAttribute[UUID | None], ids: Collection[UUID]
) -> ColumnElement[bool]:
    """Is a column one of some ids? They go as one array: hundreds of single parameters take longer
    to send and to plan for than the rows to read.
    """
    return column == any_(literal(list(ids), ARRAY(Uuid())))


def make_session_factory(engine: Engine) -> SessionFactory:
    """Sessions whose objects stay readable after the commit."""
    return sessionmaker(engine, expire_on_commit=False)


def install_database(app: FastAPI, engine: Engine) -> None:
    """Give an application its engine, its sessions, and turns at them.

    Two connections in ten are left to what is not a request's session: streams and long polls; half
    of them at most to snapshots that are read after the request's own session has ended.
    """
    app.state.engine = engine
    app.state.session_factory = make_session_factory(engine)
    pool = cast("QueuePool", engine.pool)
    connections = pool.size() * 2
    app.state.session_turns = CapacityLimiter(max(1, connections * 8 // 10))
    app.state.snapshot_turns = BoundedSemaphore(max(1, connections // 10))


async def _turn(request: Request) -> AsyncIterator[None]:
    # A request holds its connection while it has no thread: between its dependencies and its
    # endpoint. If those that wait for a connection waited in threads, they could hold all threads
    # while those with a connection waited for one. So they wait here, without a thread.
    async with request.app.state.session_turns:
        yield


def _session(
    request: Request, _: Annotated[None, Depends(_turn, scope="function")]
) -> Iterator[Session]:
    factory: SessionFactory = request.app.state.session_factory
    with unit_of_work(factory) as session:
        yield session


SessionDep = Annotated[Session, Depends(_session, scope="function")]
"""The request's session; committed before the answer is sent, rolled back on any error."""
