"""A job of a CI service signs in without a secret: for its OpenID Connect token it gets ours."""

import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx

from weighhouse_cli.answers import AWAY, TOO_MANY, explain, retry_after
from weighhouse_cli.exits import CommandFailed, Exit

TRIES = 5
TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A job that a project trusts."""

    url: str
    """Of the platform."""
    trust: str
    audience: str
    environment: Mapping[str, str]

    def exchange(self) -> dict[str, Any]:
        """Get a token of the platform, and when it ends.

        :raises CommandFailed: when the CI service gives none, or the platform refuses its word.
        """
        problem, wait = "", 1.0
        for attempt in range(TRIES):
            if attempt:
                time.sleep(wait)
            body = {"trust_id": self.trust, "token": self.word()}
            try:
                answer = httpx.post(
                    f"{self.url}/api/v1/pipeline-tokens", json=body, timeout=TIMEOUT_SECONDS
                )
            except httpx.TransportError as error:
                problem, wait = f"{self.url} does not answer ({error})", 1.0
            else:
                if answer.is_success:
                    found: dict[str, Any] = answer.json()
                    return found
                problem, wait = explain(answer), retry_after(answer)
                if answer.status_code not in {*AWAY, TOO_MANY}:
                    raise CommandFailed(Exit.INVALID, f"the pipeline is not let in: {problem}")
        raise CommandFailed(Exit.INFRASTRUCTURE, problem)

    def word(self) -> str:
        """What the CI service signs of the job: GitHub's is asked for, GitLab's stands in
        `WEIGHHOUSE_ID_TOKEN`.
        """
        given = self.environment.get("WEIGHHOUSE_ID_TOKEN")
        if given:
            return given
        address = self.environment.get("ACTIONS_ID_TOKEN_REQUEST_URL")
        secret = self.environment.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN")
        if not address or not secret:
            raise CommandFailed(
                Exit.INVALID,
                "WEIGHHOUSE_TRUST is set, and the CI service gives no token: GitHub Actions wants "
                "`permissions: {id-token: write}`, GitLab CI "
                "`id_tokens: {WEIGHHOUSE_ID_TOKEN: {aud: …}}`",
            )
        try:
            answer = httpx.get(
                httpx.URL(address).copy_merge_params({"audience": self.audience}),
                headers={"Authorization": f"Bearer {secret}"}, timeout=TIMEOUT_SECONDS,
            )  # fmt: skip
            answer.raise_for_status()
            return str(answer.json()["value"])
        except (httpx.HTTPError, ValueError, KeyError) as error:
            raise CommandFailed(
                Exit.INFRASTRUCTURE, f"the CI service gives no token of the job: {error}"
            ) from error


class PipelineAuth(httpx.Auth):
    """Signs requests with a token that is got when it is needed, and anew when it has ended."""

    def __init__(self, pipeline: Pipeline) -> None:
        """:param pipeline: from `pipeline_of`."""
        self._pipeline = pipeline
        self._token: str | None = None

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Sends a request, a second time where its token did not hold any more."""
        new = self._token is None
        self._sign(request)
        answer = yield request
        if answer.status_code == HTTPStatus.UNAUTHORIZED and not new:
            self._token = None
            self._sign(request)
            yield request

    def _sign(self, request: httpx.Request) -> None:
        if self._token is None:
            self._token = str(self._pipeline.exchange()["token"])
        request.headers["Authorization"] = f"Bearer {self._token}"


def pipeline_of(
    url: str, environment: Mapping[str, str], trust: str | None = None
) -> Pipeline | None:
    """The job that runs here; None: nobody names a trust.

    :param url: of the platform.
    :param trust: wins over `WEIGHHOUSE_TRUST`.
    """
    named = trust or environment.get("WEIGHHOUSE_TRUST")
    if not named:
        return None
    audience = environment.get("WEIGHHOUSE_AUDIENCE") or url
    return Pipeline(url, named, audience, dict(environment))
