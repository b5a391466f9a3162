"""What came out of a campaign whose loads were chosen while it was measured, in words."""

from typing import Any

from rich.table import Table
from rich.text import Text
from weighhouse_protocol.digits import number
from weighhouse_protocol.scenarios import SEARCHES

from weighhouse_cli.client import Client
from weighhouse_cli.console import OUT, show_caveats, show_so_far


def searches_of(client: Client, campaign: dict[str, Any]) -> dict[str, Any] | None:
    """A campaign's searches; None where its loads were those of the file."""
    if campaign["scenario"] not in SEARCHES:
        return None
    found: dict[str, Any] = client.get(f"/campaigns/{campaign['id']}/searches")
    return found


def show_searches(
    found: dict[str, Any], campaign: dict[str, Any], caveats: list[dict[str, Any]]
) -> None:
    """Each search: its answer, its points by rising load; what has to stand beside them follows."""
    show_so_far(found)
    targets = {target["name"]: target for target in campaign["targets"]}
    for search in found["searches"]:
        target = targets[search["target"]]
        title = Text.assemble(
            (f"{target['mark']} {target['label']}", f"bold {target['colour']}"),
            f"  {search['workload']}, from {search['load_level']['label']}",
        )
        OUT.print(title)
        OUT.print(f"  {search['sentence']}", soft_wrap=True, markup=False, highlight=False)
        OUT.print(_points(search))
    show_caveats(caveats)


def _points(search: dict[str, Any]) -> Table:
    latency = search["latency"].removesuffix("_us")
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("load")
    for column in ("throughput", latency, "runs", ""):
        table.add_column(column, justify="right" if column else "left")
    answer, word = {"value": search["knee"]}, "knee"
    if search["operating_point"]:
        answer, word = search["operating_point"], "operating point"
    elif search["axis"] == "depth":
        answer, word = {"value": search["best"]}, "most"
    for point in search["points"]:
        throughput, late = point["throughput"], point["latency_us"]
        marked = point["value"] == answer["value"]
        table.add_row(
            point["load_level"]["label"],
            f"{number(throughput['median'])} op/s" if throughput else "–",
            f"{number(late['median'])} µs" if late else "–",
            str(len(point["runs"])),
            word if marked else "; ".join(sorted(set(point["failures"]))),
            style="bold" if marked else "",
        )
    return table
