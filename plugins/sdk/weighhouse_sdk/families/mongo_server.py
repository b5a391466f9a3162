"""What servers have in common that speak MongoDB's wire protocol, whoever made them."""

import contextlib
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from weighhouse_sdk.families.mongo import UnknownCommand, ask, figures, words
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.wire import Address

SERVER_STATUS = {"serverStatus": 1}
ANSWER = frozenset({"ok", "operationTime", "$clusterTime", "lastCommittedOpTime"})
"""Parts of every answer."""


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

    def version_served(self, address: Address, timeout_seconds: float) -> str:
        """By `buildInfo`."""
        (answer,) = ask(address, timeout_seconds, {"buildInfo": 1})
        return self.version_in(words(answer))

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """All parameters by their names, and the options it was started with by their paths. What a
        relative of MongoDB has no command for is left out.
        """
        found: dict[str, str] = {}
        with contextlib.suppress(UnknownCommand):
            (parameters,) = ask(address, timeout_seconds, {"getParameter": "*"})
            found |= words({name: each for name, each in parameters.items() if name not in ANSWER})
        with contextlib.suppress(UnknownCommand):
            (options,) = ask(address, timeout_seconds, {"getCmdLineOpts": 1})
            found |= words(options.get("parsed", {}))
        return {name: value for name, value in found.items() if name not in self.volatile}

    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """What `sampled` names of `serverStatus`."""
        (status,) = ask(address, timeout_seconds, SERVER_STATUS)
        return {
            name: value for name, value in figures(status).items() if name.startswith(self.sampled)
        }
