"""Structured logs, one JSON object a line, without secrets."""

import datetime
import json
import logging
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO, cast

import structlog
from weighhouse_protocol.masks import masked

from weighhouse_backend.kit.conditions import FULL

TELL_ADDRESSES = ("httpx", "httpcore", "urllib3", "apprise")
"""Libraries that log whole addresses, below warnings; a webhook's is a secret."""
SECRET_NAMES = frozenset({"password", "token", "secret", "authorization", "cookie"})


class LineWriter:
    """Standard output, or error; a full disk or a closed pipe there costs lines, and nothing else.

    What a program does never fails for want of a place to tell of it.
    """

    def __init__(self, name: str) -> None:
        """:param name: `stdout` or `stderr`; looked up at each line."""
        self._name = name
        self.lost = 0
        """Lines that could not be written …"""
        self.full = 0
        """… and those of them for want of room."""
        self.written = 0

    def write(self, text: str) -> None:
        """Write a line at once, if that can be done."""
        try:
            stream: TextIO = getattr(sys, self._name)
            stream.write(text)
            stream.flush()
            self.written += 1
        except (OSError, ValueError, AttributeError) as error:  # full, broken; closed; none at all
            self.lost += 1
            self.full += isinstance(error, OSError) and error.errno in FULL

    def flush(self) -> None:
        """Nothing waits."""


LINES, LIBRARY_LINES = LineWriter("stdout"), LineWriter("stderr")


def _mask(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if key.lower() in SECRET_NAMES:
            event[key] = "…"
        elif isinstance(value, str):
            event[key] = masked(value)
    return event


def configure_logs(level: str) -> None:
    """Set the process's logs up; call once, at the start."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _mask,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", LINES)),
        cache_logger_on_first_use=True,
    )


class LogLines(logging.Formatter):
    """Lines of libraries that log by Python's own means, in the same form as ours: one JSON object
    a line, whatever stands in it, without secrets.
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        at = datetime.datetime.fromtimestamp(record.created, tz=datetime.UTC)
        line = {
            "event": masked(record.getMessage()),
            "level": record.levelname.lower(),
            "logger": record.name,
            "timestamp": at.isoformat().replace("+00:00", "Z"),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = masked(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


def configure_library_logs(level: str) -> None:
    """Have whatever libraries log and warn of written so; call once, where a program begins."""
    logging.raiseExceptions = False
    handler = logging.StreamHandler(cast("TextIO", LIBRARY_LINES))
    handler.setFormatter(LogLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in TELL_ADDRESSES:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    logging.captureWarnings(capture=True)
