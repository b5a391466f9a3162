"""Figures as a text prints them: a number with its unit, and what rounding leaves open. Pure.

A printed number stands for every value that would have been rounded to it, by the last digit that
is printed: `3.5 M ops/s` for 3.45 to 3.55 million, `10` for 9.5 to 10.5, `10.0` for 9.95 to 10.05.
One rule for whatever a text prints: its figures, and the numbers of its claims (`10 to 11 times` is
9.5 to 11.5). What contradicts itself has to contradict itself over all of these values.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

Units = Mapping[str, float]
"""Units a number may be printed in, each in the platform's own."""

RATES: Units = {"ops/s": 1.0} | dict.fromkeys(
    ("op/s", "ops/sec", "operations/s", "operations a second", "operations per second", "QPS",
     "requests/s", "requests per second", "/s"), 1.0,
)  # fmt: skip
TIMES: Units = {
    "µs": 1.0, "us": 1.0, "ms": 1e3, "s": 1e6, "ns": 1e-3, "μs": 1.0,
    "microseconds": 1.0, "milliseconds": 1e3, "seconds": 1e6,
}  # fmt: skip
SIZES: Units = {
    "bytes": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
}  # fmt: skip
RATIOS: Units = {
    "": 1.0, "×": 1.0, "x": 1.0, "times": 1.0, "-fold": 1.0, "%": 0.01, "percent": 0.01,
    "per cent": 0.01,
}  # fmt: skip
_EXAMPLES = {"ops/s": ("ops/s", "k ops/s", "M ops/s"), "µs": ("µs", "us", "ms", "s")}
_SCALES: Mapping[str, float] = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "mln": 1e6, "bn": 1e9, "k": 1e3, "K": 1e3,
    "M": 1e6, "G": 1e9,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<digits>\d{1,3}(?:[,'\u2009\u202f\u00a0]\d{3})+|\d+)(?:\.(?P<decimals>\d+))?"
    r"(?:e(?P<exponent>[+-]?\d+))?(?P<rest>.*)",
    re.DOTALL,
)
_ABOUT = re.compile(r"(?:about|around|roughly|approximately|approx\.|some|circa|ca\.|[~≈])\s*")
_BOUNDS: Mapping[str, str] = {
    "at least": "at_least", "≥": "at_least", ">=": "at_least",
    "at most": "at_most", "up to": "at_most", "≤": "at_most", "<=": "at_most",
    "more than": "above", "over": "above", "above": "above", ">": "above",
    "less than": "below", "under": "below", "below": "below", "<": "below",
}  # fmt: skip
_ANY_BOUND = "|".join(_BOUNDS)
_BOUND = re.compile(rf"({_ANY_BOUND})\s*(?=\d|[~≈]|about)")
_BETWEEN = re.compile(r"between\s+(?P<low>.+?)\s+and\s+(?P<high>.+)")
_TO = re.compile(r"(?:from\s+)?(?P<low>\d.*?)(?:\s+to\s+|\s*(?<!e)[-–]\s*)(?P<high>\d.*)")
_EITHER_SIDE = re.compile(r"(?P<middle>\d.*?)\s*±\s*(?P<half>\d.*)")

_DIGITS = re.compile(r"\d[\d,'\u2009\u202f\u00a0]*(?:\.\d+)?")


@dataclass(frozen=True)
class Printed:
    """A printed figure: operations a second, µs, bytes, or a bare number."""

    value: float
    low: float
    high: float
    """Between these it was rounded from."""


@dataclass(frozen=True)
class PrintedRange:
    """Between which values a text says that something lies."""

    low: float = -math.inf
    high: float = math.inf
    """After rounding is allowed for."""

    def both(self, other: "PrintedRange") -> "PrintedRange":
        """What lies in this range and in another."""
        return PrintedRange(max(self.low, other.low), min(self.high, other.high))


def units_of(figure: str) -> Units:
    """The units a figure may be printed in, each in the platform's own.

    :param figure: a name of the catalogue.
    """
    if figure.endswith("_us"):
        return TIMES
    return SIZES if figure.endswith("_bytes") else RATES


def printed(text: str, figure: str) -> Printed:
    """Read a printed figure.

    :param text: for example `4,195,628.23 ops/s`, `0.687 ms`, `1.2 million ops/s`.
    :param figure: what it is a figure of, a name of the catalogue.
    :raises ValueError: saying what would be right.
    """
    units = units_of(figure)
    found = _number(text, units)
    if found is None:
        first = next(iter(units))
        raise ValueError(
            f"{text!r} is no number and unit of {figure}; for example "
            + ", ".join(f"`12.5 {unit}`" for unit in _EXAMPLES.get(first, tuple(units)[:6]))
        )
    return found


def printed_number(text: str, units: Units) -> Printed:
    """Read a number of a claim.

    :param text: for example `10`, `30 %`, `1.2 million`, `10k`; `about` before it changes nothing:
        that is what rounding means.
    :param units: it may have one of them, or none: then it is in the platform's own.
    :raises ValueError: saying what would be right.
    """
    found = _number(_ABOUT.sub("", text.strip(), count=1), {"": 1.0, **units})
    if found is None:
        raise ValueError(
            f"{text!r} is no printed number; for example `10`, `1.2 million`"
            + "".join(f", `12.5 {unit}`" for unit in units if unit)
        )
    return found


def printed_range(text: str, units: Units) -> PrintedRange:
    """Read what a text says that something amounts to.

    A number and each end of a range stand for all that would have been rounded to them, and so
    does what is said to be *at least* or *at most*. *More than* and *below* set a mark that nobody
    measured: it counts exactly. `70 ± 10 µs` says itself how wide it is.

    :param text: for example `10 to 11 times`, `about 2×`, `30 %`, `at least 4.2 million`,
        `below 10 µs`.
    :param units: as for `printed_number`.
    :raises ValueError: saying what would be right.
    """
    said = text.strip()
    if found := _BOUND.match(said):
        return bound(_BOUNDS[found[1]], said[found.end() :], units)
    said = _ABOUT.sub("", said, count=1)
    if found := _EITHER_SIDE.fullmatch(said):
        middle, half = _two(found["middle"], found["half"], units)
        return PrintedRange(middle.value - half.value, middle.value + half.value)
    if found := _BETWEEN.fullmatch(said) or _TO.fullmatch(said):
        low, high = _two(found["low"], found["high"], units)
        if low.value > high.value:
            raise ValueError(f"{text!r} ends below its beginning")
        return PrintedRange(low.low, high.high)
    number = printed_number(said, units)
    return PrintedRange(number.low, number.high)


def finer(text: str, units: Units) -> str:
    """A range whose ends lie but a step of their last digit apart, a digit finer: `10 to 11 times`
    is `10.0 to 11.0 times`. So it is meant by whoever did not round its ends each by itself, or it
    would be twice as wide as it is printed. Anything else as it stands.

    :param units: as for `printed_number`.
    """
    said = _ABOUT.sub("", text.strip(), count=1)
    found = _BETWEEN.fullmatch(said) or _TO.fullmatch(said)
    if _BOUND.match(said) or found is None:
        return text
    low, high = _two(found["low"], found["high"], units)
    apart = (high.value - low.value) * (1 - 1e-9)
    ends = {
        name: _with_a_digit(found[name]) if one.high - one.low >= apart else found[name]
        for name, one in (("low", low), ("high", high))
    }
    return f"{ends['low']} to {ends['high']}"


def _with_a_digit(number: str) -> str:
    return _DIGITS.sub(lambda one: f"{one[0]}0" if "." in one[0] else f"{one[0]}.0", number, 1)


def bound(kind: str, text: str, units: Units) -> PrintedRange:
    """One end of a range.

    :param kind: `at_least` or `at_most`: of a number that may be rounded; `above` or `below`: of
        one that is exact.
    :raises ValueError: as `printed_number`.
    """
    number = printed_number(text, units)
    match kind:
        case "at_least":
            return PrintedRange(low=number.low)
        case "at_most":
            return PrintedRange(high=number.high)
        case "above":
            return PrintedRange(low=number.value)
        case _:
            return PrintedRange(high=number.value)


def _two(first: str, second: str, units: Units) -> tuple[Printed, Printed]:
    """Two numbers of which the first may leave its scale and unit to the second: `9 to 10 ms`."""
    other = printed_number(second, units)
    found = _NUMBER.fullmatch(second.strip())
    bare = _number(first, {"": 1.0})
    if bare is None or found is None or first.strip()[-1].isalpha():
        return printed_number(first, units), other
    return printed_number(f"{first.strip()}{found['rest']}", units), other


def _number(text: str, units: Units) -> Printed | None:
    """A number, its scale and its unit; None: it is none of the units."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    factor = _factor(found["rest"].strip(), units)
    if factor is None:
        return None
    decimals, exponent = found["decimals"] or "", int(found["exponent"] or 0)
    digits = re.sub(r"\D", "", found["digits"])
    value = float(f"{digits}.{decimals}e{exponent}")
    half = 0.5 * 10.0 ** (exponent - len(decimals))
    return Printed(value * factor, max(0.0, value - half) * factor, (value + half) * factor)


def _factor(rest: str, units: Units) -> float | None:
    """What a scale and a unit make of a number: `M ops/s`, `million`, `ms`."""
    if rest in units:
        return units[rest]
    for scale, factor in _SCALES.items():
        if rest.startswith(scale):
            unit = rest.removeprefix(scale).strip()
            if unit in units:
                return factor * units[unit]
    return None
