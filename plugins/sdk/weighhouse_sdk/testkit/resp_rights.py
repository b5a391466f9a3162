"""For plugins of Redis and its relatives: real servers whose accounts may not ask everything."""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

import contextlib
import hashlib
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from weighhouse_sdk.clock import SystemClock
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.families.resp_server import RespServer
from weighhouse_sdk.replies import NotYet, ReplyError
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.question_log import Resp
from weighhouse_sdk.testkit.rights_testing import (
    DESCRIBES,
    MEASURES,
    PASSWORD,
    Visitor,
    asked_by,
    command_of,
    questions,
    refused_in_turn,
)
from weighhouse_sdk.wire import Address

ASK_SECONDS = 5.0
UP_SECONDS = 30.0
OPERATOR = Credentials("operator", "of-the-house")


@contextlib.contextmanager
def served(program: str, arguments: list[str], address: Address) -> Iterator[Address]:
    """A server that somebody set up; it answers."""
    clock = SystemClock()
    with child([program, *arguments], stdout=subprocess.DEVNULL, cwd="/"):
        end_at = clock.monotonic() + UP_SECONDS
        while clock.monotonic() < end_at:
            with contextlib.suppress(OSError, NotYet):
                with contextlib.suppress(ReplyError):
                    ask(address, ASK_SECONDS, "PING")
                break
        yield address


def free_address() -> Address:
    """Where nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return Address(*one.getsockname())


class RespRights:
    """Each question refused in turn, and the accounts of the plugin's page."""

    plugin: ClassVar[RespServer]
    asked: ClassVar[tuple[str, ...]] = ("INFO", "CONFIG GET")
    """What the plugin asks, as its page has it."""
    cli: ClassVar[str] = "redis-cli"
    keys: ClassVar[tuple[str, ...]] = ("~*",)
    """What lets an account at all keys; nothing where accounts know no keys."""

    def operated(self, directory: Path) -> tuple[list[str], Credentials]:
        """Arguments of a server with an account that may all, and that account."""
        file = directory / "server.conf"
        shown = OPERATOR
        file.write_text(f"user {shown.username} on #{_digest(shown)} ~* &* +@all\nsave ''\n")
        return [str(file)], shown

    @contextlib.contextmanager
    def server(self, directory: Path) -> Iterator[tuple[Address, Credentials]]:
        arguments, shown = self.operated(directory)
        address = free_address()
        words = [*arguments, *self.listening(address)]
        with served(self.plugin.program, words, address) as there:
            yield there, shown

    def listening(self, address: Address) -> list[str]:
        return ["--port", str(address.port), "--bind", address.host]

    def run_command(self, command: str, address: Address, shown: Credentials) -> None:
        """As it stands on the page, with the server and whoever operates it filled in."""
        if not shutil.which(self.cli):
            command = command.replace(self.cli, "redis-cli", 1)
        line = command.replace("HOST", address.host).replace("PORT", str(address.port))
        done = subprocess.run(
            ["bash", "-ec", line],
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "REDISCLI_AUTH": str(shown.password)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.strip().endswith("OK"), (line, done.stdout, done.stderr)

    def test_the_accounts_of_the_page_measure_and_describe(self, tmp_path: Path) -> None:
        with self.server(tmp_path) as (address, shown):
            visitor = Visitor(self.plugin, address, tmp_path)
            self.run_command(command_of(self.plugin, MEASURES), address, shown)
            told = visitor.measures("measuring", visitor.account())
            assert questions(told) == set(self.asked)
            assert all(each.words for each in told)
            operator = address._replace(credentials=shown)
            assert ask(operator, ASK_SECONDS, "ACL", "DELUSER", "weighhouse") == 1
            self.run_command(command_of(self.plugin, DESCRIBES), address, shown)
            assert visitor.measures("describing", visitor.account()) == ()

    def test_each_question_may_be_refused(self, tmp_path: Path) -> None:
        with self.server(tmp_path) as (address, shown):
            visitor = Visitor(self.plugin, address, tmp_path)
            operator = address._replace(credentials=shown)
            asked = asked_by(visitor, Resp(), visitor.account(shown.username, str(shown.password)))
            assert set(asked) == set(self.asked)
            for question in asked:
                right = question.lower().replace(" ", "|")
                words = ("on", f">{PASSWORD}", *self.keys, "+@all", f"-{right}")
                assert ask(operator, ASK_SECONDS, "ACL", "SETUSER", "few", *words) == "OK"
                (told,) = visitor.measures(right.replace("|", "-"), visitor.account("few"))
                assert told.question == question
                assert told.words.startswith("NOPERM")
                assert ask(operator, ASK_SECONDS, "ACL", "DELUSER", "few") == 1

    def test_each_question_may_be_refused_by_what_stands_between(self, tmp_path: Path) -> None:
        with self.server(tmp_path) as (address, shown):
            visitor = Visitor(self.plugin, address, tmp_path)
            operator = visitor.account(shown.username, str(shown.password))
            assert set(refused_in_turn(visitor, Resp(), operator)) == set(self.asked)

    def test_a_question_that_was_refused_is_not_asked_again(self, tmp_path: Path) -> None:
        with self.server(tmp_path) as (address, shown):
            visitor = Visitor(self.plugin, address, tmp_path)
            operator = address._replace(credentials=shown)
            words = ("on", f">{PASSWORD}", *self.keys, "+@all", "-info", "-config")
            assert ask(operator, ASK_SECONDS, "ACL", "SETUSER", "few", *words) == "OK"
            context = visitor.context("again", visitor.account("few"))
            deployed = self.plugin.deploy(context)
            self.plugin.wait_ready(context, deployed)
            self.plugin.describe(context, deployed)
            # Now that it may, it would be told.
            assert ask(operator, ASK_SECONDS, "ACL", "SETUSER", "few", "+@all") == "OK"
            assert self.plugin.sample(context, deployed).metrics == {}
            assert self.plugin.memory(context, deployed).used_bytes is None

    def test_nobody_is_let_in_without_the_right_account(self, tmp_path: Path) -> None:
        with self.server(tmp_path) as (address, shown):
            visitor = Visitor(self.plugin, address, tmp_path)
            operator = address._replace(credentials=shown)
            assert ask(operator, ASK_SECONDS, "ACL", "SETUSER", "default", "off") == "OK"
            wrong = visitor.refused("wrong", visitor.account("operator", "of another house"))
            assert wrong.kind == "refused"
            assert "does not take this account and password" in wrong.message
            assert "password_file" in wrong.hint
            none = visitor.refused("none")
            assert "credentials" in none.hint
            assert none.kind == "refused"


class RespRenames(RespRights):
    """Also of servers that can be started without a command."""

    def test_each_command_may_be_gone(self, tmp_path: Path) -> None:
        """`rename-command NAME ""`, as managed services have it."""
        for question in self.asked:
            name = question.split()[0]
            file = tmp_path / f"without-{name}.conf"
            file.write_text(f"save ''\nrename-command {name} \"\"\n")
            address = free_address()
            with served(self.plugin.program, [str(file), *self.listening(address)], address):
                (told,) = Visitor(self.plugin, address, tmp_path).measures(name)
            assert told.question == question
            assert f"unknown command '{name}'" in told.words


def _digest(shown: Credentials) -> str:
    return hashlib.sha256(str(shown.password).encode()).hexdigest()
