"""What the commands print of studies."""

from typing import Any

from rich.table import Table
from rich.text import Text
from weighhouse_protocol.text import numbered

from weighhouse_cli.console import OUT, show_caveats

STYLES = {
    "holds_here": "green", "does_not_hold_here": "bold", "cannot_be_true_as_printed": "magenta",
    "cannot_tell": "yellow", "not_measured": "dim",
}  # fmt: skip


def show_studies(studies: list[dict[str, Any]]) -> None:
    """All studies, with what may be said of their claims."""
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for column in ("study", "title", "paid by", "claims"):
        table.add_column(column, no_wrap=column == "study")
    for one in studies:
        table.add_row(
            one["name"], Text(one["title"]), Text(one["sponsor"]), counts_in_words(one["verdicts"])
        )
    OUT.print(table)


def counts_in_words(verdicts: list[dict[str, Any]]) -> str:
    """`holds here: 3 · cannot be true as printed: 9`."""
    found = [f"{one['words']}: {one['claims']}" for one in verdicts if one["claims"]]
    return " · ".join(found) or "none"


def show_study(study: dict[str, Any]) -> None:
    """A study claim by claim, with what must stand beside it."""
    OUT.print(Text(study["title"], style="bold"), soft_wrap=True)
    OUT.print(Text(study["answer"]), soft_wrap=True)
    source = study["source"]
    if source is not None:
        told = f"{source['authors']}: {source['published_in']}; paid by: {source['sponsor']}"
        OUT.print(Text(told, style="dim"), soft_wrap=True)
        OUT.print(Text(source["disclaimer"], style="dim"), soft_wrap=True)
    for side in study["sides"]:
        if not side["measured"]:
            OUT.print(
                Text(f"not measured here: {side['label']}: {side['because']}", style="yellow"),
                soft_wrap=True,
            )
    show_claims(study["claims"])
    OUT.print(counts_in_words(study["verdicts"]), soft_wrap=True)
    for one in study["campaigns"]:
        if one["campaign_id"] is None:
            continue
        changed = ", by a changed file" if one["changed"] else ""
        OUT.print(f"\ncampaign {numbered(one['campaign_number'])} of {one['experiment']}{changed}")
        show_caveats(one["caveats"])


def show_claims(claims: list[dict[str, Any]]) -> None:
    """Claims with their outcomes, as a table."""
    table = Table(box=None, padding=(0, 2, 1, 0), header_style="dim")
    for column in ("claim", "outcome", "why"):
        table.add_column(column, ratio={"claim": 4, "outcome": 2, "why": 5}[column])
    for one in claims:
        verdict = Text(one["words"], style=STYLES.get(one["verdict"], "default"))
        here = f" Measured here: {one['measured']}" if one["measured"] else ""
        table.add_row(Text(one["says"]), verdict, Text(one["sentence"] + here))
    OUT.print(table)
