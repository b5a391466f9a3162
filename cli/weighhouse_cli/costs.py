"""What the operations of a campaign's cells cost, in words."""

from typing import Any

from rich.table import Table
from weighhouse_protocol.digits import number
from weighhouse_protocol.percent import percent

from weighhouse_cli.console import OUT, show_caveats, show_so_far


def show_costs(found: dict[str, Any]) -> None:
    """Each cell with its cost; the prices it hangs on, what is left out, and the caveats follow."""
    show_so_far(found)
    labels = {side["key"]: side["label"] for side in found["sides"]}
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for column in ("side", "workload", "load"):
        table.add_column(column)
    for column in ("throughput", "p99", "a million operations"):
        table.add_column(column, justify="right")
    if found["rate"]:
        table.add_column(f"a year at {number(found['rate'])} op/s", justify="right")
    for cell in found["cells"]:
        row = [labels[cell["side"]], cell["workload"], cell["load_level"]["label"]]
        row += [_figure(cell["throughput"], "op/s"), _figure(cell["p99_us"], "µs"), _million(cell)]
        table.add_row(*row, *([_year(cell)] if found["rate"] else []))
    OUT.print(table)
    _under("prices", [_price(one) for one in found["prices"]])
    _under("licences", [_licence(one) for one in found["licences"]])
    _under("to be known", [_remark(one, labels) for one in found["remarks"]])
    _under("not counted", [_remark(one, labels) for one in found["not_counted"]])
    if not found["prices"]:
        OUT.print(
            "Give a price with --price, or save the organization's own: Settings → Prices, or PUT "
            "/api/v1/prices.",
            soft_wrap=True,
        )
    show_caveats(found["caveats"])


def money(amount: float) -> str:
    """An amount with the digits that matter: `0.0421`, `1,234.50`."""
    return f"{amount:,.2f}" if amount >= 100 else f"{amount:.3g}"  # noqa: PLR2004


def _figure(estimate: dict[str, Any] | None, unit: str) -> str:
    return f"{number(estimate['median'])} {unit}" if estimate else "–"


def _million(cell: dict[str, Any]) -> str:
    cost = cell["per_million"]
    if cost is None:
        return str(cell["because"])
    ends = f"{money(cost['low'])} to {money(cost['high'])}"
    return f"{money(cost['median'])} {cell['currency']} ({ends}{_range(cost)})"


def _range(estimate: dict[str, Any]) -> str:
    """What two ends are, where they are no 95 % interval."""
    if estimate["kind"] == "interval":
        return ""
    repeats = estimate["repeats"]
    return ", 1 repeat" if repeats == 1 else f", range of {repeats} repeats"


def _year(cell: dict[str, Any]) -> str:
    year = cell["year"]
    if year is None:
        return "–"
    copies = "1 set-up" if year["copies"] == 1 else f"{year['copies']} set-ups"
    return f"{money(year['amount'])} {cell['currency']} ({copies}, {percent(year['busy'], 0)} busy)"


def _price(one: dict[str, Any]) -> str:
    return f"{one['name']}: {one['words']}, as of {one['as_of']}; {one['source']}"


def _licence(one: dict[str, Any]) -> str:
    counted = "" if one["counted"] else "; not in the sums: another currency"
    return f"{one['system']}: {one['words']}, as of {one['as_of']}; {one['source']}{counted}"


def _remark(one: dict[str, Any], labels: dict[str, str]) -> str:
    whose = [labels[side] for side in one["sides"]]
    return one["words"] if len(whose) == len(labels) else f"{one['words']} ({', '.join(whose)})"


def _under(title: str, lines: list[str]) -> None:
    if lines:
        OUT.print(f"\n{title}", style="dim")
    for line in lines:
        OUT.print(f"  {line}", soft_wrap=True, markup=False, highlight=False)
