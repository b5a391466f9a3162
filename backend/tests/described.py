"""The API's own description, made once a session: that takes seconds."""

import json
from functools import cache
from typing import Any

from weighhouse_backend.app.openapi import document


@cache
def described() -> dict[str, Any]:
    """The OpenAPI document; not to be changed."""
    found: dict[str, Any] = json.loads(document())
    return found
