"""Small drawings for documentation: plain SVG that reads on light and on dark ground.

Colours follow the reader's preference by a media query inside the file, which holds in a page of
the application, on a code host and alone. Every drawing has a title and a description for those who
do not see it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 640, 240
STYLE = """
  .ground { fill: #fcfbf8 } text { font: 13px system-ui, sans-serif; fill: #2b2a27 }
  .soft { fill: #6a675f } .small { font-size: 11.5px } .strong { font-weight: 600 }
  .axis { stroke: #a19d92 } .ink { stroke: #2b2a27 } .good { stroke: #1f6f8b }
  .bad { stroke: #b3261e } .caution { stroke: #9a6700 }
  .axis, .ink, .good, .bad, .caution { fill: none; stroke-width: 1.8; stroke-linejoin: round }
  .axis { stroke-width: 1 } .dashed { stroke-dasharray: 5 4 }
  .fill-ink { fill: #4b4943 } .fill-good { fill: #1f6f8b } .fill-bad { fill: #b3261e }
  .fill-caution { fill: #9a6700 } .fill-rule { fill: #dcd8cd } .faint { opacity: .22 }
  .t-good { fill: #1f6f8b } .t-bad { fill: #b3261e } .t-caution { fill: #855900 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #191816 } text { fill: #ece9e1 } .soft { fill: #aaa69b }
    .axis { stroke: #6d6a62 } .ink { stroke: #ece9e1 } .good { stroke: #6cb8d4 }
    .bad { stroke: #ff8a80 } .caution { stroke: #e3b341 }
    .fill-ink { fill: #c9c5ba } .fill-good { fill: #6cb8d4 } .fill-bad { fill: #ff8a80 }
    .fill-caution { fill: #e3b341 } .fill-rule { fill: #3a3833 }
    .t-good { fill: #6cb8d4 } .t-bad { fill: #ff8a80 } .t-caution { fill: #e3b341 }
  }"""

Point = tuple[float, float]


@dataclass
class Drawing:
    """A picture that grows by what is drawn onto it; `describes` is what it shows, in words."""

    title: str
    describes: str
    height: int = HEIGHT
    parts: list[str] = field(default_factory=list)

    def line(self, points: Sequence[Point], kind: str = "ink") -> None:
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline class="{kind}" points="{path}"/>')

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """A filled rectangle."""
        self.parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" '
            f'height="{max(0.0, height):.1f}" rx="2"/>'
        )

    def frame(self, x: float, y: float, width: float, height: float, kind: str = "axis") -> None:
        """The outline of a rectangle."""
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
        self.line(corners, kind)

    def dot(self, x: float, y: float, kind: str, radius: float = 4.0) -> None:
        """A filled circle."""
        self.parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>')

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """One line of text; `anchor` as SVG names it."""
        self.parts.append(
            f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
            f"{escape(words)}</text>"
        )

    def svg(self) -> str:
        """The whole file."""
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            f'width="{WIDTH}" height="{self.height}" role="img" aria-labelledby="t d">\n'
            f'<title id="t">{escape(self.title)}</title>\n'
            f'<desc id="d">{escape(self.describes)}</desc>\n'
            f"<style>{STYLE}\n</style>\n"
            f'<rect class="ground" width="{WIDTH}" height="{self.height}"/>\n{body}\n</svg>\n'
        )


@dataclass(frozen=True)
class Plot:
    """A place of a drawing with scales of its own."""

    drawing: Drawing
    left: float
    top: float
    width: float
    height: float
    across: tuple[float, float]
    up: tuple[float, float]
    logarithmic: bool = False

    def at(self, x: float, y: float) -> Point:
        """Where a point of the data lies."""
        scale: Callable[[float], float] = math.log10 if self.logarithmic else float
        low, high = scale(self.up[0]), scale(self.up[1])
        right = (x - self.across[0]) / (self.across[1] - self.across[0])
        above = (scale(y) - low) / (high - low)
        return self.left + right * self.width, self.top + (1.0 - above) * self.height

    def axes(self, across: str, up: str) -> None:
        """Both axes with what they count."""
        bottom, right = self.top + self.height, self.left + self.width
        self.drawing.line([(self.left, self.top), (self.left, bottom), (right, bottom)], "axis")
        self.drawing.text(right, bottom + 18, across, "soft small", "end")
        self.drawing.text(self.left, self.top - 8, up, "soft small")

    def line(self, xs: Sequence[float], ys: Sequence[float], kind: str = "ink") -> None:
        """A line through data."""
        self.drawing.line([self.at(x, y) for x, y in zip(xs, ys, strict=True)], kind)

    def bar(self, x: float, y: float, width: float, kind: str) -> None:
        """A bar from the bottom, centred at `x`, `width` in pixels."""
        middle, top = self.at(x, y)
        bottom = self.top + self.height
        self.drawing.box(middle - width / 2, top, width, bottom - top, kind)

    def shade(self, begin: float, end: float, kind: str = "fill-rule") -> None:
        """A stretch of the horizontal axis."""
        left, right = self.at(begin, self.up[0])[0], self.at(end, self.up[0])[0]
        self.drawing.box(left, self.top, right - left, self.height, kind)

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Text at a point of the data."""
        place = self.at(x, y)
        self.drawing.text(place[0], place[1], words, kind, anchor)
