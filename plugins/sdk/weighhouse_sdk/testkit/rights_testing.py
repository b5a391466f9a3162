"""For tests of plugins: a server of somebody else's, and an account that may not ask everything.

The commands that make accounts are read out of the plugin's page, so that what stands there works.
"""

# ruff: noqa: S101 - pytest explains assertions

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from weighhouse_protocol.driver import PhaseFinished
from weighhouse_protocol.target import Target, Topology

from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import ServerUnfit
from weighhouse_sdk.lifecycle import Deployed, Plugin
from weighhouse_sdk.replies import NotTold
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.testkit.gateway import gateway
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.question_log import Dialect, QuestionLog
from weighhouse_sdk.wire import Address

MEASURES = "Measuring alone"
DESCRIBES = "Measuring, and describing"
ACCOUNT, PASSWORD = "weighhouse", "a-password-of-its-own"
RECORDS = 200

Asked = tuple[str, ...]
"""Questions, by the names that people know them by."""


def command_of(plugin: Plugin, heading: str) -> str:
    """The command under a heading of the plugin's page that makes an account.

    :param heading: `MEASURES` or `DESCRIBES`.
    """
    page = plugin.manifest.documentation
    found = re.search(
        rf"^#+ {re.escape(heading)}\n.*?```\w*\n(.*?)```", page, re.DOTALL | re.MULTILINE
    )
    assert found, f"the page of {plugin.manifest.id} has no command under `{heading}`"
    return re.sub(r"(?<=['\">:])PASSWORD", PASSWORD, found.group(1))


@dataclass
class Visitor:
    """Comes to a server of somebody else's with an account, or without."""

    plugin: ServerPlugin
    address: Address
    directory: Path
    topology: Topology = field(default_factory=Topology)
    drivers_way: Address | None = None
    """Where the driver goes, when only the observer is to be listened to; None: the same way."""
    drives: bool = True
    """Whether there is a server that takes load."""
    ready_seconds: float = 30.0

    def context(self, name: str, credentials: Credentials | None = None) -> Context:
        """An attempt of its own."""
        target = Target(
            name="there",
            system=self.plugin.manifest.id,
            deployment="external",
            endpoints=(self.address.endpoint,),
            topology=self.topology,
            credentials="theirs" if credentials else None,
        )
        options = HostOptions(credentials=credentials, ready_seconds=self.ready_seconds)
        return Context.open(target, self.directory / name, options=options)

    def account(self, username: str | None = ACCOUNT, password: str = PASSWORD) -> Credentials:
        """An account as the agent's policy keeps it."""
        file = self.directory / f"{username}.password"
        file.write_text(password, encoding="utf-8")
        file.chmod(0o600)
        return Credentials(username, password, file)

    def measures(self, name: str, credentials: Credentials | None = None) -> tuple[NotTold, ...]:
        """Let in, describe, load and measure, by all verbs that an agent asks of a server that is
        there already; all of it succeeds.

        :returns: what was not told.
        """
        plugin, context = self.plugin, self.context(name, credentials)
        plugin.check_here(context)
        deployed = plugin.deploy(context)
        plugin.wait_ready(context, deployed)
        plugin.unite(context, deployed)
        plugin.find_nodes(context, deployed)
        plugin.describe(context, deployed)
        plugin.memory(context, deployed)
        plugin.counts(context, deployed)
        if self.drives:
            self._load(context, deployed, credentials)
        plugin.sample(context, deployed)
        plugin.memory(context, deployed)
        plugin.stop(context, deployed)
        plugin.clean_up(context)
        return tuple(deployed.refusals)

    def _load(self, context: Context, deployed: Deployed, credentials: Credentials | None) -> None:
        plugin = self.plugin
        options = {**plugin.driver_options(context.target)}
        if credentials is not None:
            known = ("username", "password_file", "tls_ca_file")
            options |= credentials.driver_options(plugin.manifest.driver.id, known)
        way = self.drivers_way
        endpoints = plugin.endpoints(deployed) if way is None else (way.endpoint,)
        order = order_for(endpoints, options, 0.3, records=RECORDS)
        with DriverRun(plugin.manifest.driver.id, order, context) as run:
            ends = [event for event in run.events() if isinstance(event, PhaseFinished)]
        assert [end.phase for end in ends] == ["load", "measure"]
        for end in ends:
            assert sum(totals.ok for totals in end.operations.values()) > 0
            assert not any(totals.errors for totals in end.operations.values())

    def refused(self, name: str, credentials: Credentials | None = None) -> ServerUnfit:
        """Not let in: it is told at the first answer, without another try.

        :returns: as what the run ends.
        """
        asked: list[Address] = []
        greet = self.plugin.greet

        def counted(address: Address, timeout_seconds: float) -> None:
            asked.append(address)
            greet(address, timeout_seconds)

        context = self.context(name, credentials)
        deployed = self.plugin.deploy(context)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.plugin, "greet", counted)
            with pytest.raises(ServerUnfit) as told:
                self.plugin.wait_ready(context, deployed)
        assert len(asked) == 1
        error = told.value
        assert error.hint
        secret = credentials.password if credentials else None
        assert secret is None or secret not in f"{error.message} {error.hint}"
        assert "invalid literal" not in error.message
        return error


def asked_by(visitor: Visitor, dialect: Dialect, shown: Credentials | None = None) -> Asked:
    """The list of questions that a plugin asks a server which tells everything.

    :param visitor: goes to that server.
    """
    log = QuestionLog(dialect)
    with gateway(visitor.address, log) as between:
        listened = replace(visitor, address=between.address, drivers_way=visitor.address)
        assert listened.measures("asked", shown) == ()
    assert log.questions, "nothing was asked, or nothing heard"
    return log.questions


def refused_in_turn(visitor: Visitor, dialect: Dialect, shown: Credentials | None = None) -> Asked:
    """Hold that each question a plugin asks may be refused, by what stands before the server: the
    run completes, exactly that question is not told, in the server's words, and it is not asked
    again.

    :param visitor: goes to a server that tells everything.
    :returns: the questions.
    """
    found = asked_by(visitor, dialect, shown)
    log = QuestionLog(dialect)
    with gateway(visitor.address, log) as between:
        listened = replace(visitor, address=between.address, drivers_way=visitor.address)
        for number, question in enumerate(found, 1):
            log.refusing(question)
            told = listened.measures(f"refused-{number}", shown)
            assert [each.question for each in told] == [question]
            assert dialect.words in told[0].words
            assert log.heard.count(question) == 1, f"{question} was asked again"
    return found


def questions(told: Collection[NotTold] | Sequence[NotTold]) -> set[str]:
    """What was asked, without the words."""
    return {each.question for each in told}
