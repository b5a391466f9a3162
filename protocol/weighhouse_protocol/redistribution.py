"""How the redistribution of data stands on a run's timeline."""

import re
from typing import NamedTuple

BEGAN, ENDED = "redistribution_began", "redistribution_ended"
_AMOUNT = re.compile(r"^redistribution ended: (\d+) bytes in (\d+) transfers?(?:, (\d+) failed)?\Z")


class Amount(NamedTuple):
    """What was redistributed."""

    bytes: int
    transfers: int
    failed: int


def began_label() -> str:
    """The label of the mark `BEGAN`."""
    return "redistribution began"


def amount_label(size: int, transfers: int, failed: int = 0) -> str:
    """The label of the mark `ENDED`.

    :param size: bytes that went from node to node.
    :param transfers: how many there were.
    :param failed: how many of them failed.
    """
    plural = "transfer" if transfers == 1 else "transfers"
    text = f"redistribution ended: {size} bytes in {transfers} {plural}"
    return f"{text}, {failed} failed" if failed else text


def amount_of(label: str) -> Amount | None:
    """What such a label says; None: it says nothing of it."""
    found = _AMOUNT.match(label)
    return Amount(*(int(each or 0) for each in found.groups())) if found else None
