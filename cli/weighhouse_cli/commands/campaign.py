"""`weighhouse campaign`: look at campaigns."""

from pathlib import Path
from typing import Annotated

import typer
from weighhouse_protocol.text import escaped, numbered

from weighhouse_cli.ci.outlets import Outlets
from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.campaign_figures import figures
from weighhouse_cli.commands.campaign_list import list_campaigns
from weighhouse_cli.commands.options import (
    AnchorThreshold,
    AsJson,
    Audiences,
    Comment,
    JUnit,
    Markdown,
    Result,
    Sarif,
    Threshold,
    Token,
    Url,
)
from weighhouse_cli.commands.run import finish, job_of, outlets_of
from weighhouse_cli.console import (
    ERROR,
    OUT,
    follow,
    print_json,
    show_caveats,
    show_headline,
    show_history,
    show_verdict,
)
from weighhouse_cli.costs import show_costs
from weighhouse_cli.faults import faults_of, show_faults
from weighhouse_cli.headlines import headlines_of
from weighhouse_cli.searches import show_searches

app = typer.Typer(help="Look at campaigns.", no_args_is_help=True)
Identifier = Annotated[str, typer.Argument(help="The campaign's id.")]


app.command("list")(list_campaigns)
app.command("figures")(figures)


@app.command()
def watch(
    campaign: Identifier,
    gate: Annotated[bool, typer.Option(help="Exit by the verdict.")] = False,
    threshold: Threshold = None,
    anchor_threshold: AnchorThreshold = None,
    junit: JUnit = None,
    markdown: Markdown = None,
    sarif: Sarif = None,
    result: Result = None,
    comment: Comment = False,
    audience: Audiences = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Follow a campaign to its end; of one that has ended, show the verdict."""
    outlets = outlets_of(
        Outlets(junit, markdown, sarif, result, comment=comment, audience=audience), gate=gate
    )
    client = Client(find_access(url, token))
    finish(
        client, follow(client, campaign, quiet=as_json), gate=gate, threshold=threshold,
        anchor_threshold=anchor_threshold, as_json=as_json, outlets=outlets,
        job=job_of(None, Path.cwd(), as_json=as_json),
    )  # fmt: skip


@app.command()
def verdict(
    campaign: Identifier, as_json: AsJson = False, url: Url = None, token: Token = None
) -> None:
    """Show the verdict of a campaign, and those that held before."""
    client = Client(find_access(url, token))
    gate = client.get(f"/campaigns/{campaign}/gate")
    told = headlines_of(client, [campaign])
    if as_json:
        print_json(gate | {"headline": told[campaign]})
        return
    show_headline(told[campaign])
    show_verdict(gate)
    show_caveats(gate["caveats"])
    show_history(gate)


@app.command()
def searches(
    campaign: Identifier, as_json: AsJson = False, url: Url = None, token: Token = None
) -> None:
    """Show the load curves or operating points of a campaign whose loads were chosen."""
    client = Client(find_access(url, token))
    found = client.get(f"/campaigns/{campaign}/searches")
    if as_json:
        print_json(found)
        return
    whole = client.get(f"/campaigns/{campaign}")
    show_searches(found, whole, client.get(f"/campaigns/{campaign}/caveats"))


@app.command()
def faults(
    campaign: Identifier, as_json: AsJson = False, url: Url = None, token: Token = None
) -> None:
    """Show what each fault cost: before, during and after, and how the system came back."""
    client = Client(find_access(url, token))
    whole = client.get(f"/campaigns/{campaign}")
    found = faults_of(client, whole)
    if as_json:
        print_json({"completeness": whole["completeness"], "runs": found})
        return
    show_faults(found, whole, client.get(f"/campaigns/{campaign}/caveats"))


@app.command()
def cost(
    campaign: Identifier,
    price: Annotated[
        str | None,
        typer.Option(
            help="Of all machines, by name; default: each machine's own, else the default."
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(min=0.001, help="Operations a second, for the cost of a year."),
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show what a million operations cost in each cell of a campaign, and what that leaves out."""
    client = Client(find_access(url, token))
    found = client.get("/comparisons/costs", campaign=campaign, price=price, rate=rate)
    if as_json:
        print_json(found)
        return
    show_costs(found)


@app.command()
def points(
    campaign: Identifier,
    lower: Annotated[
        bool, typer.Option(help="The lower end of each interval: inside almost surely.")
    ] = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Print the experiment that measures each target at the operating point a calibration found.

    Write it to a file and run it: `weighhouse campaign points ID > points.yaml`. What has no
    operating point is named with the reason, and stays out.
    """
    client = Client(find_access(url, token))
    take = "low" if lower else "value"
    found = client.get(f"/campaigns/{campaign}/operating-points", take=take)
    for one in found["missing"]:
        ERROR.print(f"{one['target']}, {one['workload']}: {one['reason']}", soft_wrap=True)
    if found["yaml"] is None:
        typer.echo("No operating point was found, so there is nothing to measure.", err=True)
        raise typer.Exit(1)
    typer.echo(escaped(found["yaml"]), nl=False)


@app.command()
def repeat(
    campaign: Identifier,
    count: Annotated[int, typer.Option(min=1, max=100, help="Blocks that each cell gets.")] = 5,
    only_undecided: Annotated[
        bool, typer.Option("--only-undecided", help="Leave out cells that are decided.")
    ] = False,
    wait: Annotated[bool, typer.Option(help="Wait for the end, with progress.")] = False,
    gate: Annotated[bool, typer.Option(help="Exit by the verdict; waits.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Add repeats to a campaign that has ended; it is settled again when they are measured."""
    client = Client(find_access(url, token))
    wanted = {"count": count, "only_undecided": only_undecided}
    opened = client.post(f"/campaigns/{campaign}/repeats", wanted, repeatable=True)
    if wait or gate:
        finish(client, follow(client, campaign, quiet=as_json), gate=gate, as_json=as_json)
    elif as_json:
        print_json(opened)
    else:
        OUT.print(
            f"campaign {numbered(opened['number'])} goes on: "
            f"{opened['runs']['queued']} runs are queued"
        )


@app.command()
def cancel(campaign: Identifier, url: Url = None, token: Token = None) -> None:
    """Ask a campaign to stop; runs under way are taken down."""
    Client(find_access(url, token)).post(f"/campaigns/{campaign}/cancel")
    OUT.print("cancelling")


@app.command()
def accept(
    campaign: Identifier,
    note: Annotated[str, typer.Option(help="Why its verdict was expected.")],
    url: Url = None,
    token: Token = None,
) -> None:
    """Say that a regression was expected: from now on the campaign may be a base."""
    Client(find_access(url, token)).put(f"/campaigns/{campaign}/acceptance", {"note": note})
    OUT.print("accepted")


@app.command()
def release(
    campaign: Identifier,
    name: Annotated[str, typer.Argument(help="The release's name, for example 7.2.1.")],
    url: Url = None,
    token: Token = None,
) -> None:
    """Let a campaign stand for a release: a base by that name, and an anchor of later verdicts."""
    Client(find_access(url, token)).put(f"/campaigns/{campaign}/release", {"name": name})
    OUT.print(f"stands for the release {name}", markup=False)


@app.command()
def keep(
    campaign: Identifier,
    because: Annotated[
        str | None, typer.Option(help="Why it is kept whole, whatever the project's rules say.")
    ] = None,
    no_longer: Annotated[bool, typer.Option("--no-longer", help="The rules hold again.")] = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Keep a campaign whole, whatever the project's rules of retention say; or no longer."""
    if no_longer == bool(because):
        raise typer.BadParameter("say --because WHY, or --no-longer")
    client = Client(find_access(url, token))
    if because:
        client.put(f"/campaigns/{campaign}/keeping", {"because": because})
    else:
        client.delete(f"/campaigns/{campaign}/keeping")
    OUT.print("the project's rules hold for it again" if no_longer else "kept")


@app.command()
def delete(
    campaign: Identifier,
    because: Annotated[str, typer.Option(help="Why; it stays on record.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Delete a campaign with all it measured; what rests on it is named, and then it stays."""
    client = Client(find_access(url, token))
    found = client.get(f"/campaigns/{campaign}")
    name = f"{found['experiment']['name']} {numbered(found['number'])}"
    if not yes:
        typer.confirm(f"Delete {name} with all it measured? This cannot be undone.", abort=True)
    client.post(f"/campaigns/{campaign}/deletion", {"because": because})
    OUT.print(f"{name} is being deleted", markup=False)
