"""Over a real PgBouncer that pools by transaction, two connections for everybody."""

import os
import shutil
import subprocess

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from weighhouse_backend.kit.db import make_engine
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.clusters import as_application
from weighhouse_testing.waits import until

from backend.tests.results.laboratory import ROUTERS, Laboratory, experiment, steady

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = plain
auth_file = {people}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
"""


@pytest.fixture(scope="module")
def database_url(owner_database_url, server_directory):
    """The application's login, over the pooler."""
    address, own = make_url(as_application(owner_database_url)), free_port()
    folder = server_directory / "pooler"  # others may pass through it
    folder.mkdir(mode=0o755)
    people = folder / "people.txt"
    people.write_text(f'"{address.username}" "{address.password}"\n', encoding="utf-8")
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        CONFIGURATION.format(port=address.port, own=own, people=people), encoding="utf-8"
    )
    # It does not serve as root.
    who = ["-u", "postgres"] if os.geteuid() == 0 else []
    assert PROGRAM is not None, "pgbouncer is missing: infra/bootstrap/debian.sh tests"
    pooler = subprocess.Popen([PROGRAM, "-q", *who, str(settings)])
    url = address.set(host="127.0.0.1", port=own).render_as_string(hide_password=False)

    def answers():
        engine = make_engine(url, pooled=True)
        try:
            with engine.connect() as connection:
                return connection.scalar(text("SELECT 1")) == 1
        except Exception:  # noqa: BLE001 - not yet
            return False
        finally:
            engine.dispose()

    try:
        until("the pooler answers", answers)
        yield url
    finally:
        pooler.terminate()
        pooler.wait()


@pytest.fixture(scope="module")
def engine(settings):
    made = make_engine(settings.database_url, pooled=True)
    yield made
    made.dispose()


def test_two_tenants_measure_over_two_connections_and_see_their_own(
    make_client, session_factory, settings, tenants
):
    client = make_client(*ROUTERS)
    houses = [Laboratory(client, session_factory, settings, one.headers) for one in tenants]
    measured = []
    for name, house in zip(("ours", "theirs"), houses, strict=True):
        house.enrol()
        document = experiment(name, repetitions=2)
        measured += [(house, house.carry_out(document, steady)) for _ in range(2)]
    for house, campaign_id in measured:
        listed = house.get("/campaigns")["items"]
        assert campaign_id in {one["id"] for one in listed}
        assert len(listed) == 2, "another tenant's are not among them"
        assert house.get(f"/campaigns/{campaign_id}")["verdict"] is not None
    (ours, theirs) = (house.get("/series")["items"] for house in houses)
    assert {one["id"] for one in ours}.isdisjoint(one["id"] for one in theirs)


def test_every_transaction_has_what_connections_are_set_to(session_factory):
    for _ in range(6):
        with unit_of_work(session_factory) as session:
            assert session.scalar(text("SHOW timezone")) == "UTC"
            assert session.scalar(text("SHOW lock_timeout")) == "20s"
            assert not session.scalar(text("SELECT count(*) FROM pg_prepared_statements"))
            assert session.scalar(text("SELECT current_user")) == "weighhouse_app"
