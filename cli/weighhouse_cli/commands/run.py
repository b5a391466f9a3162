"""`weighhouse run`: an experiment file in, a campaign, a verdict out."""

import os
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from weighhouse_protocol import pages
from weighhouse_protocol.text import numbered

from weighhouse_cli.ci.changes import unchanged
from weighhouse_cli.ci.outlets import Job, Outlets, tell, tell_skipped
from weighhouse_cli.client import Client, find_access
from weighhouse_cli.clones import clone_of
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
from weighhouse_cli.console import ERROR, OUT, follow, print_json, show_medians, show_verdict
from weighhouse_cli.courses import courses_of, show_courses
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.failures import show_failures
from weighhouse_cli.git_context import Asked, GitOptions, Stamp, find_stamp
from weighhouse_cli.headlines import headlines_of
from weighhouse_cli.searches import searches_of, show_searches


def run(
    file: Annotated[Path, typer.Argument(help="The experiment file (YAML).")],
    wait: Annotated[bool, typer.Option(help="Wait for the end, with progress.")] = False,
    gate: Annotated[
        bool, typer.Option(help="Compare with the base campaign and exit by the verdict.")
    ] = False,
    base: Annotated[
        str | None,
        typer.Option(
            help="What to compare with: pooled (the latest that did not regress), "
            "branch:NAME, release:NAME, campaign:ID, merge-base (what a pull request began at), "
            "beside (the latest of them, measured again in the same campaign), none; default: the "
            "experiment's gate.base."
        ),
    ] = None,
    priority: Annotated[
        int,
        typer.Option(min=-100, max=100, help="Higher comes first among the project's campaigns."),
    ] = 0,
    threshold: Threshold = None,
    anchor_threshold: AnchorThreshold = None,
    inconclusive_passes: Annotated[
        bool, typer.Option(help="Exit with 0 instead of 2 when the gate is inconclusive.")
    ] = False,
    noise: Annotated[
        bool,
        typer.Option(
            "--noise",
            help="Measure every target twice in each block, to learn what the machine cannot tell.",
        ),
    ] = False,
    clone: Annotated[
        Path | None,
        typer.Option(
            "--git",
            metavar="PATH",
            help="Stamp the commit checked out there. Default: that of the GitHub or GitLab job, "
            "else of the clone that the command is started in, if FILE lies in it.",
        ),
    ] = None,
    no_git: Annotated[bool, typer.Option("--no-git", help="Look for no commit.")] = False,
    commit: Annotated[
        str | None, typer.Option(help="The commit measured, in place of the one found.")
    ] = None,
    repository: Annotated[str | None, typer.Option(help="Address of its repository.")] = None,
    branch: Annotated[str | None, typer.Option(help="Its branch.")] = None,
    pull_request: Annotated[
        int | None, typer.Option(help="Number of its pull or merge request.")
    ] = None,
    pull_request_url: Annotated[str | None, typer.Option(help="That request's page.")] = None,
    only_if_changed: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Measure nothing, and exit with 0, where the commit changed nothing below this "
            "path of the repository (or the experiment's file); may be given several times.",
        ),
    ] = None,
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
    """Run an experiment: stores the file as a revision and starts a campaign.

    `weighhouse run show RUN` and `weighhouse run logs RUN` tell what became of a run.

    Exit codes with --gate: 0 passed or equivalent, 1 regression, 2 inconclusive,
    3 infrastructure, 4 invalid or not comparable.
    """
    text = _read(file)
    if clone is not None and no_git:
        raise CommandFailed(Exit.INVALID, "--git PATH and --no-git: one of the two")
    outlets = outlets_of(
        Outlets(junit, markdown, sarif, result, comment=comment, audience=audience), gate=gate
    )
    options = GitOptions(commit, repository, branch, pull_request, pull_request_url)
    stamp = find_stamp(options, os.environ, Asked(Path.cwd(), file, clone, look=not no_git))
    (ERROR if as_json else OUT).print(stamp.said, style="dim", soft_wrap=True, markup=False)
    job = job_of(file, clone or Path.cwd(), as_json=as_json)
    if only_if_changed and (why := _unchanged(file, clone, only_if_changed, stamp)) is not None:
        OUT.print(why, soft_wrap=True, markup=False)
        tell_skipped(why, outlets, job)
        return
    client = Client(find_access(url, token))
    experiment = client.post("/experiments", {"yaml": text}, repeatable=True, upsert="true")
    _tell_cost(client, text, OUT if not as_json else ERROR)
    order = _order(experiment["id"], stamp, base=base, priority=priority, noise=noise)
    campaign = client.post("/campaigns", order, repeatable=True)
    page = pages.at(client.url, pages.campaign(campaign["id"]))
    if not as_json:
        OUT.print(
            f"campaign {numbered(campaign['number'])} of {experiment['name']}: "
            f"{campaign['runs']['total']} runs"
        )
        OUT.print(page, style="dim", soft_wrap=True)
    if not (wait or gate):
        if as_json:
            print_json(campaign)
        return
    campaign = follow(client, campaign["id"], quiet=as_json)
    finish(
        client, campaign, gate=gate, threshold=threshold, anchor_threshold=anchor_threshold,
        inconclusive_passes=inconclusive_passes, as_json=as_json, outlets=outlets, job=job,
    )  # fmt: skip


