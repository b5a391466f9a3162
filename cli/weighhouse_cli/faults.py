"""What the faults of a campaign's runs cost, in words."""

from typing import Any

from rich.table import Table
from rich.text import Text
from weighhouse_protocol.digits import number

from weighhouse_cli.client import Client
from weighhouse_cli.console import OUT, show_caveats, show_so_far
from weighhouse_cli.failures import runs_of

FIGURES = ("p50_us", "p99_us", "max_us")


def faults_of(client: Client, campaign: dict[str, Any]) -> list[dict[str, Any]]:
    """Each completed run of a campaign in which something was broken: `run` and `faults`."""
    found: list[dict[str, Any]] = []
    for run in sorted(runs_of(client, campaign["id"]), key=lambda one: one["position"]):
        cost = client.get(f"/runs/{run['id']}/faults")
        if cost["faults"]:
            found.append({"run": run, **cost})
    return found


def show_faults(
    found: list[dict[str, Any]], campaign: dict[str, Any], caveats: list[dict[str, Any]]
) -> None:
    """Each fault of each run, before, during and after; what has to stand beside it follows."""
    show_so_far(campaign)
    targets = {target["name"]: target for target in campaign["targets"]}
    for one in found:
        cell, target = one["run"]["cell"], targets[one["run"]["cell"]["target"]]
        where = f"{cell['workload']}, {cell['load_level']['label']}"
        name = (f"{target['mark']} {target['label']}", f"bold {target['colour']}")
        OUT.print(Text.assemble(name, f"  {where}, repeat {one['run']['repetition']}"))
        for fault in one["faults"]:
            OUT.print(f"  {_sentence(fault)}", soft_wrap=True, markup=False, highlight=False)
            if (moved := fault.get("redistribution")) is not None:
                text = f"  {_redistribution(fault, moved)}"
                OUT.print(text, soft_wrap=True, markup=False, highlight=False)
            OUT.print(_stretches(fault))
    if not found:
        OUT.print("Nothing was broken in a run that completed.", style="dim")
    show_caveats(caveats)


def _sentence(fault: dict[str, Any]) -> str:
    begun = f"{fault['label']} at {fault['begin_seconds']:.1f} s"
    begun += "" if fault["mended"] else ", never mended"
    recovery = fault["recovery"]
    if recovery is None:
        return f"{begun}: no recovery is told: {fault['not_told']}"
    told = [
        f"noticed after {_after(recovery['detected_seconds'])}",
        f"success again after {_after(recovery['first_success_seconds'])}",
        f"{recovery['operations_failed']:,} failed",
        f"{recovery['operations_missing']:,.0f} missing",
    ]
    return f"{begun}: {', '.join(told)}. {recovery['sentence']}"


def _redistribution(fault: dict[str, Any], moved: dict[str, Any]) -> str:
    """How data was shared out anew."""
    begun = moved["begin_seconds"] - fault["begin_seconds"]
    text = f"redistribution began {begun:.1f} s after the fault"
    if moved["end_seconds"] is None:
        return f"{text} and had not ended when the system was stopped."
    text += f" and took {moved['moving_seconds']:.1f} s"
    if moved["stretches"] > 1:
        whole = moved["end_seconds"] - moved["begin_seconds"]
        text += f" in {moved['stretches']} stretches over {whole:.1f} s"
    if moved["bytes"] is not None:
        text += f": {moved['bytes']:,} bytes in {moved['transfers']:,} transfers"
    failed = f", {moved['failed']:,} of them failed" if moved["failed"] else ""
    return f"{text}{failed}."


def _after(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.1f} s"


def _latency(us: float | None) -> str:
    if us is None:
        return "–"
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{us / size:.3g} {unit}"
    return f"{number(us)} µs"


def _stretches(fault: dict[str, Any]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("", "s", "throughput", *(name.removesuffix("_us") for name in FIGURES)):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    given_up = [one["operations"].get("all", {}).get("never_sent") for one in fault["stretches"]]
    unsent = any(given_up)
    for column in ("failed", "late", *(["never sent"] if unsent else [])):
        table.add_column(column, justify="right", no_wrap=True)
    for stretch, never in zip(fault["stretches"], given_up, strict=True):
        every = stretch["operations"].get("all")
        latencies = [None if every is None else every[name] for name in FIGURES]
        table.add_row(
            stretch["stretch"],
            f"{stretch['begin_seconds']:.1f}-{stretch['end_seconds']:.1f}",
            "–" if every is None else f"{number(every['throughput'])} op/s",
            *map(_latency, latencies),
            "–" if every is None else f"{every['failed']:,}",
            f"{stretch['late']:,}",
            *([f"{never or 0:,}"] if unsent else []),
        )
    return table
