"""For plugins that speak MongoDB's protocol: a real server behind what refuses some commands.

What stands in between answers as a `mongod` does to an account without the right.
"""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

from pathlib import Path
from typing import ClassVar

import pytest

from weighhouse_sdk.families.mongo_server import MongoServerPlugin
from weighhouse_sdk.testkit.gateway import gateway
from weighhouse_sdk.testkit.question_log import Mongo, QuestionLog
from weighhouse_sdk.testkit.rights_testing import Visitor, questions, refused_in_turn
from weighhouse_sdk.wire import Address

ASKED = frozenset({"buildInfo", "serverStatus", "getParameter", "getCmdLineOpts"})
"""What only describes, as the plugins' pages have it."""


class WantsAccount(Mongo):
    """A server that is asked by somebody who has not logged in."""

    words: ClassVar[str] = "requires authentication: command"


class MongoRights:
    """Each question refused in turn; the fixture `there` is where a real server answers."""

    plugin: ClassVar[MongoServerPlugin]

    def test_each_question_may_be_refused(self, there: Address, tmp_path: Path) -> None:
        assert set(refused_in_turn(Visitor(self.plugin, there, tmp_path), Mongo())) == ASKED

    def test_all_questions_may_be_refused(self, there: Address, tmp_path: Path) -> None:
        logs = [QuestionLog(Mongo(), refuses=each) for each in sorted(ASKED)]

        def refusing(data: bytes) -> bytes | None:
            return next(filter(None, [log(data) for log in logs]), None)

        with gateway(there, refusing) as before:
            told = Visitor(self.plugin, before.address, tmp_path).measures("none")
        assert questions(told) == ASKED

    @pytest.mark.parametrize("command", ["buildInfo", "serverStatus"])
    def test_a_server_that_wants_an_account_is_told(
        self, there: Address, command: str, tmp_path: Path
    ) -> None:
        with gateway(there, QuestionLog(WantsAccount(), refuses=command)) as before:
            told = Visitor(self.plugin, before.address, tmp_path).refused("account")
            assert told.kind == "refused"
            assert "wants an account" in told.message
            assert "credentials" in told.hint
