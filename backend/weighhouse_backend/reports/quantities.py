"""Figures in words, as people read them: sizes and flows in the unit that suits them. Pure."""

from weighhouse_judging.findings.words import bytes_in_words
from weighhouse_judging.studies import terms
from weighhouse_protocol.figures import CATALOGUE

PER = {"size": "", "flow": "/s"}
"""What stands behind a size, by the scale of its figure."""


def figure_words(value: float, figure: str) -> str:
    """A figure with its unit: `17,158/s`, `436,000 µs`, `11.77 MiB`.

    :param value: in the figure's own unit.
    """
    per = PER.get(CATALOGUE[figure].scale)
    if per is None:
        return terms.figure_words(value, figure)
    sign = "-" if value < 0 else ""
    return f"{sign}{bytes_in_words(abs(value))}{per}"


def interval_words(middle: float, low: float, high: float, figure: str) -> str:
    """`17,158/s (16,900 to 17,400)`, `11.77 MiB (11.2 MiB to 12 MiB)`.

    :param middle: in the figure's own unit, as the ends.
    """
    if CATALOGUE[figure].scale not in PER:
        return terms.interval_words(middle, low, high, figure)
    said, least, most = (figure_words(one, figure) for one in (middle, low, high))
    return f"{said} ({least} to {most})"
