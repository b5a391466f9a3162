"""Figures as pages print them, read back: each stands for all that is rounded to it."""

import re

FIGURE = re.compile(r"(\d[\d ]*(?:\.\d+)?) (k op/s|M op/s|op/s|µs|ms|s)$")
UNITS = {"op/s": 1.0, "k op/s": 1e3, "M op/s": 1e6, "µs": 1.0, "ms": 1e3, "s": 1e6}
STEP = 1e-9
"""What binary fractions leave of a decimal one."""
Ends = tuple[float, float]


def plain(text: str) -> str:
    """A text in one line, with spaces that are spaces."""
    return " ".join(text.split())


def half_a_step(number: str) -> float:
    """Half of the last digit of a printed number: 0.5 of `10`, 0.05 of `3.7`."""
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


def ends(text: str) -> Ends:
    """Between which values a figure was that is printed so: operations a second, or µs."""
    found = FIGURE.search(text)
    assert found, f"no figure: {text}"
    number, unit = found[1].replace(" ", ""), UNITS[found[2]]
    half = half_a_step(number)
    return (float(number) - half) * unit, (float(number) + half) * unit


def ends_of_ratio(text: str) -> Ends:
    """Between which values a ratio was that is printed so: `×1.25`, `÷1.25`."""
    number, half = float(text[1:]), half_a_step(text[1:])
    low, high = number - half, number + half
    return (low, high) if text[0] == "×" else (1 / high, 1 / low)


def ends_of_change(text: str) -> Ends:
    """Between which shares a change was that is printed so in percent: `−10.4`, `0`."""
    number = text.strip().replace("\N{MINUS SIGN}", "-")
    half = half_a_step(number) if number != "0" else 0.05
    return (float(number) - half) / 100, (float(number) + half) / 100


def overlap(one: Ends, other: Ends) -> bool:
    """May two that are printed be the same?"""
    return one[0] <= other[1] + STEP and other[0] - STEP <= one[1]
