"""What servers have in common that speak MongoDB's wire protocol, whoever made them."""

import contextlib
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from weighhouse_protocol.counts import CommandCount, NodeCounts

from weighhouse_sdk.families.mongo import Document, UnknownCommand, ask, figures, words
from weighhouse_sdk.replies import unless_refused
from weighhouse_sdk.serving.questions import UNTOLD
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.wire import Address

SERVER_STATUS = {"serverStatus": 1}
ANSWER = frozenset({"ok", "operationTime", "$clusterTime", "lastCommittedOpTime"})
"""Parts of every answer."""

LARGEST = ("maxBsonObjectSize", "maxMessageSizeBytes")
"""What `hello` says of sizes."""


class MongoServerPlugin(ServerPlugin):
    """Their answers to `serverStatus`, `getParameter` and `getCmdLineOpts`."""

    sampled: ClassVar[tuple[str, ...]] = ()
    """Figures of `serverStatus` that are sampled, by path or by the beginning of several."""
    volatile: ClassVar[frozenset[str]] = frozenset()
    """Answers to `getParameter` that are no settings."""

    @abstractmethod
    def version_in(self, build_info: Mapping[str, str]) -> str:
        """The system's own version in the answer to `buildInfo`."""

    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """`pid` of `serverStatus`."""
        (status,) = ask(address, timeout_seconds, SERVER_STATUS)
        return int(status["pid"]) if "pid" in status else None

    def greet(self, address: Address, timeout_seconds: float) -> None:
        """Also hold that it lets one in: `buildInfo` is answered to anybody."""
        super().greet(address, timeout_seconds)
        self.metrics(address, timeout_seconds)

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """By `buildInfo`."""
        told = self._told(address, timeout_seconds, {"buildInfo": 1})
        return self.version_in(words(told)) if told else UNTOLD

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """All parameters by their names, the options it was started with by their paths, and the
        largest document and message it takes. What a relative of MongoDB has no command for is left
        out.
        """
        parameters = self._told(address, timeout_seconds, {"getParameter": "*"})
        found = words({name: each for name, each in parameters.items() if name not in ANSWER})
        options = self._told(address, timeout_seconds, {"getCmdLineOpts": 1})
        found |= words(options.get("parsed", {}))
        hello = self._told(address, timeout_seconds, {"hello": 1})
        found |= words({f"hello.{name}": hello[name] for name in LARGEST if name in hello})
        return {name: value for name, value in found.items() if name not in self.volatile}

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """What `sampled` names of `serverStatus`."""
        status = self._told(address, timeout_seconds, SERVER_STATUS)
        return {
            name: value for name, value in figures(status).items() if name.startswith(self.sampled)
        }

    def counted(self, address: Address, timeout_seconds: float) -> NodeCounts | None:
        """`metrics.commands` of `serverStatus`: commands, whatever they are of."""
        status = self._told(address, timeout_seconds, SERVER_STATUS)
        return counts_in(address.endpoint, status)

    def _told(
        self, address: Address, timeout_seconds: float, command: Document
    ) -> Mapping[str, Any]:
        """The answer to what only describes; an empty one where there is no such command, or the
        server may refuse to tell, and does.
        """

        def asked() -> Mapping[str, Any]:
            with contextlib.suppress(UnknownCommand):
                (answer,) = ask(address, timeout_seconds, command)
                return answer
            return {}

        return unless_refused(address, next(iter(command)), asked) or {}


def counts_in(endpoint: str, status: Mapping[str, Any]) -> NodeCounts | None:
    """The counters in an answer to `serverStatus`; None: they are not there, or the commands are
    another node's, as on a secondary.
    """
    told = status.get("metrics", {}).get("commands", {})
    commands = {
        name: CommandCount(calls=int(one["total"]), failed=int(one.get("failed", 0)))
        for name, one in told.items()
        if isinstance(one, Mapping) and one.get("total")
    }
    if not commands:
        return None
    network = status.get("network", {})
    return NodeCounts(
        node=endpoint,
        life=str(status.get("pid", "")),
        commands=commands,
        received_bytes=_number(network, "bytesIn"),
        sent_bytes=_number(network, "bytesOut"),
    )


def _number(told: Mapping[str, Any], name: str) -> int | None:
    return int(told[name]) if name in told else None