def outlets_of(outlets: Outlets, *, gate: bool) -> Outlets:
    """What was asked for, as far as it can be had.

    :raises CommandFailed: before anything is measured: naming the file that cannot be written.
    """
    if outlets != Outlets() and not gate:
        raise CommandFailed(Exit.INVALID, "files and comments are of a gate: add --gate")
    outlets.check()
    return outlets


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"{file} cannot be read: {error.strerror}") from error


def _unchanged(file: Path, clone: Path | None, paths: list[Path], stamp: Stamp) -> str | None:
    here = clone_of(clone or Path.cwd())
    if here is None:
        raise CommandFailed(Exit.INVALID, "--only-if-changed is asked in no clone")
    return unchanged(here, file, paths, stamp.context, os.environ)


def _order(
    experiment_id: str, stamp: Stamp, *, base: str | None, priority: int, noise: bool
) -> dict[str, Any]:
    order: dict[str, Any] = {"experiment_id": experiment_id}
    if base is not None:
        order["base"] = _base(base)
    if priority:
        order["priority"] = priority
    if noise:
        order["noise"] = True
    if stamp.context is not None:
        order["git"] = stamp.context.model_dump(mode="json", exclude_none=True)
    return order


def job_of(file: Path | None, directory: Path, *, as_json: bool) -> Job:
    """Where the command runs, for what it tells there.

    :param file: the experiment's; None: it is not known.
    :param directory: in the clone whose paths are told.
    """
    clone = clone_of(directory)
    path = "" if file is None else file.name
    if file is not None and clone is not None and file.resolve().is_relative_to(clone.top):
        path = str(file.resolve().relative_to(clone.top))

    def say(line: str) -> None:
        (ERROR if as_json else OUT).print(line, soft_wrap=True, markup=False)

    return Job(os.environ, path, say, lambda line: typer.echo(line, err=as_json))


def _tell_cost(client: Client, text: str, told: Console) -> None:
    """What is made for the campaign, and costs at most, before it is started."""
    if "provision:" not in text:
        return
    asked = client.post("/provisioner/estimate", {"yaml": text}, repeatable=True)
    if asked is not None:
        most = asked["at_most"]
        cost = f"{most['amount']:g} {most['currency']} at most" if most else "nobody says the cost"
        told.print(
            f"{asked['machines']} × {asked['machine']} are made for it, gone after "
            f"{asked['minutes']} minutes at the latest: {cost}"
        )


def finish(
    client: Client,
    campaign: dict[str, Any],
    *,
    gate: bool,
    threshold: float | None = None,
    anchor_threshold: float | None = None,
    inconclusive_passes: bool = False,
    as_json: bool = False,
    outlets: Outlets | None = None,
    job: Job | None = None,
) -> None:
    """Show how a campaign ended, and exit by its verdict when it is a gate.

    :param outlets: where a gate is told besides; of those that have a job.
    :param threshold: percent, in place of the experiment's; `anchor_threshold` likewise.
    :raises typer.Exit: with the gate's exit code, or 3 when the campaign did not complete,
        4 when the system refused what was asked.
    """
    verdict = client.get(
        f"/campaigns/{campaign['id']}/gate",
        threshold_percent=threshold,
        anchor_threshold_percent=anchor_threshold,
    )
    searches, courses = searches_of(client, campaign), courses_of(client, campaign)
    if as_json:
        chosen = {} if searches is None else {"searches": searches}
        told = {"scenarios": courses} if courses else {}
        headline = headlines_of(client, [campaign["id"]])[campaign["id"]]
        print_json({"campaign": campaign, "headline": headline, "gate": verdict} | chosen | told)
    else:
        failed = campaign["runs"]["failed"]
        OUT.print(f"{campaign['status']}" + (f", {failed} runs failed" if failed else ""))
        if failed:
            show_failures(client, campaign["id"])
        if courses:
            show_courses(courses, campaign)
        if searches is None:
            show_medians(client.get("/comparisons", campaign=campaign["id"]))
        else:
            show_searches(searches, campaign, client.get(f"/campaigns/{campaign['id']}/caveats"))
        show_verdict(verdict)
    if gate:
        if outlets is not None and job is not None:
            tell(client, campaign, verdict, outlets, job)
        code = Exit(int(verdict["exit_code"]))
        if code is Exit.INCONCLUSIVE and inconclusive_passes:
            code = Exit.PASSED
        raise typer.Exit(code)
    if verdict["verdict"] == "refused":
        raise typer.Exit(Exit.INVALID)
    if campaign["status"] != "completed":
        raise typer.Exit(Exit.INFRASTRUCTURE)


def _base(text: str) -> str:
    """A base as the API spells it; a bare identifier is a campaign, as it was before."""
    try:
        return f"campaign:{UUID(text)}"
    except ValueError:
        return text
