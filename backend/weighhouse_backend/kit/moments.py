"""Instants in questions, as RFC 3339 writes them."""

import re
from typing import Annotated

from pydantic import AwareDatetime, BeforeValidator

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def _as_documented(value: object) -> object:
    """Instants as RFC 3339 writes them, and nothing else that could be taken for one."""
    if isinstance(value, str) and not _MOMENT.fullmatch(value):
        raise ValueError("not an instant with its zone, as 2026-11-24T01:00:00Z")
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_as_documented)]
