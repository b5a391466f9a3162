"""Which pull or merge request a job is for, and who may read what is written there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from weighhouse_cli.ci.forges import Forge, ForgeProblem, GitHub, GitLab, requests_with_head
from weighhouse_cli.git_context import github_event

Audience = Literal["internal", "others", "public"]
GITHUB_API = "https://api.github.com"
NO_REQUEST = (
    "this job is for no pull or merge request: name one with --pull-request, or leave the comment "
    "to jobs of requests"
)


@dataclass(frozen=True)
class Asked:
    """What somebody said on the command line; it wins over what the job tells."""

    number: int | None = None
    head: str | None = None
    """The commit that was measured: of a job that knows no request, its request is looked up."""


def forge_of(environment: Mapping[str, str], asked: Asked) -> Forge:
    """The request to comment at.

    :raises ForgeProblem: where there is none, or no token for it.
    """
    if environment.get("GITHUB_ACTIONS") == "true":
        return _github(environment, asked)
    if environment.get("GITLAB_CI"):
        return _gitlab(environment, asked)
    raise ForgeProblem(
        "neither a job of GitHub Actions nor of GitLab CI: a comment is written from those alone"
    )


def audience_of(environment: Mapping[str, str]) -> Audience:
    """Who reads what a job writes: the organization's own people where the job says that its
    repository is not public, and everybody where nobody says so; outside of jobs, its own people.
    """
    if environment.get("GITHUB_ACTIONS") == "true":
        repository = github_event(environment).get("repository")
        private = isinstance(repository, dict) and repository.get("private") is True
        return "internal" if private else "public"
    if environment.get("GITLAB_CI"):
        closed = environment.get("CI_PROJECT_VISIBILITY") in {"private", "internal"}
        return "internal" if closed else "public"
    return "internal"


def _github(environment: Mapping[str, str], asked: Asked) -> Forge:
    token, repository = environment.get("GITHUB_TOKEN"), environment.get("GITHUB_REPOSITORY")
    if not token or not repository:
        raise ForgeProblem("give the step its token: `env: {GITHUB_TOKEN: ${{ github.token }}}`")
    url = environment.get("GITHUB_API_URL") or GITHUB_API
    number = asked.number or _number(github_event(environment).get("pull_request"))
    if number is None and asked.head:
        number = requests_with_head(url, repository, asked.head, token)
    if number is None:
        raise ForgeProblem(NO_REQUEST)
    return GitHub(url, repository, number, token)


def _gitlab(environment: Mapping[str, str], asked: Asked) -> Forge:
    told = environment.get("CI_MERGE_REQUEST_IID", "")
    number = asked.number or (int(told) if told.isdecimal() else None)
    if number is None:
        raise ForgeProblem(NO_REQUEST)
    token, url = environment.get("GITLAB_TOKEN"), environment.get("CI_API_V4_URL")
    project = environment.get("CI_MERGE_REQUEST_PROJECT_ID") or environment.get("CI_PROJECT_ID")
    if not token or not url or not project:
        raise ForgeProblem(
            "GITLAB_TOKEN is not set: a project access token with the scope `api` and the role "
            "Reporter, as a masked variable of the project"
        )
    return GitLab(url, project, number, token)


def _number(request: object) -> int | None:
    number = request.get("number") if isinstance(request, dict) else None
    return number if isinstance(number, int) else None
