"""`weighhouse run`: `FILE` runs an experiment; `show` and `logs` tell of a run that was."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from weighhouse_protocol import pages

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.commands.run import run
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.failures import show_errors
from weighhouse_cli.reconciliation import show_reconciliation

FILE = "FILE"
"""The subcommand that runs an experiment: it goes by no name."""


class _OrFile(TyperGroup):
    """Subcommands by their names; whatever else comes first belongs to that of the file."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = args[:1] and args[0] in self.commands
        return super().parse_args(ctx, args if named else [FILE, *args])


app = typer.Typer(
    cls=_OrFile,
    help="Run an experiment, or `run show RUN`, `run logs RUN`: what became of a run.",
)
app.command(FILE, hidden=True)(run)


Run = Annotated[str, typer.Argument(help="The run's id, as its page has it.")]


@app.command("show")
def show(run_id: Run, as_json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """How a run ended and why: failure, errors with the server's first words, findings."""
    client = Client(find_access(url, token))
    told = client.get(f"/runs/{run_id}")
    if as_json:
        print_json(told)
        return
    cell, summary = told["cell"], told["summary"]
    worked = summary and told["status"] == "completed"
    throughput = f", {summary['throughput']:,.0f} operations a second" if worked else ""
    OUT.print(
        f"{told['target_name']}, {cell['workload']}: {told['status']}{throughput}", soft_wrap=True
    )
    OUT.print(pages.at(client.url, pages.run(told["id"])), style="dim", soft_wrap=True)
    if failure := told["failure"]:
        _line(failure["message"], style="red")
        _line(failure["hint"])
    show_errors(told["errors"])
    show_reconciliation(told["reconciliation"])
    for finding in told["findings"]:
        _line(f"{finding['title']}: {finding['message']}")
    if told["log_streams"]:
        _line(f"logs: weighhouse run logs {told['id']} {'|'.join(told['log_streams'])}", "dim")


@app.command("logs")
def logs(
    run_id: Run,
    name: Annotated[
        str | None, typer.Argument(help="Which log; default: say which there are.")
    ] = None,
    member: Annotated[
        int | None, typer.Option(min=0, help="Of a run on several machines: whose.")
    ] = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Print a log of a run, or the names of those there are."""
    client = Client(find_access(url, token))
    if name is not None:
        text = client.text(f"/runs/{run_id}/logs/{name}", member=member)
        OUT.print(text, soft_wrap=True, markup=False, highlight=False, end="")
        return
    told = client.get(f"/runs/{run_id}")
    for one in told["members"]:
        if member is None or one["index"] == member:
            names = ", ".join(one["log_streams"]) or "no logs"
            _line(f"member {one['index']}, {one['agent']['name']}: {names}")


def _line(text: str, style: str | None = None) -> None:
    if text:
        OUT.print(text, style=style, soft_wrap=True, markup=False, highlight=False)
