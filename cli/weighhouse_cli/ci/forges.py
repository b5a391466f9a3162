"""One comment of ours at a pull or merge request, written again in place: GitHub and GitLab.

The comment is found by a mark in its first line, among those that whoever the token is of wrote: a
mark in a stranger's comment is a stranger's. All pages of comments are looked through. What a forge
does not take is told with what would mend it; it never changes a gate's exit code.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from weighhouse_cli.answers import retry_after

TIMEOUT_SECONDS = 20
TRIES = 4
LONGEST_WAIT_SECONDS = 30.0
MOST_PAGES = 100
PAGE = 100
LONGEST = 65_000
"""Characters of a comment that GitHub takes; GitLab takes more."""
BUSY = frozenset({429, 500, 502, 503, 504})


Read = TypeVar("Read")


class ForgeProblem(Exception):
    """A comment was not written; the message says why, and what would mend it."""


@dataclass(frozen=True)
class Comment:
    """A comment that is there."""

    id: int
    body: str
    mine: bool
    """Did whoever the token is of write it?"""


class _User(BaseModel):
    id: int = 0
    login: str = ""
    type: str = ""


class _Note(BaseModel):
    """A comment, as GitHub and GitLab tell it."""

    id: int
    body: str | None = None
    user: _User | None = None
    author: _User | None = None


class _Commit(BaseModel):
    sha: str = ""


class _Request(BaseModel):
    number: int
    state: str = ""
    head: _Commit | None = None


class Forge(Protocol):
    """Where a request stands."""

    name: str

    def comments(self) -> Iterator[Comment]:
        """All comments of the request, the oldest first."""
        ...

    def create(self, body: str) -> None:
        """Write one more."""
        ...

    def update(self, comment: Comment, body: str) -> bool:
        """Write one again; False: it is gone."""
        ...

    def delete(self, comment: Comment) -> None:
        """Take one away."""
        ...


def put(forge: Forge, mark: str, body: str) -> Literal["created", "updated", "unchanged"]:
    """Have one comment with a mark stand there, and no second one.

    :raises ForgeProblem: when the forge does not let it.
    """
    body = body if len(body) <= LONGEST else f"{body[:LONGEST]}\n\n…"
    for comment in _ours(forge, mark):
        if comment.body.strip() == body.strip():
            return "unchanged"
        if forge.update(comment, body):
            return "updated"
    forge.create(body)
    there = _ours(forge, mark)
    for one in there[1:]:  # a job beside this one wrote its own at the same moment
        forge.delete(one)
    if len(there) > 1:
        forge.update(there[0], body)
    return "created"


def _ours(forge: Forge, mark: str) -> list[Comment]:
    return [one for one in forge.comments() if one.mine and one.body.lstrip().startswith(mark)]


class _Api:
    """A forge's API: asked again where it is busy, and told of in our words."""

    def __init__(self, name: str, url: str, headers: Mapping[str, str], hint: str) -> None:
        self.name, self._hint, self._url = name, hint, url
        try:
            self._http = httpx.Client(
                base_url=url, headers=dict(headers), timeout=TIMEOUT_SECONDS, follow_redirects=False
            )
        except (httpx.InvalidURL, UnicodeEncodeError) as error:
            raise ForgeProblem(
                f"neither {url!r:.100} nor the token is as {name} gives them to a job"
            ) from error

    def ask(self, method: str, path: str, **asked: Any) -> httpx.Response:
        """An answer that is none of a busy forge's."""
        problem, wait = "", 1.0
        for attempt in range(TRIES):
            if attempt:
                time.sleep(min(wait, LONGEST_WAIT_SECONDS))
            try:
                answer = self._http.request(method, path, **asked)
            except httpx.TransportError as error:
                problem, wait = f"{self.name} does not answer ({type(error).__name__})", 1.0
                continue
            if not _busy(answer):
                return answer
            problem, wait = f"{self.name} answers {answer.status_code}", retry_after(answer)
            if wait > LONGEST_WAIT_SECONDS:
                break
        raise ForgeProblem(f"{problem}: the comment was not written; run the job again later")

    def read(self, path: str, kind: type[Read], **query: Any) -> Read:
        """What a forge tells of something.

        :raises ForgeProblem: when it refuses, or what comes is nothing of its kind.
        """
        answer = self.ask("GET", path, params=query)
        self.must(answer, "the comments cannot be read")
        try:
            return TypeAdapter(kind).validate_json(answer.content)
        except ValidationError as error:
            raise ForgeProblem(
                f"what answers at {self._url!r:.100} is not the API of {self.name}: is that its "
                "address, with nothing before it that answers in its place?"
            ) from error

    def pages(self, path: str, kind: type[Read], **query: Any) -> Iterator[Read]:
        """The items of a list, page by page."""
        for page in range(1, MOST_PAGES + 1):
            found = self.read(path, list[kind], **query, per_page=PAGE, page=page)  # type: ignore[valid-type]
            yield from found
            if len(found) < PAGE:
                return

    def must(self, answer: httpx.Response, what: str) -> None:
        """:raises ForgeProblem: when an answer is a refusal."""
        if answer.is_success:
            return
        why = {
            401: f"the token is not known there; {self._hint}",
            403: f"the token may not; {self._hint}",
            404: f"no such request, or the token may not see it; {self._hint}",
        }.get(answer.status_code, f"it said: {answer.text[:200]!r}")
        raise ForgeProblem(f"{what}: {self.name} answers {answer.status_code}: {why}")


