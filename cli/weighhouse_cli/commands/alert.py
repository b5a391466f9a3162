"""`weighhouse alert`: read and triage alerts."""

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.text import Text
from weighhouse_protocol.digits import number
from weighhouse_protocol.text import numbered

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.lists import tell_of_rest

app = typer.Typer(help="Read and triage alerts.", no_args_is_help=True)
NONE = "none"
OPEN = ("untriaged", "acknowledged")


class State(StrEnum):
    """What is said of an alert."""

    UNTRIAGED = "untriaged"
    ACKNOWLEDGED = "acknowledged"
    NOISE = "noise"
    INFRASTRUCTURE = "infrastructure"
    EXPECTED = "expected"
    DOWNSTREAM = "downstream"
    WONT_FIX = "wont_fix"
    FIXED = "fixed"


@app.command("list")
def list_alerts(
    state: Annotated[
        list[State] | None, typer.Option(help="Those in a state; may be repeated.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Those in every state; default: the open ones.")
    ] = False,
    experiment: Annotated[str | None, typer.Option(help="Those of an experiment's id.")] = None,
    system: Annotated[str | None, typer.Option(help="Those of a system.")] = None,
    assignee: Annotated[
        str | None, typer.Option(help="Those of a person's id, or of `nobody`.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="So many at most.")] = 50,
    cursor: Annotated[
        str | None, typer.Option(help="Go on where an earlier answer ended; `oldest`: the last.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Alerts, the latest raised first; by default those that are open."""
    chosen = [str(one) for one in state] if state else None if everything else list(OPEN)
    page = Client(find_access(url, token)).get(
        "/alerts", limit=limit, cursor=cursor, state=chosen, experiment_id=experiment,
        system_id=system, assignee=assignee,
    )  # fmt: skip
    if as_json:
        print_json(page)
        return
    if not page["items"]:
        OUT.print("no alert fits" if everything or state else "nothing to look at")
        return
    for one in page["items"]:
        said = [one["state"], _where(one), (one["assignee"] or {}).get("name"), one["due_on"]]
        OUT.print(_title(one), soft_wrap=True)
        OUT.print(Text(f"  {one['id']}  {' · '.join(part for part in said if part)}", style="dim"),
                  soft_wrap=True)  # fmt: skip
    tell_of_rest(page, "alerts", "more at once: --limit 200")


@app.command()
def show(
    alert: Annotated[str, typer.Argument(help="The alert's id.")],
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """One alert: what changed, between which commits, and what became of it."""
    found = Client(find_access(url, token)).get(f"/alerts/{alert}")
    if as_json:
        print_json(found)
        return
    OUT.print(_title(found))
    for name, value in _facts(found):
        line = Text(f"  {name:<16}", style="dim").append(value, style="default")
        OUT.print(line, soft_wrap=True)
    for line in found["history"]:
        who = line["actor"] or "the platform"
        what = [line["kind"], *changes_in_words(line["changes"]), line["reason"]]
        told = f"{who}: {', '.join(one for one in what if one)}"
        at = line["at"][:16].replace("T", " ")
        OUT.print(Text(f"  {at}  ", style="dim").append(told, style="default"), soft_wrap=True)


@app.command()
def triage(
    alerts: Annotated[list[str], typer.Argument(help="Ids of alerts; the same is said of all.")],
    state: Annotated[State | None, typer.Option(help="What it is.")] = None,
    downstream_of: Annotated[
        str | None, typer.Option(help="The alert that explains it; its state is downstream then.")
    ] = None,
    assign: Annotated[
        str | None,
        typer.Option(help="Email, name or id of who looks after it; `none` for nobody."),
    ] = None,
    due: Annotated[str | None, typer.Option(help="Until when: 2026-12-31, or `none`.")] = None,
    note: Annotated[str | None, typer.Option(help="What is known of it; '' for nothing.")] = None,
    link: Annotated[
        str | None, typer.Option(help="Address of a commit or ticket, or `none`.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Say what alerts are: of all of them, or, when one is refused, of none."""
    client = Client(find_access(url, token))
    change = _state(state, downstream_of)
    if assign is not None:
        change["assignee_id"] = None if assign == NONE else _person(client, assign)
    given = {"due_on": due, "note": note, "link": link}
    change |= {
        name: None if value == NONE and name != "note" else value
        for name, value in given.items()
        if value is not None
    }
    if not change:
        raise CommandFailed(
            Exit.INVALID, "what is it? give --state, --assign, --due, --note or --link"
        )
    body = {"alerts": [{"id": one} for one in alerts], "change": change}
    done = client.post("/alerts/triage", body)
    if as_json:
        print_json(done)
        return
    for one in done["items"]:
        OUT.print(Text(f"{one['state']}: ").append_text(_title(one)))


def _state(state: State | None, downstream_of: str | None) -> dict[str, Any]:
    """What is said of the state."""
    if downstream_of is not None:
        if state not in {None, State.DOWNSTREAM}:
            raise CommandFailed(
                Exit.INVALID, f"--downstream-of goes with state downstream, not {state}"
            )
        return {"state": "downstream", "downstream_of_id": downstream_of}
    return {} if state is None else {"state": str(state)}


def _person(client: Client, wanted: str) -> str:
    """The id of a member by email, name or id."""
    members = client.get("/members")["items"]
    found = [one for one in members if wanted in {one["id"], one["email"], one["name"]}]
    if len(found) != 1:
        known = ", ".join(sorted(one["email"] for one in members))
        how_many = "several members are" if found else "no member is"
        raise CommandFailed(Exit.INVALID, f"{how_many} {wanted!r}; members: {known}")
    return str(found[0]["id"])


def _title(alert: dict[str, Any]) -> Text:
    change = alert["change"]
    style = "yellow" if change is None else "green" if change["better"] else "red"
    return Text(alert["title"], style=style)


def _where(alert: dict[str, Any]) -> str:
    change = alert["change"]
    if change is None:
        return str(alert["missed"]["reason"])
    lead = change["lead"]
    others = len(change["downstream"])
    more = f" and {others} others" if others > 1 else " and 1 other" if others else ""
    place = f"{lead['workload']}, {lead['load_level']['label']}{more}"
    return f"{alert['experiment']['name']} {numbered(change['campaign_number'])}: {place}"


def _facts(alert: dict[str, Any]) -> list[tuple[str, str]]:
    facts = [("state", alert["state"]), ("where", _where(alert))]
    for name, end in (alert["range"] or {}).items():
        if isinstance(end, dict):
            parts = [
                numbered(end["campaign_number"]),
                number(end["value"], 4),
                end["version"] or "",
            ]
            parts.append(end["git"]["commit"] if end["git"] else "no commit named")
            words = {"before": "last before", "first": "first after"}[name]
            facts.append((words, "  ".join(part for part in parts if part)))
    if alert["range"] and alert["range"]["commits_url"]:
        facts.append(("commits", alert["range"]["commits_url"]))
    if alert["assignee"]:
        facts.append(("looked after by", alert["assignee"]["name"]))
    facts += [(name, alert[key]) for name, key in _SAID if alert[key]]
    return facts


_SAID = (("due", "due_on"), ("note", "note"), ("link", "link"))


def changes_in_words(changes: dict[str, list[Any]]) -> list[str]:
    """Of a line of history: `state untriaged → noise`."""
    return [
        f"{name} {before or 'nothing'} → {after or 'nothing'}"
        for name, (before, after) in changes.items()
        if name != "downstream_of_id"
    ]
