"""What came out of runs that filled a system, or lasted for hours, in words."""

from typing import Any

from rich.table import Table
from rich.text import Text
from weighhouse_protocol.digits import number
from weighhouse_protocol.scenarios import COURSES

from weighhouse_cli.client import Client
from weighhouse_cli.console import OUT


def courses_of(client: Client, campaign: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What the scenario of each completed run gave, by the run's id; empty where none tells."""
    if campaign["scenario"] not in COURSES:
        return {}
    return {
        run["id"]: client.get(f"/runs/{run['id']}/scenario", points=100)
        for cell in campaign["cells"]
        for run in cell["runs"]
        if run["status"] == "completed"
    }


def show_courses(courses: dict[str, dict[str, Any]], campaign: dict[str, Any]) -> None:
    """Each run: how it ended and its tenths, or its drifts. Caveats stand below the medians that
    follow.
    """
    targets = {target["name"]: target for target in campaign["targets"]}
    for cell in campaign["cells"]:
        for run in cell["runs"]:
            if run["id"] not in courses:
                continue
            found, target = courses[run["id"]], targets[cell["target"]]
            OUT.print(
                Text.assemble(
                    (f"{target['mark']} {target['label']}", f"bold {target['colour']}"),
                    f"  {cell['workload']}, {cell['load_level']['label']}, "
                    f"repeat {run['repetition']}",
                )
            )
            if found["fill"]:
                _show_fill(found["fill"]["figures"])
            if found["soak"]:
                _show_soak(found["soak"])


def _show_fill(figures: dict[str, Any]) -> None:
    _say(figures["sentence"])
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("")
    for column in ("throughput", "p50", "p99", "p99.99"):
        table.add_column(column, justify="right")
    for name, part in (("first tenth", "first_tenth"), ("last tenth", "last_tenth")):
        tenth = figures[part]
        if tenth is not None:
            late = (_us(tenth[one]) for one in ("p50_us", "p99_us", "p9999_us"))
            table.add_row(name, f"{number(tenth['throughput'])} op/s", *late)
    OUT.print(table)


def _show_soak(soak: dict[str, Any]) -> None:
    for trend in soak["trends"]:
        _say(trend["sentence"] + (" It may be a leak." if trend["leak"] else ""))
    _say(soak["stalls_sentence"])


def _say(sentence: str) -> None:
    OUT.print(f"  {sentence}", soft_wrap=True, markup=False, highlight=False)


def _us(value: float | None) -> str:
    return "–" if value is None else f"{number(value)} µs"
