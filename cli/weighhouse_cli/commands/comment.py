"""`weighhouse comment`: a gate's verdict as the one comment of ours at its request."""

import os
from pathlib import Path
from typing import Annotated

import typer

from weighhouse_cli.ci.outlets import Job, campaign_of, comment, for_audience
from weighhouse_cli.ci.requests import Asked, audience_of
from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import Audiences, Token, Url
from weighhouse_cli.console import ERROR
from weighhouse_cli.exits import CommandFailed, Exit


def comment_at(
    campaign: Annotated[str | None, typer.Argument(help="The campaign's id.")] = None,
    result: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE", help="What `weighhouse run --gate --result FILE` wrote."
        ),
    ] = None,
    commit: Annotated[
        str | None,
        typer.Option(
            help="The commit that has to have been measured, else nothing is written: the head "
            "that a second job knows for sure."
        ),
    ] = None,
    pull_request: Annotated[
        int | None, typer.Option(help="Number of the request; default: the job's, else by commit.")
    ] = None,
    audience: Audiences = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write a gate's verdict at its pull or merge request, in the comment that is there already.

    For jobs of GitHub Actions (GITHUB_TOKEN) and GitLab CI (GITLAB_TOKEN). Of a file nothing is
    believed but which campaign it is of: figures come from the platform.

    Exit codes: 0 written, 3 not written, 4 invalid.
    """
    if (campaign is None) == (result is None):
        raise CommandFailed(Exit.INVALID, "name a campaign, or --from FILE: one of the two")
    identifier = campaign or campaign_of(Path(str(result)))
    client = Client(find_access(url, token))
    found = client.get(f"/campaigns/{identifier}")
    measured = (found.get("git") or {}).get("commit")
    if commit is not None and measured != commit.lower():
        raise CommandFailed(
            Exit.INVALID,
            f"that campaign measured {measured or 'no commit'}, not {commit}: nothing is written",
        )
    gate = client.get(f"/campaigns/{found['id']}/gate")
    told = for_audience(client, found, gate, audience or audience_of(os.environ))
    job = Job(os.environ, "", _say, _say)
    if not comment(told, Asked(pull_request, measured), job):
        raise typer.Exit(Exit.INFRASTRUCTURE)


def _say(line: str) -> None:
    ERROR.print(line, soft_wrap=True, markup=False)
