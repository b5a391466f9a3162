"""Figures as a text prints them: a number with its unit, and what rounding leaves open. Pure.

A printed figure stands for every value that would have been rounded to it: `3.5 M ops/s` for 3.45
to 3.55 million. What contradicts itself has to contradict itself over all of these values.
"""

import re
from dataclasses import dataclass

RATES = {"ops/s": 1.0, "k ops/s": 1e3, "M ops/s": 1e6}
TIMES = {"µs": 1.0, "us": 1.0, "ms": 1e3, "s": 1e6}
SIZES = {"bytes": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "MiB": 2.0**20, "GiB": 2.0**30}
_FORM = re.compile(r"(?P<number>\d[\d,]*(?:\.(?P<decimals>\d+))?) (?P<unit>\S.*)")


@dataclass(frozen=True)
class Printed:
    """A printed figure: operations a second, µs or bytes."""

    value: float
    low: float
    high: float
    """Between these it was rounded from."""


def units_of(figure: str) -> dict[str, float]:
    """The units a figure may be printed in, each in the platform's own.

    :param figure: a name of `FIGURES`.
    """
    if figure.endswith("_us"):
        return TIMES
    return SIZES if figure.endswith("_bytes") else RATES


def printed(text: str, figure: str) -> Printed:
    """Read a printed figure.

    :param text: for example `4,195,628.23 ops/s`, `0.687 ms`.
    :param figure: what it is a figure of, a name of `FIGURES`.
    :raises ValueError: saying what would be right.
    """
    units = units_of(figure)
    found = _FORM.fullmatch(text)
    if found is None or found["unit"] not in units:
        raise ValueError(
            f"{text!r} is no number and unit of {figure}; for example "
            + ", ".join(f"`12.5 {unit}`" for unit in units)
        )
    unit = units[found["unit"]]
    value = float(found["number"].replace(",", ""))
    half = 0.5 * 10.0 ** -len(found["decimals"] or "")
    return Printed(value * unit, max(0.0, value - half) * unit, (value + half) * unit)
