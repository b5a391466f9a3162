"""Printed figures beside what somebody made of the source's own numbers. Pure."""

from collections.abc import Iterator

from weighhouse_judging.claims.copies import explained
from weighhouse_judging.claims.remarks import Remark
from weighhouse_judging.claims.text import Stated, Text
from weighhouse_judging.studies.terms import figure_words

OF_ITSELF = 0.002
"""By how much of itself a figure may differ from its recomputation: sums of rounded rows do."""


def recomputed(text: Text) -> Iterator[Remark]:
    """A remark for each figure that has been recomputed."""
    for one in text.stated:
        if one.figure.recomputed is not None:
            yield _remark(text, one, one.figure.recomputed)


def off_by(one: Stated, value: float) -> float:
    """How far a value is from what is printed, in steps of the last printed digit; 0: it is
    rounded to it.
    """
    beyond = max(one.read.low - value, value - one.read.high, 0.0)
    slack = 1e-9 * abs(value)
    if beyond <= slack:
        return 0.0
    return beyond / one.step if one.step else float("inf")


def agrees(one: Stated, value: float, within: float = OF_ITSELF) -> bool:
    """Is what is printed that value, but for the last digit, or for so much of itself?"""
    return off_by(one, value) < 1.0 or abs(one.read.value - value) <= within * abs(value)


def _remark(text: Text, one: Stated, value: float) -> Remark:
    how = f" ({one.figure.recomputed_how})" if one.figure.recomputed_how else ""
    words = f"printed {one.said}, recomputed {figure_words(value, one.figure.figure)}{how}"
    where = one.words(text.names)
    if agrees(one, value):
        rounded = "" if off_by(one, value) == 0 else ", off in the last digit alone"
        return Remark("recomputed", "sound", where, one.place, f"{words}{rounded}.")

    def holds(other: Stated) -> bool | None:
        told = other.figure.recomputed
        return None if told is None else agrees(other, told)

    because = explained(one, text.stated, holds, text.names)
    return Remark("recomputed", "contradiction", where, one.place, f"{words}.{because}")
