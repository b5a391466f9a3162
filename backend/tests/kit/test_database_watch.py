"""A PostgreSQL that hangs, is full, or has too little: seen, named, and nobody waits for it."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_backend.kit.database_watch import DatabaseWatch
from weighhouse_backend.kit.db import make_engine
from weighhouse_backend.kit.outages import note_outage, outage_of
from weighhouse_testing.fixtures import plain
from weighhouse_testing.own_postgres import OwnPostgres, own_postgres, small_disk
from weighhouse_testing.waits import until


@pytest.fixture(scope="module")
def server() -> Iterator[OwnPostgres]:
    with own_postgres() as made:
        yield made


@pytest.fixture
def conditions() -> Conditions:
    return Conditions()


@pytest.fixture
def watch(server: OwnPostgres, conditions: Conditions) -> Iterator[DatabaseWatch]:
    made = DatabaseWatch(server.url, conditions)
    yield made
    server.thaw()
    made.close()


@pytest.fixture
def engine(server: OwnPostgres, watch: DatabaseWatch) -> Iterator[Engine]:
    made = make_engine(server.url, pool_size=2)
    watch.guard(made)
    yield made
    made.dispose()


def told(conditions: Conditions) -> list[tuple[str, str]]:
    return [(one.name, one.detail) for one in conditions.told()]


def test_who_waits_for_a_server_that_hangs_is_told_and_nobody_begins_to(
    server: OwnPostgres, watch: DatabaseWatch, engine: Engine, conditions: Conditions
) -> None:
    watch.look()
    assert told(conditions) == []
    asking = threading.Event()

    def ask() -> None:
        with engine.connect() as connection:
            asking.set()
            connection.execute(text("SELECT pg_sleep(3600)"))

    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(ask)
        asking.wait()
        server.freeze()
        watch.look()
        assert told(conditions) == [("database-away", "the database does not answer")]
        with pytest.raises(OperationalError):
            waiting.result()
    with pytest.raises(OperationalError), engine.connect():
        pass
    watch.look()
    server.thaw()
    until("it is seen that it answers", lambda: watch.look() or not conditions.told())
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1


def test_one_that_is_gone_is_away(conditions: Conditions) -> None:
    watch = DatabaseWatch("postgresql+psycopg://nobody@127.0.0.1:1/none", conditions)
    watch.look()
    assert watch.away
    assert [name for name, _ in told(conditions)] == ["database-away"]


LOOKED = "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT 1' AND state = 'idle'"


def test_one_connection_that_hangs_is_not_the_server(
    server: OwnPostgres, watch: DatabaseWatch, engine: Engine, conditions: Conditions
) -> None:
    watch.look()
    with psycopg.connect(plain(server.url)) as other:
        ((pid,),) = other.execute(LOOKED).fetchall()
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            with engine.connect() as connection:
                connection.execute(text("SELECT 2"))

    with ThreadPoolExecutor() as threads:
        asking = threads.submit(ask)
        os.kill(pid, signal.SIGSTOP)
        try:
            watch.look()
        finally:
            over.set()
            os.kill(pid, signal.SIGCONT)
        asking.result()
    assert told(conditions) == []
    watch.look()
    assert not watch.away


def test_one_connection_that_breaks_is_not_the_server(
    server: OwnPostgres, watch: DatabaseWatch, engine: Engine, conditions: Conditions
) -> None:
    watch.look()
    with psycopg.connect(plain(server.url)) as other, engine.connect() as connection:
        connection.execute(text("SELECT 2"))
        ended = other.execute(LOOKED.replace("SELECT pid", "SELECT pg_terminate_backend(pid)"))
        assert ended.fetchall() == [(True,)]
        watch.look()
        assert told(conditions) == []
        assert connection.scalar(text("SELECT 2")) == 2


@pytest.mark.parametrize("several", [True, False])
def test_it_connects_wherever_the_engines_do(
    server: OwnPostgres, conditions: Conditions, several: bool
) -> None:
    address = make_url(server.url)
    if several:
        address = address.set(host=None, port=None).update_query_pairs(
            [("host", "127.0.0.1:1"), ("host", f"{address.host}:{address.port}")]
        )
    else:
        address = address.update_query_dict({"options": "-c geqo=off", "connect_timeout": "9"})
    watch = DatabaseWatch(address.render_as_string(hide_password=False), conditions)
    watch.look()
    assert told(conditions) == []
    watch.close()


def test_who_has_a_connection_is_served_while_new_ones_are_refused(
    server: OwnPostgres, conditions: Conditions
) -> None:
    with psycopg.connect(plain(server.url), autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN PASSWORD 'x'")
        watch = DatabaseWatch(server.url.replace("weighhouse:not-a-secret", "guest:x"), conditions)
        watch.look()
        connection.execute("ALTER ROLE guest PASSWORD 'another'")
        until("new ones are refused", lambda: watch.look() or conditions.told())
        assert told(conditions) == [("database-away", "PostgreSQL takes no connection")]
        assert not watch.away
        connection.execute("ALTER ROLE guest PASSWORD 'x'")
        until("it is well", lambda: watch.look() or not conditions.told())
        watch.close()


REFUSED = {
    "read only": ("25006", "database-away", "SET TRANSACTION READ ONLY THEN CREATE TABLE none ()"),
    "too long": ("57014", "unavailable", "SET statement_timeout = 1 THEN SELECT pg_sleep(3600)"),
    "ended": ("57P01", "database-away", "SELECT pg_terminate_backend(pg_backend_pid())"),
    "no memory": (
        "53200", "database-away", "DO $$ BEGIN RAISE 'full' USING ERRCODE = '53200'; END $$",
    ),
    "broken files": (
        "58030", "database-away", "DO $$ BEGIN RAISE 'torn' USING ERRCODE = '58030'; END $$",
    ),
    "stopping": (
        "57P03", "database-away", "DO $$ BEGIN RAISE 'soon' USING ERRCODE = '57P03'; END $$",
    ),
    "deadlock": (
        "40P01", "unavailable", "DO $$ BEGIN RAISE 'held' USING ERRCODE = '40P01'; END $$",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("state", "slug", "statement"), REFUSED.values(), ids=REFUSED)
def test_what_a_server_says_has_a_name(
    engine: Engine, state: str, slug: str, statement: str
) -> None:
    before, _, statement = statement.rpartition(" THEN ")
    with engine.connect() as connection:
        connection.exec_driver_sql(before or "SELECT 1")
        with pytest.raises(DBAPIError) as caught:
            connection.exec_driver_sql(statement)
    assert caught.value.orig.sqlstate == state
    problem = outage_of(caught.value)
    assert problem is not None
    assert problem.slug == slug


def test_what_is_wrong_with_a_statement_is_no_outage(engine: Engine) -> None:
    with pytest.raises(DBAPIError) as caught, engine.connect() as connection:
        connection.exec_driver_sql("SELECT nothing")
    assert outage_of(caught.value) is None


def test_no_connection_left_has_a_name(server: OwnPostgres, engine: Engine) -> None:
    with psycopg.connect(plain(server.url), autocommit=True) as connection:
        connection.execute("CREATE ROLE crowd LOGIN PASSWORD 'x' CONNECTION LIMIT 0")
    crowd = make_engine(server.url.replace("weighhouse:not-a-secret", "crowd:x"))
    with pytest.raises(OperationalError) as caught, crowd.connect():
        pass
    problem = outage_of(caught.value)
    assert (problem.slug, problem.detail) == ("database-away", "the database does not answer")


def test_a_full_disk_is_named_until_there_is_room() -> None:
    conditions = Conditions()
    with small_disk(mebibytes=220) as disk, own_postgres(disk) as server:
        engine, watch = make_engine(server.url), DatabaseWatch(server.url, conditions)
        try:
            watch.look()
            with engine.begin() as connection:
                connection.exec_driver_sql("CREATE TABLE much (filling text)")
            filling = disk / "filling"
            subprocess.run(["dd", "if=/dev/zero", f"of={filling}", "bs=1M"], check=False)
            with pytest.raises(DBAPIError) as caught, engine.begin() as connection:
                connection.exec_driver_sql("INSERT INTO much SELECT repeat(md5(n::text), 56)"
                                           " FROM generate_series(1, 2000) AS n")  # fmt: skip
            assert outage_of(caught.value).slug == "no-space", caught.value
            note_outage(caught.value, conditions)
            watch.look()
            assert told(conditions) == [("no-space", "PostgreSQL's disk is full")]
            filling.unlink()
            watch.look()
            assert told(conditions) == []
        finally:
            watch.close()
            engine.dispose()
