"""A real memcached behind what does not pass on all questions, or that wants an account."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_memcached import PLUGIN
from weighhouse_sdk.testkit.question_log import Memcached
from weighhouse_sdk.testkit.resp_rights import free_address, served
from weighhouse_sdk.testkit.rights_testing import Visitor, refused_in_turn
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


def test_a_server_that_wants_an_account_is_told(tmp_path: Path) -> None:
    accounts = tmp_path / "accounts"
    accounts.write_text("weighhouse:of the house\n", encoding="utf-8")
    address = free_address()
    with served("memcached", [*arguments(address), "-Y", str(accounts)], address):
        told = Visitor(PLUGIN, address, tmp_path).refused("account")
        assert told.kind == "refused"
        assert "wants an account" in told.message
        assert "-Y" in told.hint


def test_another_product_is_told(tmp_path: Path) -> None:
    address = free_address()
    words = ["--port", str(address.port), "--bind", address.host, "--save", ""]
    with served("redis-server", words, address):
        told = Visitor(PLUGIN, address, tmp_path).refused("redis")
        assert "speaks Redis' protocol, not Memcached's protocol" in told.message
