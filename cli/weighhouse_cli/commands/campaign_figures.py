"""`weighhouse campaign figures`: every figure of a campaign's cells."""

import csv
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table
from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.text import csv_cell

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json, show_caveats, show_so_far
from weighhouse_cli.exits import CommandFailed, Exit

COLUMNS = ("side", "workload", "load", "figure", "median", "low", "high", "range", "repeats",
           "unit", "values")  # fmt: skip
BESIDE = re.compile(r"([,;]\s*)([=+@＝＋－＠-])")
"""Where a remark would go on in the next field with a formula."""


def figures(
    campaign: Annotated[str, typer.Argument(help="The campaign's id.")],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--figure",
            help="One alone, by its name; repeated, several. Any percentile has one: p975_us is "
            "p97.5. Default: all that were measured.",
        ),
    ] = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV; what must stand beside figures heads it.")
    ] = False,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show every figure of a campaign's cells: the median of the repeats with its interval."""
    names = [CATALOGUE.current_name(one) for one in only or ()]
    unknown = next((one for one in names if CATALOGUE.find(one) is None), None)
    if unknown is not None:
        raise CommandFailed(
            Exit.INVALID,
            f"There is no figure {unknown!r}. Those there are: "
            f"{', '.join(one.name for one in CATALOGUE)}, and any percentile: p975_us is p97.5.",
        )
    names = [CATALOGUE[one].name for one in names]
    also = [one for one in names if one not in CATALOGUE]
    client = Client(find_access(url, token))
    found = client.get("/comparisons", campaign=campaign, also=also or None)
    if as_json:
        print_json(found)
        return
    rows = list(_rows(found, names))
    if as_csv:
        _print_csv(found, rows)
        return
    show_so_far(found)
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for column in ("side", "workload", "load"):
        table.add_column(column)
    table.add_column("figure", no_wrap=True)
    for column in ("median", "from … to"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("")
    for side, workload, load, name, median, low, high, kind, repeats, unit, _ in rows:
        between = "" if low == high else f"{number(low)} … {number(high)}"
        many = "" if kind == "interval" else f"range of {repeats}"
        label = CATALOGUE[name].label if CATALOGUE.find(name) else name
        table.add_row(side, workload, load, label, f"{number(median)} {unit}", between, many)
    OUT.print(table)
    show_caveats(found["caveats"])


def _rows(found: dict[str, Any], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """A row a cell and figure: those asked for, else all, in the order that people read them."""
    labels = {side["key"]: side["label"] for side in found["sides"]}
    for cell in found["cells"]:
        known = cell["figures"]
        chosen = names or sorted(known, key=_place)
        for name in chosen:
            if (told := known.get(name)) is not None:
                figure = CATALOGUE.find(name)
                yield (
                    labels[cell["side"]], cell["workload"], cell["load_level"]["label"], name,
                    told["median"], told["low"], told["high"], told["kind"], told["repeats"],
                    "" if figure is None else figure.unit, told["statistic"],
                )  # fmt: skip


def _place(name: str) -> tuple[int, str]:
    figure = CATALOGUE.find(name)
    return (sys.maxsize if figure is None else figure.read_at, name)


def _print_csv(found: dict[str, Any], rows: Sequence[tuple[Any, ...]]) -> None:
    """CSV as the pages write it: lines of remarks first."""
    said = [found["completeness"]["words"]]
    said += [f"{one['title']}: {one['text']}" for one in found["caveats"]]
    for line in filter(None, said):
        sys.stdout.write("# " + BESIDE.sub(r"\1'\2", " ".join(line.split())) + "\r\n")
    out = csv.writer(sys.stdout)
    out.writerow(COLUMNS)
    out.writerows([csv_cell(one) if isinstance(one, str) else one for one in row] for row in rows)
