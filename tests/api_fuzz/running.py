"""A whole run: every operation, what ends things last, and whether the platform stood it."""

import copy
import re
import sys
import time
from collections.abc import Sequence
from typing import Any

import requests
import schemathesis
from weighhouse_testing.waits import PATIENCE_SECONDS

from api_fuzz.asking import Account, Examiner
from api_fuzz.methods import examine_methods
from api_fuzz.world import World

LAST = re.compile(
    r"complete|cancel|revoke|drain|withdraw|delete|remove|log_out|end_|decide|make_project|make_org"
)

TOKENS = re.compile(r"directories_(let_in|shut_out)")
"""What ends the token that some of the last are asked with."""
LOOKED_AFTER = 24
"""Examples after which it is seen whether everybody is still there."""
MOST_INVENTED = 10_000
"""Characters: no invented text is longer."""


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


def operations_of(world: World, only: Sequence[str] = ()) -> list[Any]:
    """Operations of the platform's own document, in the order in which they are asked.

    What ends things others stand on comes last, and has things of its own to end.

    :param only: parts of names of operations; none: all.
    """
    document = copy.deepcopy(world.document)
    for methods in document["paths"].values():
        for operation in methods.values():
            # Else credentials would be invented beside those of who asks.
            operation.pop("security", None)
    _forget_great_lengths(document)
    schema = schemathesis.openapi.from_dict(document)
    rejection = schema.config.checks.negative_data_rejection
    rejection.expected_statuses = [*rejection.expected_statuses, "412", "413", "414", "416"]
    found = [one.ok() for one in schema.get_all_operations()]
    chosen = [
        one for one in found
        if not only or any(part in one.definition.raw["operationId"] for part in only)
    ]  # fmt: skip

    def late(operation: Any) -> tuple[bool, bool]:
        name = operation.definition.raw["operationId"]
        return bool(TOKENS.search(name)), bool(LAST.search(name))

    return sorted(chosen, key=late)


def _forget_great_lengths(part: Any) -> None:
    """What is longer than anybody invents: how long bodies may be has a test of its own."""
    if isinstance(part, dict):
        if isinstance(most := part.get("maxLength"), int) and most > MOST_INVENTED:
            del part["maxLength"]
        for each in part.values():
            _forget_great_lengths(each)
    elif isinstance(part, list):
        for each in part:
            _forget_great_lengths(each)


def examine(
    world: World, examples: int, seed: int, only: Sequence[str], account: Account
) -> Examiner:
    """Ask everything.

    :param examples: requests an operation, each of which is sent as everybody.
    :param account: that is kept.
    """
    examiner = Examiner(world, examples, seed, account)
    chosen = operations_of(world, only)
    if not chosen:
        raise SystemExit(f"no operation's name has any of {', '.join(only)} in it")
    say(f"{len(chosen)} operations, {examples} examples each, as {', '.join(world.headers)}")
    examine_methods(world, examiner.account, examiner.session)
    ask_all(examiner, chosen)
    return examiner


def ask_all(examiner: Examiner, chosen: Sequence[Any]) -> None:
    """Ask operations, one after the other."""
    world, unseen = examiner.world, []
    for number, operation in enumerate(chosen, 1):
        began, before = time.monotonic(), examiner.account.requests
        examiner.examine(operation)
        count = examiner.account.requests - before
        say(
            f"{number:4}/{len(chosen)} {operation.label}: {count} requests in "
            f"{time.monotonic() - began:.0f} s, {len(examiner.account.findings)} findings so far"
        )
        unseen.append(operation.label)
        if len(unseen) * examiner.examples >= LOOKED_AFTER or number == len(chosen):
            _still_there(world, examiner, ", ".join(unseen))
            unseen = []


def _still_there(world: World, examiner: Examiner, call: str) -> None:
    """Whether the platform and everybody on it are as they were."""
    session, account = examiner.session, examiner.account
    session.cookies.clear()
    try:
        health = session.get(f"{world.url}/health", timeout=PATIENCE_SECONDS).status_code
    except requests.exceptions.RequestException as error:
        account.note(call, "stopped the platform", "-", repr(error), "")
        raise SystemExit(f"{call} stopped the platform: {error!r}") from error
    if health != 200:
        account.note(call, "made the platform unwell", "-", str(health), "")
    for identity in ("owner", "owner, signed in", "viewer"):
        answer = session.get(
            f"{world.url}/api/v1/projects",
            headers=world.headers[identity],
            timeout=PATIENCE_SECONDS,
        )
        if answer.status_code != 200:
            account.note(call, "took somebody's access", identity, answer.text, "")
