"""What campaigns came to, in the words of pages and letters."""

from collections.abc import Sequence
from typing import Any

from weighhouse_cli.client import Client

AT_ONCE = 50
"""As many as the API is asked for at once."""


def headlines_of(client: Client, campaigns: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What campaigns came to, by their identifiers."""
    return {
        one["campaign_id"]: one
        for begin in range(0, len(campaigns), AT_ONCE)
        for one in client.get("/headlines", campaign=list(campaigns[begin : begin + AT_ONCE]))
    }
