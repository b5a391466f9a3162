"""Traces of requests, tasks and their SQL, where somebody wants them.

Nothing of OpenTelemetry is imported unless the settings say where traces go: why it is imported by
its name here, stands in docs/adr/0051.
"""

from importlib import import_module
from typing import Protocol, cast

from fastapi import FastAPI

from weighhouse_backend.kit.settings import Settings


class Tracing(Protocol):
    """Traces of this process."""

    def follow_requests(self, app: FastAPI) -> None:
        """Trace what the application answers, but for streams, waiting agents and health."""
        ...

    def words(self) -> dict[str, str]:
        """What a log's line says of the trace that it belongs to; nothing outside of one."""
        ...

    def end(self) -> None:
        """Deliver what waits; to be called where the process ends."""
        ...


class Untraced:
    """Nobody wants traces."""

    def follow_requests(self, app: FastAPI) -> None:
        """Nothing."""

    def words(self) -> dict[str, str]:
        """Nothing."""
        return {}

    def end(self) -> None:
        """Nothing."""


def tracing_of(settings: Settings, part: str) -> Tracing:
    """Begin to trace this process, if the settings say so: once, before it makes its engines.

    :param part: `weighhouse-api` or `weighhouse-worker`.
    """
    if settings.traces_endpoint is None:
        return Untraced()
    module = import_module("weighhouse_backend.kit.opentelemetry")
    return cast("Tracing", module.begin(settings.traces_endpoint.get_secret_value(), part))
