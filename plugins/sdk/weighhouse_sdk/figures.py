"""What of a server's figures about itself is a figure. Pure.

A server answers with a number for what it does not count, too: -1, not a number, or a 0 that stays
because the monitor behind it is off. Those are not told. And a name that says bytes is in bytes.
"""

import contextlib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_BYTES = re.compile(
    r"(?:(?<=[._ ])|^)(k|ki|kilo|kibi|m|mi|mega|mebi|g|gi|giga|gibi)(?:b|bytes)\Z", re.IGNORECASE
)
_POWERS = {"k": 1, "m": 2, "g": 3}


@dataclass(frozen=True)
class Kept:
    """Which figures a server keeps.

    :param asked: what is at least 1 while somebody asks, as its clients are. Where it is 0 nobody
        counts, and no 0 beside it is a figure.
    :param never_zero: what a server that runs has some of, or what is a share of nothing before
        there was anything: a 0 says that it was not counted yet.
    :param signed: what may be less than 0.
    """

    asked: str | None = None
    never_zero: frozenset[str] = frozenset()
    signed: frozenset[str] = frozenset()

    def told(self, found: Mapping[str, float]) -> dict[str, float]:
        """What of a server's answer is a figure, by names that are right."""
        counted = self.asked is None or found.get(self.asked, 1.0) > 0
        figures = {}
        for name, value in found.items():
            if not math.isfinite(value) or (value < 0 and name not in self.signed):
                continue
            if value == 0 and (not counted or name in self.never_zero):
                continue
            in_its_unit, size = in_bytes(name, value)
            figures[in_its_unit] = size
        return figures


def numbers(words: Mapping[str, str], names: Iterable[str]) -> dict[str, float]:
    """Those of some named answers that are numbers; what is missing or a word is left out."""
    found = {}
    for name in names:
        with contextlib.suppress(KeyError, ValueError):
            found[name] = float(words[name])
    return found


def in_bytes(name: str, value: float) -> tuple[str, float]:
    """A size in bytes, named so, where its name says that it is in kB, MiB and the like: servers
    write so what they count in powers of 1024.
    """
    unit = _BYTES.search(name)
    if unit is None:
        return name, value
    return f"{name[: unit.start()]}bytes", value * 1024 ** _POWERS[unit.group(1)[0].lower()]
