"""Where a gate is told besides the terminal, and the telling of it.

Nothing here changes an exit code: what cannot be written is told, and the verdict stands.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from weighhouse_cli.ci import junit, markdown, sarif
from weighhouse_cli.ci.annotations import annotations
from weighhouse_cli.ci.forges import ForgeProblem, put
from weighhouse_cli.ci.requests import Asked, Audience, audience_of, forge_of
from weighhouse_cli.ci.told import Told, told_of
from weighhouse_cli.client import Client
from weighhouse_cli.exits import CommandFailed, Exit

RESULT_VERSION = 1
LONGEST_RESULT = 1 << 20


@dataclass(frozen=True)
class Outlets:
    """Files to write, and whether to comment."""

    junit: Path | None = None
    markdown: Path | None = None
    sarif: Path | None = None
    result: Path | None = None
    """For `weighhouse comment --from`."""
    comment: bool = False
    audience: Audience | None = None
    """Who will read them; None: whoever may read the job's repository."""

    def check(self) -> None:
        """Refuse files that cannot be written, before anything is measured.

        :raises CommandFailed: naming the option.
        """
        for name, path in self._files():
            folder = path.parent
            if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
                why = "is a folder" if path.is_dir() else "lies in no folder that can be written to"
                raise CommandFailed(Exit.INVALID, f"--{name} {path} {why}")

    def _files(self) -> Iterator[tuple[str, Path]]:
        for name in ("junit", "markdown", "sarif", "result"):
            path = getattr(self, name)
            if path is not None:
                yield name, path


@dataclass(frozen=True)
class Job:
    """Where a gate is told from."""

    environment: Mapping[str, str]
    file: str
    """The experiment's, as a path relative to the repository's top."""
    say: Callable[[str], None]
    """Takes a line for a person."""
    command: Callable[[str], None]
    """Takes a line for who reads the log: GitHub's annotations."""


def tell(
    client: Client, campaign: Mapping[str, Any], gate: Mapping[str, Any], outlets: Outlets, job: Job
) -> None:
    """Write a gate wherever it was asked for, and where the job's own pages show it."""
    told = for_audience(client, campaign, gate, outlets.audience or audience_of(job.environment))
    _write(outlets.junit, lambda: junit.junit(told), job)
    _write(outlets.markdown, lambda: markdown.markdown(told).encode(), job)
    _write(outlets.sarif, lambda: sarif.sarif(told, job.file).encode(), job)
    _write(outlets.result, lambda: _result(campaign, gate), job)
    if job.environment.get("GITHUB_ACTIONS") == "true":
        for line in annotations(told, job.file):
            job.command(line)
        _summarize(markdown.markdown(told), job)
    if outlets.comment:
        asked = Asked(head=(campaign.get("git") or {}).get("commit"))
        comment(told, asked, job)


def tell_skipped(why: str, outlets: Outlets, job: Job) -> None:
    """Write that nothing was measured; a comment that is there stays."""
    _write(outlets.junit, lambda: junit.skipped(job.file, why), job)
    _write(outlets.markdown, lambda: markdown.skipped(job.file, why).encode(), job)
    if job.environment.get("GITHUB_ACTIONS") == "true":
        _summarize(markdown.skipped(job.file, why), job)


def comment(told: Told, asked: Asked, job: Job) -> bool:
    """Write a gate at its request; False: it was not, and why was told."""
    try:
        forge = forge_of(job.environment, asked)
        done = put(forge, told.mark, markdown.markdown(told))
    except ForgeProblem as problem:
        job.say(f"no comment: {problem}")
        return False
    job.say(f"comment at {forge.name}: {done}")
    return True


def for_audience(
    client: Client, campaign: Mapping[str, Any], gate: Mapping[str, Any], audience: Audience
) -> Told:
    """A gate as an audience may read it: where a system's figures may not leave, without figures,
    and with the platform's reason in their place.
    """
    told = told_of(campaign, gate)
    if audience == "internal":
        return told
    try:
        client.get(f"/campaigns/{campaign['id']}/gate", audience=audience)
    except CommandFailed as refused:
        reason = ["Its figures may not be shown here.", *str(refused).splitlines()]
        return replace(told, message=reason, cells=(), caveats=())
    return told


def campaign_of(file: Path) -> str:
    """The campaign that a result's file is of. What else it says is believed by nobody.

    :raises CommandFailed: when it is no such file.
    """
    try:
        with file.open("rb") as opened:
            text = opened.read(LONGEST_RESULT + 1)
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"{file} cannot be read: {error.strerror}") from error
    try:
        found: Any = json.loads(text) if len(text) <= LONGEST_RESULT else None
        if found["version"] != RESULT_VERSION:
            raise CommandFailed(
                Exit.INVALID,
                f"{file} is of another version of weighhouse: {found['version']!r:.40}",
            )
        return str(UUID(found["campaign_id"]))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CommandFailed(
            Exit.INVALID, f"{file} is no result: `weighhouse run --gate --result FILE` writes one"
        ) from error


def _result(campaign: Mapping[str, Any], gate: Mapping[str, Any]) -> bytes:
    return json.dumps(
        {
            "version": RESULT_VERSION, "campaign_id": campaign["id"], "page": gate["link"],
            "commit": (campaign.get("git") or {}).get("commit"),
            "verdict": gate["verdict"], "exit_code": gate["exit_code"],
        },
        indent=2,
    ).encode()  # fmt: skip


def _write(path: Path | None, made: Callable[[], bytes], job: Job) -> None:
    if path is None:
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_bytes(made())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        job.say(f"{path} cannot be written: {error.strerror}")


def _summarize(text: str, job: Job) -> None:
    """Add to the page that GitHub shows of a job."""
    path = job.environment.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as page:
            page.write(f"{text}\n")
    except OSError as error:
        job.say(f"the job's summary cannot be written: {error.strerror}")
