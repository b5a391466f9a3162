"""The same source under other names and numbers, in another order: what is wrong stays wrong."""

import random
from collections.abc import Callable
from typing import Any

from weighhouse_judging.claims.text import read_figure
from weighhouse_protocol.published.figures import PublishedFigure

Json = dict[str, Any]


def side(name: str) -> str:
    """Another name of a side."""
    return f"s-{name[::-1]}"


def workload(name: str) -> str:
    """Another name of a workload, with the words that say what it does."""
    return f"{name} of theirs" if name else name


def document(given: Json, faster: float, shuffle: random.Random) -> Json:
    """Published results of a machine that is so many times as fast."""
    cells = [_cell(cell, faster, shuffle) for cell in given["cells"]]
    sides = [{**one, "name": side(one["name"]), "label": side(one["name"]).upper()}
             for one in given["sides"]]  # fmt: skip
    shuffle.shuffle(cells)
    shuffle.shuffle(sides)
    return {**given, "source": {"title": "Another text"}, "sides": sides, "cells": cells}


def claims(given: Json) -> Json:
    """Claims of the renamed text."""
    return _renamed(given, "")


def _cell(cell: Json, faster: float, shuffle: random.Random) -> Json:
    figures = [_figure(one, faster) for one in cell.get("figures", [])]
    shuffle.shuffle(figures)
    scales = [_scale(one["figure"], faster) for one in cell.get("columns", [])]
    intervals = [
        {
            **line,
            "throughput": line["throughput"] * faster,
            "values": [None if value is None else value * scale
                       for value, scale in zip(line["values"], scales, strict=False)],
        }
        for line in cell.get("intervals", [])
    ]  # fmt: skip
    return {
        **cell, "side": side(cell["side"]), "workload": workload(cell.get("workload", "")),
        "figures": figures, "intervals": intervals,
    }  # fmt: skip


def _scale(figure: str, faster: float) -> float:
    return 1 / faster if figure.endswith("_us") else faster if figure == "throughput" else 1.0


def _figure(given: Json, faster: float) -> Json:
    read = read_figure(PublishedFigure.model_validate(given))
    if read is None:
        return given
    scale = _scale(given["figure"], faster)
    again = {"value": read.value * scale, "low": read.low * scale, "high": read.high * scale}
    if given.get("recomputed") is not None:
        again["recomputed"] = given["recomputed"] * scale
    return {**given, **again, "printed": ""}


def _renamed(part: Any, key: str) -> Any:
    names: dict[str, Callable[[str], str]] = {"side": side, "workload": workload}
    if isinstance(part, dict):
        return {name: _renamed(value, name) for name, value in part.items()}
    if isinstance(part, list):
        return [_renamed(one, key) for one in part]
    return names[key](part) if key in names and isinstance(part, str) else part
