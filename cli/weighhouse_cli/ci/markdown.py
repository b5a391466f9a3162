"""A gate as Markdown: for a job's summary, and for the comment at a pull or merge request."""

import re
from collections.abc import Iterator

from weighhouse_protocol.text import numbered, seen

from weighhouse_cli.ci.told import State, Told

SIGNS: dict[State, str] = {"passed": "✅", "failed": "❌", "undecided": "❔", "error": "⚠️"}
MOST_CELLS = 30
MOST_LINES = 20
MOST_CAVEATS = 25
REFERENCE = re.compile(r"([@#!])(?=\w)")
"""By which forges find people, issues and requests in what was rendered."""
SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~-])")


def markdown(told: Told) -> str:
    """A gate's verdict, its cells and its caveats; the mark in front, which nobody sees."""
    return "\n".join((told.mark, "", *_lines(told), ""))


def skipped(experiment: str, why: str) -> str:
    """That nothing was measured."""
    return f"### Weighhouse: {text(experiment)}\n\n{text(why)}\n"


def text(words: str) -> str:
    """Words of somebody else's as text: no markup, no mention, no link comes out of them."""
    plain = seen(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return REFERENCE.sub(r"\1&#8203;", SPECIAL.sub(r"\\\1", plain)).replace(":/", ":&#8203;/")


def _lines(told: Told) -> Iterator[str]:
    yield f"### {SIGNS[told.state]} Weighhouse: {told.verdict} · {text(told.experiment)}"
    yield ""
    for line in told.message[:MOST_LINES]:
        yield f"{text(line)}  "
    if len(told.message) > MOST_LINES:
        yield f"and {len(told.message) - MOST_LINES} lines more on its page  "
    yield ""
    if told.cells:
        yield f"| | side | cell | metric | since the base (threshold {text(told.threshold)}) | |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for cell in told.cells[:MOST_CELLS]:
            columns = (cell.target, cell.cell, cell.metric, cell.change or "–")
            words = ", ".join(filter(None, (cell.outcome, cell.why)))
            yield f"| {' | '.join([SIGNS[cell.state], *map(text, columns), text(words)])} |"
        if len(told.cells) > MOST_CELLS:
            yield ""
            yield f"and {len(told.cells) - MOST_CELLS} cells more on its page"
        yield ""
    if told.caveats:
        yield from _caveats(told)
    failed = f", {told.failed} of them failed" if told.failed else ""
    yield f"[Campaign {numbered(told.number)}]({told.page}): {told.runs} runs{failed}."


def _caveats(told: Told) -> Iterator[str]:
    bars = [title for severity, title in told.caveats if severity == "bar"]
    for title in bars:
        yield f"**{text(title)}**  "
    folded = [title for severity, title in told.caveats if severity != "bar"]
    if folded:
        yield ""
        yield f"<details><summary>{len(folded)} caveats</summary>"
        yield ""
        for title in folded[:MOST_CAVEATS]:
            yield f"- {text(title)}"
        if len(folded) > MOST_CAVEATS:
            yield f"- and {len(folded) - MOST_CAVEATS} more on its page"
        yield ""
        yield "</details>"
    yield ""