class GitHub:
    """A pull request on GitHub, or on a GitHub Enterprise."""

    name = "GitHub"

    def __init__(self, url: str, repository: str, number: int, token: str) -> None:
        """:param url: of the API. :param repository: `owner/name`."""
        self._path = f"/repos/{repository}"
        self._number = number
        self._api = _github_api(url, token)
        self._login = self._who()

    def comments(self) -> Iterator[Comment]:
        """All comments of the request, the oldest first."""
        for one in self._api.pages(f"{self._path}/issues/{self._number}/comments", _Note):
            user = one.user or _User()
            mine = user.type == "Bot" if self._login is None else user.login == self._login
            yield Comment(one.id, one.body or "", mine)

    def create(self, body: str) -> None:
        """Write one more."""
        answer = self._api.ask(
            "POST", f"{self._path}/issues/{self._number}/comments", json={"body": body}
        )
        self._api.must(answer, "the comment was not written")

    def update(self, comment: Comment, body: str) -> bool:
        """Write one again; False: it is gone."""
        path = f"{self._path}/issues/comments/{comment.id}"
        answer = self._api.ask("PATCH", path, json={"body": body})
        if answer.status_code == httpx.codes.NOT_FOUND:
            return False
        self._api.must(answer, "the comment was not written")
        return True

    def delete(self, comment: Comment) -> None:
        """Take one away."""
        answer = self._api.ask("DELETE", f"{self._path}/issues/comments/{comment.id}")
        if answer.status_code != httpx.codes.NOT_FOUND:
            self._api.must(answer, "a second comment was not taken away")

    def _who(self) -> str | None:
        """Whose token it is; None: a job's or an app's, which may not ask."""
        if self._api.ask("GET", "/user").status_code == httpx.codes.FORBIDDEN:
            return None
        return self._api.read("/user", _User).login


def requests_with_head(url: str, repository: str, head: str, token: str) -> int | None:
    """Number of the one open pull request whose head is a commit; None: there is none, or several.

    :param url: of GitHub's API. :param repository: `owner/name`.
    """
    api = _github_api(url, token)
    found = [
        one.number
        for one in api.pages(f"/repos/{repository}/commits/{head}/pulls", _Request)
        if one.state == "open" and one.head is not None and one.head.sha == head
    ]
    return found[0] if len(found) == 1 else None


def _github_api(url: str, token: str) -> _Api:
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    return _Api(
        GitHub.name, url, headers,
        "the job needs `permissions: {pull-requests: write}`, which a fork's job never has: there "
        "a second job posts (docs/pipelines.md)",
    )  # fmt: skip


class GitLab:
    """A merge request on a GitLab."""

    name = "GitLab"

    def __init__(self, url: str, project: str, number: int, token: str) -> None:
        """:param url: of the API. :param project: its number or path."""
        self._path = f"/projects/{project.replace('/', '%2F')}/merge_requests/{number}/notes"
        self._api = _Api(
            self.name, url, {"PRIVATE-TOKEN": token},
            "GITLAB_TOKEN takes a project access token with the scope `api` and the role Reporter; "
            "a job's own CI_JOB_TOKEN may not comment",
        )  # fmt: skip
        self._id = self._api.read("/user", _User).id

    def comments(self) -> Iterator[Comment]:
        """All comments of the request, the oldest first."""
        for one in self._api.pages(self._path, _Note, sort="asc", order_by="created_at"):
            mine = one.author is not None and one.author.id == self._id
            yield Comment(one.id, one.body or "", mine)

    def create(self, body: str) -> None:
        """Write one more."""
        answer = self._api.ask("POST", self._path, json={"body": body})
        self._api.must(answer, "the comment was not written")

    def update(self, comment: Comment, body: str) -> bool:
        """Write one again; False: it is gone."""
        answer = self._api.ask("PUT", f"{self._path}/{comment.id}", json={"body": body})
        if answer.status_code == httpx.codes.NOT_FOUND:
            return False
        self._api.must(answer, "the comment was not written")
        return True

    def delete(self, comment: Comment) -> None:
        """Take one away."""
        answer = self._api.ask("DELETE", f"{self._path}/{comment.id}")
        if answer.status_code != httpx.codes.NOT_FOUND:
            self._api.must(answer, "a second comment was not taken away")


def _busy(answer: httpx.Response) -> bool:
    limited = answer.status_code == httpx.codes.FORBIDDEN and (
        "retry-after" in answer.headers or answer.headers.get("x-ratelimit-remaining") == "0"
    )
    return limited or answer.status_code in BUSY
