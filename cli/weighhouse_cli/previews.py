"""How results of others are shown before they are kept."""

from typing import Any

from rich.table import Table
from weighhouse_imports.reader import Preview
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.figures import PublishedFigure
from weighhouse_protocol.text import escaped

from weighhouse_cli.console import OUT

MOST_FIGURES = 12
"""Of a cell that are shown; `--json` has all."""
STYLES = {"refused": "red", "doubtful": "yellow", "unknown": "dim"}
LAST = 1_000
"""Place of a figure that has none in the catalogue."""


def as_document(preview: Preview) -> dict[str, Any]:
    """A preview as JSON."""
    return {
        "recognised": [vars(one) for one in preview.recognised],
        "refused": [one.model_dump(mode="json") for one in preview.refused],
        "results": preview.results.model_dump(mode="json") if preview.results else None,
    }


def show_preview(preview: Preview) -> None:
    """What was recognised, the cells with their figures, and all that has to be said of them."""
    for one in preview.recognised:
        _line(f"{one.file}: {one.format}, by {one.reason}", "dim")
    if preview.results is not None:
        sides = {side.name: side for side in preview.results.sides}
        for cell in preview.results.cells:
            side = sides[cell.side]
            _line("")
            _line(" · ".join(filter(None, _words(cell, f"{side.label} {side.version}".strip()))))
            _show_figures(cell)
    _line("")
    for note in preview.notes:
        place = f"{note.file}:{note.line}" if note.line else note.file
        _line(f"{note.level}: {place}: {note.reason}", STYLES[note.level])
    if preview.results is None:
        _line("nothing was read", "red")


def _line(text: str, style: str = "") -> None:
    OUT.print(escaped(text), style=style, markup=False, highlight=False, soft_wrap=True)


def _words(cell: PublishedCell, side: str) -> list[str]:
    load = cell.load
    words = [side, cell.workload, cell.run]
    words.append(f"{load.clients:,} clients" if load.clients else "clients not told")
    words.append(f"pipeline {load.pipeline}" if load.pipeline else "pipeline not told")
    words.append({"closed": "closed loop", "open": "open loop"}.get(load.loop, ""))
    words.append(f"{cell.seconds:,.6g} s" if cell.seconds else "")
    words.append(f"{len(cell.intervals):,} intervals" if cell.intervals else "")
    words.append(f"histograms of {', '.join(cell.histograms)}" if cell.histograms else "")
    return words


def _rank(figure: PublishedFigure) -> tuple[bool, int]:
    known = figure.known
    return (figure.operation != "all", known.read_at if known else LAST)


def _show_figures(cell: PublishedCell) -> None:
    table = Table(box=None, header_style="dim")
    for name in ("operation", "figure", "printed", "value", "statistic", "place"):
        table.add_column(name, justify="right" if name in ("printed", "value") else "left")
    shown = sorted(cell.figures, key=_rank)[:MOST_FIGURES]
    for one in shown:
        known = CATALOGUE.find(one.figure)
        table.add_row(
            escaped(one.operation), known.short if known else one.figure, escaped(one.printed),
            _value(one, known.unit if known else one.unit), one.statistic.replace("_", " "),
            escaped(one.place),
        )  # fmt: skip
    OUT.print(table, markup=False)
    if len(cell.figures) > len(shown):
        _line(f"and {len(cell.figures) - len(shown)} more (--json)", "dim")


def _value(one: PublishedFigure, unit: str) -> str:
    if one.value is not None:
        return f"{one.value:,.6g} {unit}".strip()
    if one.low is not None and one.high is not None:
        return f"{one.low:,.6g} to {one.high:,.6g} {unit}".strip()
    if one.recomputed is not None:
        return f"({one.recomputed:,.6g} {unit}, recomputed)"
    return "unknown"
