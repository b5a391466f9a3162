"""Charts of reports as SVG: lines over load levels or campaigns, or figures beside each other.

Without scripts and without a fixed ground, so that print, page and edition are the same drawing;
its inks are classes, which each of them gives its colours. Pure.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from weighhouse_protocol.digits import number

from weighhouse_backend.reports.items import Chart, Line, Panel, Point
from weighhouse_backend.reports.nodes import Child, Node, node

WIDTH, LEFT, RIGHT, TOP, PLOT = 680, 64, 16, 26, 190
ROW = 24
SIGN = 6.2
"""Width of a sign of 11 px, about."""
LOG_FROM = 30.0
"""The greatest value is so many times the least: the axis is logarithmic."""
MOST_LABELS = 8
SHAPES: dict[str, list[tuple[float, float]]] = {
    "■": [(-4, -4), (4, -4), (4, 4), (-4, 4)],
    "◆": [(0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)],
    "▲": [(0, -5), (5, 4), (-5, 4)],
    "▼": [(0, 5), (5, -4), (-5, -4)],
}
"""Corners of marks about their middle; other marks are the signs that they are."""


def drawing(chart: Chart) -> Node:
    """A chart with its key."""
    lines = list({one.label: one for panel in chart.panels for one in panel.lines}.values())
    parts: list[Child] = []
    y = 6.0
    rows = len(chart.places) == 1
    if not rows:
        key, y = _key(lines, y)
        parts += key
    for panel in chart.panels:
        drawn, y = (_rows if rows else _plot)(chart, panel, y)
        parts += drawn
    return node(
        "svg",
        node("title", chart.caption),
        *parts,
        viewBox=f"0 0 {WIDTH} {y:.0f}",
        role="img",
        aria_label=chart.caption,
    )


def _key(lines: Sequence[Line], top: float) -> tuple[list[Child], float]:
    drawn: list[Child] = []
    x, y = float(LEFT), top + 10
    for one in lines:
        wide = 26 + len(one.label) * SIGN + 14
        if x > LEFT and x + wide > WIDTH - RIGHT:
            x, y = float(LEFT), y + 18
        drawn += [_mark(one, x + 6, y - 4), _words(one.label, x + 18, y)]
        x += wide
    return drawn, y + 10


def _plot(chart: Chart, panel: Panel, top: float) -> tuple[list[Child], float]:
    bottom, right = top + TOP + PLOT, WIDTH - RIGHT
    points = [point for line in panel.lines for point in line.points]
    scale = _Scale(points, bottom, top + TOP)
    last = max(1, len(chart.places) - 1)

    def x(at: int) -> float:
        return LEFT + 14 + (right - LEFT - 28) * at / last

    drawn: list[Child] = [_words(f"{panel.title} · {chart.unit}", LEFT, top + 14, class_="head")]
    for value in scale.ticks:
        y = scale.y(value)
        drawn += [
            node("line", class_="grid", x1=LEFT, x2=right, y1=f"{y:.1f}", y2=f"{y:.1f}"),
            _words(_short(value), LEFT - 6, y + 4, anchor="end"),
        ]
    every = max(1, math.ceil(len(chart.places) / MOST_LABELS))
    for at, place in enumerate(chart.places):
        if at % every == 0:
            wide = every * (right - LEFT) / len(chart.places)
            drawn.append(_words(_cut(place, wide), x(at), bottom + 16, anchor="middle"))
    for line in panel.lines:
        drawn += _course(line, x, scale)
    return drawn, bottom + 30


def _course(line: Line, x: Callable[[int], float], scale: "_Scale") -> list[Child]:
    drawn: list[Child] = []
    spots = [(x(one.at), scale.y(one.value)) for one in line.points]
    path = " ".join(f"{left:.1f},{y:.1f}" for left, y in spots)
    drawn.append(node("polyline", class_="line", points=path, **_colour(line, "stroke")))
    for one, (left, y) in zip(line.points, spots, strict=True):
        low, high = scale.y(one.low), scale.y(one.high)
        drawn.append(
            node("line", class_="whisker", x1=f"{left:.1f}", x2=f"{left:.1f}", y1=f"{low:.1f}",
                 y2=f"{high:.1f}", **_colour(line, "stroke"))
        )  # fmt: skip
        drawn.append(_mark(line, left, y, f"{line.label}: {one.words}"))
    return drawn


def _rows(chart: Chart, panel: Panel, top: float) -> tuple[list[Child], float]:
    """One place alone: a row a line, its value in words at its end."""
    left, right = 210.0, 450.0
    points = [point for line in panel.lines for point in line.points]
    most = max((one.high for one in points), default=1.0) or 1.0
    where = f"{panel.title}, {chart.places[0]} · {chart.unit}, from 0"
    drawn: list[Child] = [_words(where, LEFT, top + 14, class_="head")]
    y = top + TOP + 12
    for line in panel.lines:
        drawn.append(_words(_cut(line.label, left - 16), left - 12, y + 4, anchor="end"))
        for one in line.points:
            low, middle, high = (
                left + (right - left) * max(0.0, value) / most
                for value in (one.low, one.value, one.high)
            )
            drawn += [
                node("line", class_="grid", x1=left, x2=right, y1=f"{y:.1f}", y2=f"{y:.1f}"),
                node("line", class_="bar", x1=left, x2=f"{middle:.1f}", y1=f"{y:.1f}",
                     y2=f"{y:.1f}", **_colour(line, "stroke")),
                node("line", class_="whisker", x1=f"{low:.1f}", x2=f"{high:.1f}", y1=f"{y:.1f}",
                     y2=f"{y:.1f}"),
                _mark(line, middle, y),
                _words(_cut(one.words, WIDTH - right - 14), right + 12, y + 4),
            ]  # fmt: skip
        y += ROW
    return drawn, y + 6


class _Scale:
    """Values on an axis that goes upwards: from 0, or logarithmic where they span much."""

    def __init__(self, points: Sequence[Point], bottom: float, top: float) -> None:
        values = [value for one in points for value in (one.low, one.value, one.high)]
        least, most = min(values, default=0.0), max(values, default=1.0)
        self._log = least > 0 and most / least > LOG_FROM
        if self._log:
            self._least, self._most = math.log10(least), math.log10(most)
            first, last = math.floor(self._least), math.ceil(self._most)
            self.ticks = [10.0**power for power in range(first, last + 1)]
            self._least, self._most = float(first), float(last)
        else:
            step = _step(max(most, 0.0) - min(least, 0.0))
            first, last = math.floor(min(least, 0.0) / step), math.ceil(max(most, step) / step)
            self.ticks = [step * at for at in range(first, last + 1)]
            self._least, self._most = self.ticks[0], self.ticks[-1]
        self._bottom, self._top = bottom, top

    def y(self, value: float) -> float:
        """Where a value stands."""
        if self._log:
            value = math.log10(value) if value > 0 else self._least
        share = (value - self._least) / ((self._most - self._least) or 1.0)
        return self._bottom - (self._bottom - self._top) * min(1.0, max(0.0, share))


def _step(span: float) -> float:
    """Of about five lines: 1, 2 or 5 times a power of ten."""
    if not span > 0 or not math.isfinite(span):
        return 1.0
    power = float(10 ** math.floor(math.log10(span / 5)))
    return next(power * by for by in (1, 2, 5, 10) if span / (power * by) <= 5)  # noqa: PLR2004


def _short(value: float) -> str:
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{sign}"
    return number(value) if value else "0"


def _mark(line: Line, x: float, y: float, words: str = "") -> Node:
    colour = _colour(line, "stroke" if line.hollow else "fill")
    title = (node("title", words),) if words else ()
    kind = "mark hollow" if line.hollow else "mark"
    if line.mark == "●":
        return node("circle", *title, class_=kind, cx=f"{x:.1f}", cy=f"{y:.1f}", r=4, **colour)
    corners = SHAPES.get(line.mark)
    if corners is None:
        return node(
            "text", line.mark, *title, class_="sign", x=f"{x:.1f}", y=f"{y + 4:.1f}",
            text_anchor="middle", **_colour(line, "fill"),
        )  # fmt: skip
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return node("polygon", *title, class_=kind, points=path, **colour)


def _colour(line: Line, what: str) -> dict[str, str]:
    """The colour, said twice: a page in the dark takes a shade of what it stands for."""
    return {what: line.colour, f"data_{what}": line.colour}


def _words(text: str, x: float, y: float, *, anchor: str | None = None, class_: str = "") -> Node:
    return node("text", text, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, class_=class_ or None)


def _cut(text: str, wide: float) -> str:
    most = max(4, int(wide / SIGN))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def alternatives(chart: Chart) -> Iterable[str]:
    """What a chart shows, in lines, for who does not see it."""
    for panel in chart.panels:
        for line in panel.lines:
            for one in line.points:
                yield f"{line.label}, {panel.title}, {chart.places[one.at]}: {one.words}"
