"""`weighhouse rejudge`: judge ended campaigns again by today's rules."""

import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text
from weighhouse_protocol.text import numbered
from weighhouse_protocol.verdicts import verdict_words

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, VERDICT_STYLES, print_json
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.lists import every

EVERY_SECONDS = 1.0


def rejudge(
    campaigns: Annotated[
        list[str] | None, typer.Argument(help="Ids of campaigns, all of one project.")
    ] = None,
    experiment: Annotated[
        str | None, typer.Option(help="All campaigns of an experiment, by id or slug.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All campaigns of the project.")
    ] = False,
    project: Annotated[
        str | None, typer.Option(help="The project's id, for those who have several.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; change nothing.")
    ] = False,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Judge ended campaigns again: verdicts and findings by today's rules.

    Each campaign keeps its figures and the bases that it was judged by. The verdict that held is
    kept, and shown as superseded; what people accepted stays accepted. A second time nothing
    changes.

    Exit codes: 0 done, 3 some campaigns could not be judged, 4 invalid.
    """
    ways = [bool(campaigns), experiment is not None, everything]
    if sum(ways) != 1:
        raise CommandFailed(
            Exit.INVALID, "which campaigns? give their ids, or --experiment NAME, or --all"
        )
    wanted = {
        "campaigns": campaigns or [],
        "experiment": experiment,
        "all_campaigns": everything,
        "project_id": project,
        "dry_run": dry_run,
    }
    client = Client(find_access(url, token))
    made = client.post("/rejudgements", wanted, repeatable=True)
    ended = _follow(client, made, quiet=as_json)
    rows = list(_campaigns(client, ended["id"]))[::-1]
    if as_json:
        print_json({**ended, "items": rows})
    else:
        _show(ended, rows)
    if ended["campaigns"]["failed"]:
        raise typer.Exit(Exit.INFRASTRUCTURE)


def _follow(client: Client, made: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    """Show how far it is until it has ended."""
    path = f"/rejudgements/{made['id']}"
    progress = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=OUT,
        disable=quiet or not OUT.is_terminal, transient=True,
    )  # fmt: skip
    now = made
    with progress:
        words = "what would change" if made["dry_run"] else "judging again"
        task = progress.add_task(words, total=made["campaigns"]["total"])
        while now["finished_at"] is None:
            time.sleep(EVERY_SECONDS)
            now = client.get(path)
            counts = now["campaigns"]
            progress.update(task, completed=counts["total"] - counts["waiting"])
    return dict(now)


def _campaigns(client: Client, rejudgement_id: str) -> Iterator[dict[str, Any]]:
    """Its campaigns, the newest first."""
    return every(client, f"/rejudgements/{rejudgement_id}/campaigns")


def _show(ended: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """What became of each campaign, and the sum of it."""
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for column in ("experiment", "number", "before", "now", "findings", "campaign"):
        table.add_column(column, no_wrap=column != "now")
    for row in rows:
        table.add_row(
            row["experiment"]["slug"], numbered(row["campaign_number"]), _before(row),
            _now(row, ended), _findings(row), row["campaign_id"],
        )  # fmt: skip
    if rows:
        OUT.print(table)
    OUT.print(in_words(ended), markup=False)


def in_words(ended: dict[str, Any]) -> str:
    """The sum of it in a sentence."""
    counts = ended["campaigns"]
    if not counts["total"]:
        return "no campaign has ended yet: there is nothing to judge"
    would = "would get" if ended["dry_run"] else "got"
    if not counts["judged"] and not counts["failed"]:
        return f"nothing {'would change' if ended['dry_run'] else 'changed'}: " + _rest(counts)
    judged = f"{counts['judged']} of {counts['total']} campaigns {would} a verdict by version "
    judged += f"{ended['rules_version']} of the rules, {counts['changed']} of them another one"
    return "; ".join(one for one in (judged, _rest(counts)) if one)


def _rest(counts: dict[str, Any]) -> str:
    parts = {
        "unchanged": "say the same by the same rules",
        "no_verdict": "have no verdict",
        "failed": "could not be judged",
    }
    return ", ".join(f"{counts[key]} {words}" for key, words in parts.items() if counts[key])


def _before(row: dict[str, Any]) -> Text:
    if row["verdict_before"] is None:
        return Text("–", style="dim")
    found = _verdict(row["verdict_before"])
    return found.append(f" (version {row['rules_before']} of the rules)", style="dim")


def _now(row: dict[str, Any], ended: dict[str, Any]) -> Text:
    if row["outcome"] == "unchanged":
        return Text("the same", style="dim")
    if row["verdict_now"] is None:
        style = "red" if row["outcome"] == "failed" else "dim"
        return Text(str(row["reason"]), style=style)
    found = _verdict(row["verdict_now"])
    return found.append(f" (version {ended['rules_version']} of the rules)", style="dim")


def _verdict(verdict: str) -> Text:
    style = VERDICT_STYLES.get(verdict, "default")
    return Text().append(verdict_words(verdict), style=style)


def _findings(row: dict[str, Any]) -> str:
    new, gone = row["findings_new"], row["findings_gone"]
    parts = [f"{new} new" if new else "", f"{gone} gone" if gone else ""]
    return ", ".join(part for part in parts if part)
