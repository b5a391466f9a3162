"""A real memcached behind what does not pass on all questions, or that wants an account."""

import contextlib
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_memcached import PLUGIN
from weighhouse_plugin_memcached.stats import stats
from weighhouse_sdk.testkit.question_log import Memcached
from weighhouse_sdk.testkit.resp_rights import free_address, served
from weighhouse_sdk.testkit.rights_testing import Visitor, command_of, refused_in_turn
from weighhouse_sdk.wire import Address


@pytest.fixture
def memcached() -> Iterator[Address]:
    address = free_address()
    with served("memcached", arguments(address), address):
        yield address


def arguments(address: Address) -> list[str]:
    return ["-l", address.host, "-p", str(address.port), "-U", "0", "-u", "root"]


def test_each_question_may_be_refused(memcached: Address, tmp_path: Path) -> None:
    visitor = Visitor(PLUGIN, memcached, tmp_path)
    assert set(refused_in_turn(visitor, Memcached())) == {"version", "stats", "stats settings"}


def test_all_is_told_without_anything_between(memcached: Address, tmp_path: Path) -> None:
    assert Visitor(PLUGIN, memcached, tmp_path).measures("all") == ()


@contextlib.contextmanager
def with_accounts(directory: Path) -> Iterator[Address]:
    """Made by the command of the plugin's page."""
    file = directory / "accounts"
    line = command_of(PLUGIN, "An account").replace("FILE", shlex.quote(str(file)))
    subprocess.run(["bash", "-ec", line], check=True)
    address = free_address()
    with served("memcached", [*arguments(address), "-Y", str(file)], address):
        yield address


def test_the_account_of_the_page_measures_and_describes(tmp_path: Path) -> None:
    with with_accounts(tmp_path) as address:
        visitor = Visitor(PLUGIN, address, tmp_path)
        assert visitor.measures("account", visitor.account()) == ()


def test_nobody_is_let_in_without_the_right_account(tmp_path: Path) -> None:
    with with_accounts(tmp_path) as address:
        visitor = Visitor(PLUGIN, address, tmp_path)
        told = visitor.refused("none")
        assert told.kind == "refused"
        assert "wants an account" in told.message
        assert "credentials" in told.hint
        wrong = visitor.refused("wrong", visitor.account(password="of another house"))
        assert wrong.kind == "refused"
        assert "does not take this account and password" in wrong.message
        nameless = visitor.refused("nameless", visitor.account(username=None))
        assert "username" in nameless.hint


def test_a_server_that_wants_no_account_does_not_keep_one(
    memcached: Address, tmp_path: Path
) -> None:
    visitor = Visitor(PLUGIN, memcached, tmp_path)
    told = visitor.refused("stranger", visitor.account())
    assert "wants no account" in told.message
    assert stats(memcached, 2.0)["cmd_set"] == "0"


def test_another_product_is_told(tmp_path: Path) -> None:
    address = free_address()
    words = ["--port", str(address.port), "--bind", address.host, "--save", ""]
    with served("redis-server", words, address):
        told = Visitor(PLUGIN, address, tmp_path).refused("redis")
        assert "speaks Redis' protocol, not Memcached's protocol" in told.message
