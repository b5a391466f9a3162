"""Accounts of a real node that may not ask everything, as the plugin's page makes them."""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_cassandra import PLUGIN
from weighhouse_protocol.base import Scalar
from weighhouse_sdk.clock import SystemClock
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.families.cql import rows
from weighhouse_sdk.places import Place
from weighhouse_sdk.replies import LoginRefused, NotYet
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.question_log import Cql
from weighhouse_sdk.testkit.resp_rights import free_address, served
from weighhouse_sdk.testkit.rights_testing import (
    DESCRIBES,
    MEASURES,
    Visitor,
    command_of,
    questions,
    refused_in_turn,
)
from weighhouse_sdk.wire import Address

SMALL: dict[str, Scalar] = {"heap_mebibytes": 256, "garbage_collector": "serial"}
ACCOUNTS = {"authenticator": "PasswordAuthenticator", "authorizer": "CassandraAuthorizer",
            "role_manager": "CassandraRoleManager", "permissions_validity": "0ms",
            "roles_validity": "0ms", "credentials_validity": "0ms"}  # fmt: skip
OPERATOR = Credentials("cassandra", "cassandra")
"""As the vendor ships it."""
UP_SECONDS = 240.0
VIEWS = {
    "settings", "thread_pools", "caches", "sstable_tasks", "coordinator_read_latency",
    "coordinator_write_latency", "coordinator_scan_latency",
}  # fmt: skip
ANYBODYS = {"system.local", "system.peers", "system_schema.keyspaces"}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """A node with accounts, as somebody set it up."""
    directory = tmp_path_factory.mktemp("node")
    address = free_address()
    place = Place(1, "cassandra", address, directory, (address,), 1)
    PLUGIN.prepare(SMALL, place)
    yaml = directory / "cassandra.yaml"
    yaml.write_text(json.dumps(json.loads(yaml.read_text()) | ACCOUNTS), encoding="utf-8")
    words = [str(shutil.which("java")), *PLUGIN.arguments(SMALL, place)]
    clock = SystemClock()
    with child(words, cwd=directory, stdout=subprocess.DEVNULL) as process:
        end_at = clock.monotonic() + UP_SECONDS
        while clock.monotonic() < end_at and process.poll() is None:
            # The account is made a moment after the node takes questions.
            with contextlib.suppress(OSError, NotYet, LoginRefused):
                rows(address._replace(credentials=OPERATOR), 10.0)
                break
        yield address


def operate(node: Address, text: str) -> None:
    """What an operator types into cqlsh."""
    statements = [each.strip() for each in text.split(";") if each.strip()]
    rows(node._replace(credentials=OPERATOR), 30.0, *statements)


def test_the_accounts_of_the_page_measure_and_describe(node: Address, tmp_path: Path) -> None:
    visitor = Visitor(PLUGIN, node, tmp_path)
    operate(node, command_of(PLUGIN, MEASURES))
    told = visitor.measures("measuring", visitor.account())
    assert questions(told) == {f"SELECT FROM system_views.{each}" for each in VIEWS}
    assert all("has no SELECT permission" in each.words for each in told)
    operate(node, "DROP KEYSPACE ycsb; DROP ROLE weighhouse")
    operate(node, command_of(PLUGIN, DESCRIBES))
    assert visitor.measures("describing", visitor.account()) == ()
    operate(node, "DROP KEYSPACE ycsb; DROP ROLE weighhouse")


def test_each_question_may_be_refused(node: Address, tmp_path: Path) -> None:
    """By the node, where a role's rights hold; tables that are anybody's to read, and the others
    once more, by what stands before it."""
    visitor = Visitor(PLUGIN, node, tmp_path)
    operate(node, command_of(PLUGIN, DESCRIBES))
    asked = refused_in_turn(visitor, Cql(), visitor.account())
    tables = {each.removeprefix("SELECT FROM ") for each in asked}
    views = {each for each in tables if each.startswith("system_views.")}
    assert tables - views == ANYBODYS
    assert views == {f"system_views.{each}" for each in VIEWS}
    operate(node, "REVOKE SELECT ON KEYSPACE system_views FROM weighhouse")
    for view in sorted(views):
        for other in views - {view}:
            operate(node, f"GRANT SELECT ON {other} TO weighhouse")
        (told,) = visitor.measures(view, visitor.account())
        assert told.question == f"SELECT FROM {view}"
        assert "has no SELECT permission" in told.words
        for other in views - {view}:
            operate(node, f"REVOKE SELECT ON {other} FROM weighhouse")
    operate(node, "DROP KEYSPACE ycsb; DROP ROLE weighhouse")


def test_nobody_is_let_in_without_the_right_account(node: Address, tmp_path: Path) -> None:
    visitor = Visitor(PLUGIN, node, tmp_path)
    wrong = visitor.refused("wrong", visitor.account("cassandra", "of another house"))
    assert wrong.kind == "refused"
    assert "does not take this account and password" in wrong.message
    none = visitor.refused("none")
    assert "wants an account" in none.message
    assert "credentials" in none.hint


def test_tls_and_other_products_are_told(node: Address, tmp_path: Path) -> None:
    told = Visitor(PLUGIN, node._replace(tls=True), tmp_path).refused("tls")
    assert "does not speak TLS" in told.message
    other = free_address()
    words = ["--port", str(other.port), "--bind", other.host, "--save", ""]
    with served("redis-server", words, other):
        told = Visitor(PLUGIN, other, tmp_path).refused("redis")
    assert "speaks Redis' protocol, not CQL" in told.message
