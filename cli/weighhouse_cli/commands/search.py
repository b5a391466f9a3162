"""`weighhouse search`: everything that is written and measured, found by its words."""

from typing import Annotated, Any

import typer
from rich.text import Text

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import ERROR, OUT, print_json

HEADINGS = {
    "experiment": "Experiments", "campaign": "Campaigns", "commit": "Commits", "series": "Series",
    "system": "Systems", "parameter": "Parameters", "study": "Studies", "report": "Reports",
    "source": "Published results", "note": "Notes", "help": "Help",
}  # fmt: skip
BARS = "▁▂▃▄▅▆▇█"


def search(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WORDS...",
            help="1 to 8 words or numbers, or their beginnings; all of them are found together.",
        ),
    ],
    kind: Annotated[
        str | None, typer.Option(help=f"One kind alone: {', '.join(HEADINGS)}.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=50, help="So many of each kind at most.")] = 5,
    cursor: Annotated[
        str | None, typer.Option(help="With --kind: go on where an earlier answer ended.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Experiments, campaigns, commits, series, systems, parameters, studies, reports, published
    results, notes and help that have all words; of each kind with the address of its page.
    """
    if kind is not None and kind not in HEADINGS:
        raise typer.BadParameter(f"{kind} is no kind; those are {', '.join(HEADINGS)}")
    if cursor is not None and kind is None:
        raise typer.BadParameter("--cursor goes on in one kind; give --kind, too")
    access = find_access(url, token)
    found = Client(access).get("/search", q=" ".join(words), kind=kind, limit=limit, cursor=cursor)
    if as_json:
        print_json(found)
        return
    if not found["groups"]:
        said = " ".join(words)
        ERROR.print(f"nothing has all of: {said}; give fewer words, or their beginnings")
    for group in found["groups"]:
        _show(group, access.url)


def _show(group: dict[str, Any], site: str) -> None:
    OUT.print(Text(HEADINGS[group["kind"]], style="bold"))
    for hit in group["items"]:
        line = Text("  ").append(hit["title"])
        if hit["of"]:
            line.append(f"  {hit['of']}", style="dim")
        if hit["nights"] and len(hit["nights"]["values"]) > 1:
            nights = hit["nights"]
            line.append(f"  {bars(nights['values'])}").append(
                f" {nights['figure']} of {nights['series']}", style="dim"
            )
        if hit["at"]:
            line.append(f"  {hit['at'][:10]}", style="dim")
        OUT.print(line, soft_wrap=True)
        if hit["excerpt"]:
            said = Text("    ")
            for piece in hit["excerpt"]:
                said.append(piece["text"], style="bold" if piece["is_match"] else "dim")
            OUT.print(said, soft_wrap=True)
        OUT.print(Text(f"    {site.rstrip('/')}{hit['path']}", style="dim"), soft_wrap=True)
    if group["more_cursor"]:
        ERROR.print(
            f"  there are more: --kind {group['kind']} --cursor {group['more_cursor']}",
            style="dim", soft_wrap=True,
        )  # fmt: skip
    elif group["is_cut"]:
        ERROR.print("  there may be more; a further word narrows them", style="dim")


def bars(values: list[float]) -> str:
    """A course as a line of bars, from the least value to the greatest."""
    least, most = min(values), max(values)
    if least == most:
        return BARS[len(BARS) // 2] * len(values)
    steps = len(BARS) - 1
    return "".join(BARS[round((one - least) / (most - least) * steps)] for one in values)
