"""Numbers as tools print them: what they are, and what they may have been rounded from. Pure."""

import math
import re
from dataclasses import dataclass
from typing import Final, Literal

from weighhouse_protocol.base import MOST_COUNT

NOTHING: Final = 9.2e15
"""Latencies from here on say *nothing was measured*: 2⁶³ − 1 of nanoseconds or microseconds, or its
thousandth."""
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SPACED = re.compile(r"[+-]?\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})+(?:[.,]\d+)?")
_COMMA = re.compile(r"[+-]?\d+,\d+")
US_OF: Final[dict[str, float]] = {
    "ns": 1e-3, "us": 1.0, "µs": 1.0, "μs": 1.0, "usec": 1.0, "microseconds": 1.0, "ms": 1e3,
    "msec": 1e3, "milliseconds": 1e3, "s": 1e6, "sec": 1e6, "seconds": 1e6, "m": 6e7, "min": 6e7,
    "h": 3.6e9,
}  # fmt: skip
"""Unit of time → µs."""
_GO = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s|µs|μs|us|ns)")
MOST_DECIMALS = 6
LONGEST_NUMBER = 64


def number(text: str, comma: Literal["decimal", "groups"] = "groups") -> float | None:
    """What a text says as a number; None for `NaN`, `-nan`, `inf`, `∞`, `?` and whatever is none.

    :param comma: what a comma is where it could be both, as in `1,234`: the mark of decimals, or
        between thousands.
    """
    text = text.strip()
    if not text or len(text) > LONGEST_NUMBER:
        return None
    if _PLAIN.fullmatch(text):
        plain = text
    elif comma == "decimal" and _COMMA.fullmatch(text):
        plain = text.replace(",", ".")
    elif _GROUPED.fullmatch(text):
        plain = text.replace(",", "")
    elif _SPACED.fullmatch(text):
        plain = re.sub(r"[ \u00a0\u2009\u202f'’]", "", text).replace(",", ".")
    elif _COMMA.fullmatch(text):
        plain = text.replace(",", ".")
    else:
        return None
    value = float(plain)
    return value if math.isfinite(value) and abs(value) <= 1e24 else None  # noqa: PLR2004


def whole(text: str) -> int | None:
    """A count; None for what is none, or cannot be one."""
    value = number(text)
    if value is None or value < 0 or value > MOST_COUNT or value != int(value):
        return None
    return int(text) if text.strip().isascii() and text.strip().isdigit() else int(value)


@dataclass(frozen=True)
class Rounded:
    """A printed number, and the least and the greatest that would be printed so."""

    value: float
    low: float | None = None
    high: float | None = None


def rounded(
    text: str, factor: float = 1.0, comma: Literal["decimal", "groups"] = "groups"
) -> Rounded | None:
    """A printed number in another unit.

    :param factor: what one of its unit is in the unit that is wanted.
    """
    value = number(text, comma)
    if value is None:
        return None
    digits = re.split(r"[eE]", text.strip())[0]
    decimals = len(digits.rpartition(".")[2]) if "." in digits else 0
    if decimals > MOST_DECIMALS or "e" in text.lower():
        return Rounded(value * factor)
    half = 0.5 * 10.0**-decimals
    low = max(0.0, value - half) if value >= 0 else value - half
    return Rounded(value * factor, low * factor, (value + half) * factor)


def cut(text: str, factor: float) -> Rounded | None:
    """A printed number whose tool cuts off what is less than one, in another unit: `7` ms is at
    least 7 and less than 8.
    """
    value = number(text)
    return None if value is None else Rounded(value * factor, value * factor, (value + 1) * factor)


def go_seconds(text: str) -> float | None:
    """A duration as Go prints it: `1m19.696s`; None where it is none."""
    parts = _GO.findall(text)
    if not parts or "".join(a + b for a, b in parts) != text.strip():
        return None
    return float(sum(float(amount) * US_OF[unit] for amount, unit in parts)) / 1e6


def with_unit(text: str) -> float | None:
    """A time with its unit right behind it, `53.31ms`, in µs; None where it is none."""
    match = re.fullmatch(r"\s*([+-]?[\d.,]+)\s*([a-zµμ]+)\s*", text)
    if match is None or match[2] not in US_OF:
        return None
    value = number(match[1])
    return None if value is None else value * US_OF[match[2]]


_PERCENT = re.compile(r"\d{1,3}(?:\.\d{1,9})?")


def percentile_name(text: str) -> str | None:
    """The figure of a percentile as tools name it: `99.9`, `99th`, `p99.00`, `P50`.

    None for what is no percentile of the catalogue's, as 0, 100 and what has more than five
    decimals.
    """
    text = text.strip().lower().removeprefix("p").removesuffix("%").removesuffix("th")
    if not _PERCENT.fullmatch(text):
        return None
    whole_part, _, rest = text.partition(".")
    rest = rest.rstrip("0")
    if len(rest) > 5 or int(whole_part) >= 100 or (int(whole_part) == 0 and not rest):  # noqa: PLR2004
        return None
    return f"p{int(whole_part):02d}{rest}_us"
