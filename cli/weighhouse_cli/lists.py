"""Lists of the API, part by part or whole, and what is said of the rest."""

from collections.abc import Iterator
from typing import Any

from weighhouse_cli.client import Client
from weighhouse_cli.console import ERROR

LARGEST_PART = 200
"""Of a list, as the API gives it."""


def every(client: Client, path: str, **query: Any) -> Iterator[dict[str, Any]]:
    """All of a list, part after part, in the API's order."""
    cursor: str | None = None
    while True:
        page = client.get(path, limit=LARGEST_PART, cursor=cursor, **query)
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


def tell_of_rest(page: dict[str, Any], things: str, whole: str) -> None:
    """Say how many there are beside those that were shown, and how one gets at them.

    :param page: as the API gave it; with a total, if it was asked for.
    :param things: what the list is of, as of many.
    :param whole: an option that shows all of it.
    """
    cursor = page["next_cursor"]
    if cursor is None:
        return
    shown, total = len(page["items"]), page.get("total")
    of = "" if total is None else f" of {'' if total['is_exact'] else 'more than '}{total['count']}"
    ERROR.print(
        f"{shown}{of} {things}; {whole}, or go on with --cursor {cursor}",
        style="dim", soft_wrap=True, markup=False, highlight=False,
    )  # fmt: skip
