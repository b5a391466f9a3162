"""SVGs of something public: a badge of its last figure, a picture with what must stand beside it.

Small, without scripts, fonts or anything from elsewhere, so that they show wherever an image does;
every text in them is text, whatever signs it has. Pure.
"""

import math
from collections.abc import Sequence
from html import escape

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.sharing.summaries import Row, Summary

WIDTH, MARGIN, LINE = 720, 16, 18
SIGN = 6.7
"""Width of a sign of 12 px, about; texts are fitted to it."""
GREY, INK, PALE, BLUE, BAND = "#555", "#1b1b1b", "#666", "#0b5fa5", "#9cc3e6"
COLOURS = {"passed": "#2c7a3f", "regression": "#b3261e"}
GONE = "not shared here (any more)"
LONGEST_BADGE = 60
FONT = "Verdana,DejaVu Sans,Geneva,sans-serif"


def badge(left: str, right: str, verdict: str = "") -> str:
    """Two fields beside each other, as READMEs have them.

    :param verdict: colours the right one, if it is known.
    """
    left, right = _cut(left, LONGEST_BADGE), _cut(right, LONGEST_BADGE)
    widths = [round(len(one) * SIGN) + 12 for one in (left, right)]
    total, words = sum(widths), escape(f"{left}: {right}")
    colour = COLOURS.get(verdict, BLUE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="20" role="img" '
        f'aria-label="{words}"><title>{words}</title>'
        f'<rect width="{widths[0]}" height="20" fill="{GREY}"/>'
        f'<rect x="{widths[0]}" width="{widths[1]}" height="20" fill="{colour}"/>'
        f'<g fill="#fff" font-family="{FONT}" font-size="11" text-anchor="middle">'
        f"{_fitted(left, widths[0] / 2, widths[0] - 12)}"
        f"{_fitted(right, widths[0] + widths[1] / 2, widths[1] - 12)}</g></svg>\n"
    )


def picture(title: str, summary: Summary, said: Sequence[str]) -> str:
    """A series' course or a comparison's figures, each with its interval, and all that must stand
    beside them.

    :param said: whose it is and what it shows, in lines.
    """
    parts: list[str] = []
    y = MARGIN + LINE
    for text, weight in ((title, 700), (summary.sentence, 400)):
        for line in wrapped(text):
            parts.append(_text(line, MARGIN, y, weight=weight))
            y += LINE
    parts.append(_text(summary.figure, MARGIN, y + 4, fill=PALE))
    y += LINE + 4
    if summary.course:
        parts.append(_course(summary.course, y))
        y += 130
    parts += _rows(summary.rows, y)
    y += LINE * len(summary.rows) + (8 if summary.rows else 0)
    if summary.more_rows:
        parts.append(
            _text(f"and {summary.more_rows} more figures on the page", MARGIN, y, fill=PALE)
        )
        y += LINE
    for line in _beside(summary.caveats, said):
        parts.append(_text(line, MARGIN, y, fill=PALE, size=11))
        y += LINE - 3
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + MARGIN}" '
        f'width="{WIDTH}" height="{y + MARGIN}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(summary.sentence)}</desc>"
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<g font-family="{FONT}">{"".join(parts)}</g></svg>\n'
    )


def wrapped(text: str, size: int = 12) -> list[str]:
    """A text in lines that fit the picture."""
    most = int((WIDTH - 2 * MARGIN) / (SIGN * size / 12))
    lines, line = [], ""
    for word in text.split():
        for piece in (word[at : at + most] for at in range(0, len(word), most)):
            if line and len(line) + 1 + len(piece) > most:
                lines.append(line)
                line = ""
            line = f"{line} {piece}".strip()
    return [*lines, line] if line else lines


def _beside(caveats: Sequence[CaveatRead], said: Sequence[str]) -> list[str]:
    stated = [f"{'! ' if one.severity == 'bar' else ''}{one.title}: {one.text}" for one in caveats]
    return [line for text in (*stated, *said) for line in wrapped(text, 11)]


def _course(course: Sequence[Row], top: int) -> str:
    left, right, bottom = MARGIN, WIDTH - MARGIN - 130, top + 110
    low = min(one.low for one in course)
    high = max(one.high for one in course)
    span = (high - low) or abs(high) or 1.0

    def x(at: int) -> float:
        return left + 8 + (right - left - 16) * (at / max(1, len(course) - 1))

    def y(value: float) -> float:
        return bottom - 8 - (bottom - top - 16) * ((value - low) / span)

    upper = [f"{x(at):.1f},{y(one.high):.1f}" for at, one in enumerate(course)]
    lower = [f"{x(at):.1f},{y(one.low):.1f}" for at, one in enumerate(course)]
    middle = [f"{x(at):.1f},{y(one.value):.1f}" for at, one in enumerate(course)]
    dots = "".join(
        f'<circle cx="{x(at):.1f}" cy="{y(one.value):.1f}" r="2.5" fill="{BLUE}">'
        f"<title>{escape(f'{one.label}: {one.words}')}</title></circle>"
        for at, one in enumerate(course)
    )
    last = course[-1]
    return (
        f'<polygon points="{" ".join([*upper, *reversed(lower)])}" fill="{BAND}" opacity="0.6"/>'
        f'<polyline points="{" ".join(middle)}" fill="none" stroke="{BLUE}" stroke-width="1.5"/>'
        f"{dots}{_text(last.words, right + 4, y(last.value) + 4, size=10, most=132)}"
    )


def _rows(rows: Sequence[Row], top: int) -> list[str]:
    if not rows:
        return []
    least = min(one.low for one in rows if one.low > 0) if any(r.low > 0 for r in rows) else 1.0
    most = max([least * 1.001, *(one.high for one in rows)])
    left, right = 320.0, 540.0

    def x(value: float) -> float:
        return left + (right - left) * math.log(max(value, least) / least) / math.log(most / least)

    drawn = []
    for at, one in enumerate(rows):
        y = top + at * LINE
        drawn.append(
            _text(one.label, MARGIN, y, size=11, most=290)
            + f'<line x1="{x(one.low):.1f}" x2="{max(x(one.high), x(one.low) + 1):.1f}" '
            f'y1="{y - 4}" y2="{y - 4}" stroke="{BAND}" stroke-width="6"/>'
            f'<circle cx="{x(one.value):.1f}" cy="{y - 4}" r="3" fill="{BLUE}"/>'
            + _text(one.words, right + 10, y, size=10, most=WIDTH - MARGIN - right - 10)
        )
    return drawn


def _text(
    words: str, x: float, y: float, *, fill: str = INK, size: int = 12, weight: int = 400,
    most: float = WIDTH - 2 * MARGIN,
) -> str:  # fmt: skip
    needed = len(words) * SIGN * size / 12
    fitted = f' textLength="{most:.0f}" lengthAdjust="spacingAndGlyphs"' if needed > most else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
        f"{fitted}>{escape(words)}</text>"
    )


def _fitted(words: str, middle: float, width: float) -> str:
    return (
        f'<text x="{middle:.1f}" y="14" textLength="{width:.0f}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(words)}</text>'
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
