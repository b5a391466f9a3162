"""Which state of a repository a campaign was started for."""

import graphlib
import re
from collections.abc import Iterable
from typing import Annotated, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    StringConstraints,
    model_validator,
)

from weighhouse_protocol.base import Document
from weighhouse_protocol.links import WEB, host_of, page_address
from weighhouse_protocol.text import one_line, without_joiners

ADDRESS_LENGTH = 500
BRANCH_LENGTH = 255
SUBJECT_LENGTH = 200
MOST_HISTORY = 200
"""Commits that are told with one."""
MOST_PARENTS = 32
REMOTE = WEB | {"ssh", "git"}
FORGES = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""Hosts whose pages have the address that one clones from, whatever the scheme."""
_SHORT = re.compile(r"(?:[^@/\s]+@)?(?P<host>[\w.-]+):(?P<path>(?![/\\])\S+)")
"""`user@host:path`, as ssh's tools write it; never a Windows drive or an absolute path."""


def repository_address(remote: str) -> str:
    """A remote's address as it may be kept and shown: without user, password, query or fragment.

    Addresses of well-known hosts become those of their pages, whatever the scheme.

    :param remote: as git has it: `https://…`, `ssh://…`, `git@host:owner/name.git`.
    :raises ValueError: when it is no address of another machine.
    """
    remote = one_line(remote.strip())
    if re.search(r"[\s\\]", remote):
        message = "is no address of a repository: it holds a space or a backslash"
        raise ValueError(message)
    if "://" not in remote:
        short = _SHORT.fullmatch(remote)
        if short is None:
            message = "is no address of a repository, e.g. 'https://git.example/team/name'"
            raise ValueError(message)
        remote = f"ssh://{short['host']}/{short['path']}"
    parts = urlsplit(remote)
    scheme = parts.scheme.lower()
    if scheme not in REMOTE or not parts.hostname:
        message = "is no address of a repository, e.g. 'https://git.example/team/name'"
        raise ValueError(message)
    host = host_of(parts)
    if parts.hostname in FORGES:
        scheme, host = "https", parts.hostname
    path = parts.path.rstrip("/").removesuffix(".git")
    return urlunsplit((scheme, host, path, "", ""))


def bare_page(address: str) -> str:
    """A page's address without user, password and query.

    :raises ValueError: when it is not one of http or https.
    """
    parts = urlsplit(one_line(address.strip()))
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="")
    return page_address(urlunsplit(bare))


def _said(text: str) -> str:
    return one_line(without_joiners(text) or text)


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


Commit = Annotated[
    str, BeforeValidator(_lower), StringConstraints(max_length=64, pattern=r"^[0-9a-f]{7,64}$")
]
"""A commit's name: 7 to 64 hexadecimal digits."""


class KnownCommit(Document):
    """A commit of a repository's history."""

    commit: Commit
    committed_at: AwareDatetime
    parents: Annotated[list[Commit], Field(max_length=MOST_PARENTS)] | None = None
    """None at the first of all; null where they are not known: a shallow clone ends there."""


class GitContext(Document):
    """The commit that a campaign measures, and where it stands. Never holds a secret: what an
    address names as user, password or query is taken off.
    """

    commit: Commit
    repository: Annotated[
        str, Field(max_length=ADDRESS_LENGTH), AfterValidator(repository_address),
    ] | None = None  # fmt: skip
    """Address of the repository; a page's where there is one."""
    branch: Annotated[
        str, Field(min_length=1, max_length=BRANCH_LENGTH), AfterValidator(_said)
    ] | None = None  # fmt: skip
    """For a pull request the branch that is to be merged."""
    pull_request: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    """Number of the pull or merge request."""
    pull_request_url: Annotated[
        str, Field(max_length=ADDRESS_LENGTH), AfterValidator(bare_page),
    ] | None = None  # fmt: skip
    subject: Annotated[
        str, Field(min_length=1, max_length=SUBJECT_LENGTH), AfterValidator(_said)
    ] | None = None  # fmt: skip
    """First line of the commit's message."""
    dirty: bool = False
    """Files that git knows differed from the commit."""
    committed_at: AwareDatetime | None = None
    """When the commit was made; where its history is told, that says so too."""
    merge_base: Commit | None = None
    """Of a pull request: the commit that what is measured is held against, its branch's beginning;
    where the request was merged before it was built, what it was merged with."""
    default_branch: Annotated[
        str, Field(min_length=1, max_length=BRANCH_LENGTH), AfterValidator(_said)
    ] | None = Field(default=None, exclude_if=lambda name: name is None)  # fmt: skip
    """The repository's main branch, where its service or the clone says which it is."""
    history: Annotated[list[KnownCommit], Field(max_length=MOST_HISTORY)] = Field(
        default_factory=list
    )
    """The commit itself and those before it, as far as they are known: campaigns stand in the order
    of their commits, whenever they were measured."""

    @model_validator(mode="after")
    def _in_an_order(self) -> Self:
        try:
            order_of(self.history)
        except graphlib.CycleError as error:
            named = " and ".join(dict.fromkeys(one[:10] for one in error.args[1]))
            message = f"history: {named} are each other's ancestors"
            raise ValueError(message) from error
        return self


def order_of(history: Iterable[KnownCommit]) -> list[str]:
    """Commits and their parents, ancestors first.

    :raises graphlib.CycleError: when commits are ancestors of each other.
    """
    parents = {one.commit: one.parents or () for one in history}
    return list(graphlib.TopologicalSorter(parents).static_order())


def commit_page(repository: str | None, commit: str) -> str | None:
    """Where a commit can be looked at; None when the repository's address is not of a page."""
    if repository is None or urlsplit(repository).scheme not in WEB:
        return None
    host = urlsplit(repository).hostname or ""
    if host == "bitbucket.org":
        return f"{repository}/commits/{commit}"
    between = "/-/commit" if host.split(".")[0] == "gitlab" else "/commit"
    return f"{repository}{between}/{commit}"


def commits_page(repository: str | None, before: str, after: str) -> str | None:
    """Where the commits after one up to another can be looked at; None when the repository's
    address is not of a page.
    """
    if repository is None or urlsplit(repository).scheme not in WEB:
        return None
    host = urlsplit(repository).hostname or ""
    if host == "bitbucket.org":
        return f"{repository}/branches/compare/{after}..{before}"
    between = "/-/compare" if host.split(".")[0] == "gitlab" else "/compare"
    return f"{repository}{between}/{before}...{after}"
