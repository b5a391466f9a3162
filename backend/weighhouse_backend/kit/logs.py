"""Structured logs, one JSON object a line, without secrets."""

import logging
import re
from collections.abc import MutableMapping
from typing import Any

import structlog

SECRET = re.compile(r"(wh[a-z]_)[A-Za-z0-9_-]{8,}|(://[^:/@\s]*:)[^@\s]+@")
SECRET_NAMES = frozenset({"password", "token", "secret", "authorization", "cookie"})


def masked(text: str) -> str:
    """A text with tokens and passwords in addresses blotted out."""
    return SECRET.sub(lambda m: f"{m[1]}…" if m[1] else f"{m[2]}…@", text)


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
        cache_logger_on_first_use=True,
    )
