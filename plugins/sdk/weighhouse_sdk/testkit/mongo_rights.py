"""For plugins that speak MongoDB's protocol: a real server behind what refuses some commands.

What stands in between answers as a `mongod` does to an account without the right.
"""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import bson
import pytest

from weighhouse_sdk.families.mongo import HEADER, OP_MSG, UNAUTHORIZED
from weighhouse_sdk.families.mongo_server import MongoServerPlugin
from weighhouse_sdk.testkit.gateway import gateway
from weighhouse_sdk.testkit.rights_testing import Visitor, questions
from weighhouse_sdk.wire import Address

ASKED = ("buildInfo", "serverStatus", "getParameter", "getCmdLineOpts")
"""What only describes."""
BODY_AT = HEADER.size + 5
"""Behind the header: flags, and the kind of the section."""


def refusing(
    *commands: str, words: str = "not authorized on admin to execute command"
) -> Callable[[bytes], bytes | None]:
    """Answers some commands with an error, passes on all else."""

    def answering(data: bytes) -> bytes | None:
        size, number, _, kind = HEADER.unpack_from(data)
        if kind != OP_MSG or size != len(data):
            return None
        asked = next(iter(bson.decode(data[BODY_AT:])))
        if asked not in commands:
            return None
        body = (
            bytes(4)
            + b"\0"
            + bson.encode(
                {
                    "ok": 0.0,
                    "errmsg": f"{words} {{ {asked}: 1 }}",
                    "code": UNAUTHORIZED,
                    "codeName": "Unauthorized",
                }
            )
        )
        return HEADER.pack(HEADER.size + len(body), 1, number, OP_MSG) + body

    return answering


class MongoRights:
    """Each question refused in turn; the fixture `there` is where a real server answers."""

    plugin: ClassVar[MongoServerPlugin]

    @pytest.mark.parametrize("command", ASKED)
    def test_each_question_may_be_refused(
        self, there: Address, command: str, tmp_path: Path
    ) -> None:
        with gateway(there, refusing(command)) as before:
            (told,) = Visitor(self.plugin, before.address, tmp_path).measures("few")
            assert told.question == command
            assert told.words.startswith("not authorized on admin")
            assert before.refused == 1, "asked again"

    def test_all_questions_may_be_refused(self, there: Address, tmp_path: Path) -> None:
        with gateway(there, refusing(*ASKED)) as before:
            told = Visitor(self.plugin, before.address, tmp_path).measures("none")
            assert questions(told) == set(ASKED)

    def test_a_server_that_wants_an_account_is_told(self, there: Address, tmp_path: Path) -> None:
        words = "requires authentication: command"
        with gateway(there, refusing(*ASKED, words=words)) as before:
            told = Visitor(self.plugin, before.address, tmp_path).refused("account")
            assert told.kind == "refused"
            assert "wants an account" in told.message
            assert "credentials" in told.hint
