"""Methods that an address does not take, and the header that says which it does."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import requests
from weighhouse_testing.waits import PATIENCE_SECONDS

from api_fuzz.asking import Account
from api_fuzz.world import World

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE")
PLACE = re.compile(r"\{([^}]+)\}")
UUID = "01a20389-2920-714d-978c-8346173e7b29"


def examine_methods(world: World, account: Account, session: requests.Session) -> None:
    """Ask every address with every method it does not declare: with real ids as an owner, with
    invented ones as nobody.
    """
    for path, address, identity in _addresses(world):
        taken = taken_methods(world.document, address)
        for method in METHODS:
            if method in taken:
                continue
            headers = world.headers[identity]
            session.cookies.clear()
            answer = session.request(
                method, world.url + address, headers=headers, timeout=PATIENCE_SECONDS
            )
            account.requests += 1
            call = f"{method} {path}"
            repeat = f"curl -X {method} {address}"
            if answer.status_code != 405:
                what = f"undeclared method answered with {answer.status_code}"
                account.note(call, what, identity, answer.text, repeat)
                continue
            allow = {one.strip() for one in answer.headers.get("Allow", "").split(",")}
            if allow != taken:
                told = f"{sorted(allow)} instead of {sorted(taken)}"
                account.note(call, "wrong Allow", identity, told, repeat)


def taken_methods(document: dict, address: str) -> set[str]:
    """What the document says an address takes: of the path itself, if it is written out, else of
    every template that it fits.
    """
    paths = document["paths"]
    if address in paths:
        return {method.upper() for method in paths[address]}
    fits = (
        operations
        for path, operations in paths.items()
        if re.fullmatch(PLACE.sub("[^/]+", path), address)
    )
    return {method.upper() for operations in fits for method in operations}


def _addresses(world: World) -> Iterator[tuple[str, str, str]]:
    for path in world.document["paths"]:
        made = PLACE.sub(lambda place: quote(world.ids.get(place[1], [UUID])[0]), path)
        invented = PLACE.sub(UUID, path)
        yield path, made, "owner"
        yield path, invented, "nobody"
