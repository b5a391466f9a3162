"""An embedded platform for tests: free ports, a temporary directory, short timings."""

import shutil
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions
from weighhouse_judging.verdicts.noise import FEWEST_CAMPAIGNS, FEWEST_PAIRS

from weighhouse_testing.clusters import lay_platform
from weighhouse_testing.waits import PATIENCE_SECONDS, until

SHORT_TIMINGS = {
    "WEIGHHOUSE_HEARTBEAT_SECONDS": "1",
    "WEIGHHOUSE_LEASE_SECONDS": "60",
    "WEIGHHOUSE_LOST_AFTER_SECONDS": "120",
    "WEIGHHOUSE_LONG_POLL_SECONDS": "5",
    "WEIGHHOUSE_SWEEP_SECONDS": "2",
}
"""What is done again and again is done soon; nobody is given up who is only starved."""
SOON_GIVEN_UP = {"LEASE_SECONDS": "8", "LOST_AFTER_SECONDS": "20"}
"""For tests that kill agents: a lease is over soon, also that of one that is merely starved. Such
tests take it that a run may begin once more."""
ENDED = {"completed", "failed", "cancelled"}
LOOK_SECONDS = 0.3
"""Between two looks at whether a campaign has ended: a look costs the platform more than the rest
of what it does meanwhile, and what has ended stays so."""
TRUST = ssl.create_default_context()
"""Of all questions: certificates read anew for each cost more than the question does."""


@dataclass(frozen=True, slots=True)
class RunningPlatform:
    """A platform under test, and the shortest way to talk to it."""

    inner: Platform

    @property
    def url(self) -> str:
        """Address of interface and API."""
        return self.inner.url

    @property
    def email(self) -> str:
        """The first user's address."""
        return str(self.inner.credentials["email"])

    @property
    def password(self) -> str:
        """The first user's password."""
        return str(self.inner.credentials["password"])

    @property
    def token(self) -> str:
        """An API token of the first project."""
        return str(self.inner.credentials["api_token"])

    def pid(self, part: str) -> int:
        """The process of a part: postgresql, redis, backend, worker, beat, agent."""
        process = self.inner.supervisor.part(part).process
        assert process is not None
        return process.pid

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        """Call the API with the token; the answer's JSON. Fails the test on an error.

        Patient while nobody listens: a part that was killed is on its way back.
        """

        def asked() -> tuple[httpx.Response] | None:
            try:
                answer = httpx.request(
                    method,
                    f"{self.url}/api/v1{path}",
                    headers={"Authorization": f"Bearer {self.token}"},
                    timeout=PATIENCE_SECONDS,
                    verify=TRUST,
                    **arguments,
                )
            except httpx.ConnectError:
                return None
            return (answer,)  # an answer that is an error counts as false

        (answer,) = until("the backend listens", asked)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def fetch(self, path: str) -> httpx.Response:
        """A page, as a browser asks for it that is not signed in."""
        return httpx.get(
            f"{self.url}{path}",
            headers={"Accept": "text/html"},
            timeout=PATIENCE_SECONDS,
            verify=TRUST,
        )

    def start_campaign(self, yaml_text: str) -> dict[str, Any]:
        """Store an experiment (a new revision when it exists) and start a campaign of it."""
        experiment = self.request(
            "POST", "/experiments", params={"upsert": "true"}, json={"yaml": yaml_text}
        )
        campaign: dict[str, Any] = self.request(
            "POST", "/campaigns", json={"experiment_id": experiment["id"]}
        )
        return campaign

    def weigh_noise(self, yaml_text: str) -> None:
        """Measure an experiment against itself in as few runs as tell by how much campaigns of its
        cells differ. It holds for the same cells in any experiment."""
        least, more = divmod(FEWEST_PAIRS, FEWEST_CAMPAIGNS)
        for number in range(FEWEST_CAMPAIGNS):
            noise = {"scenario": "noise", "repetitions": least + (number < more)}
            document = yaml.safe_load(yaml_text) | noise
            started = self.start_campaign(yaml.safe_dump(document, sort_keys=False))
            assert self.wait_for_campaign(started["id"])["status"] == "completed"

    def campaign(self, campaign_id: str) -> dict[str, Any]:
        """A campaign as it stands; patient while the backend is away."""
        found: dict[str, Any] = until("the backend answers", lambda: self._campaign(campaign_id))
        return found

    def _campaign(self, campaign_id: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = self.request("GET", f"/campaigns/{campaign_id}")
        except (httpx.HTTPError, AssertionError):
            return None
        return found

    def wait_for_campaign(self, campaign_id: str) -> dict[str, Any]:
        """Wait until a campaign has ended."""

        def ended() -> dict[str, Any] | None:
            found = self.campaign(campaign_id)
            return found if found["status"] in ENDED else None

        result: dict[str, Any] = until(f"campaign {campaign_id} ends", ended, LOOK_SECONDS)
        return result


@contextmanager
def running_platform(
    *, agent: bool = True, within: Path | None = None, **settings: str
) -> Iterator[RunningPlatform]:
    """Start a platform of its own on a temporary directory; stop and remove it afterwards.

    :param agent: with one, which a test that weighs nothing does without.
    :param within: the folder that its directory is made in; default: the system's for such.
    :param settings: further WEIGHHOUSE_… settings, by name without the prefix.
    """
    path = Path(tempfile.mkdtemp(prefix="weighhouse-platform-", dir=within))
    options = PlatformOptions(
        directory=path,
        port=free_port(),
        durable=False,
        agent=agent,
        settings={**SHORT_TIMINGS, **{f"WEIGHHOUSE_{k}": v for k, v in settings.items()}},
    )
    try:
        lay_platform(path)
        with Platform(options) as inner:
            yield RunningPlatform(inner)
    finally:
        shutil.rmtree(path, ignore_errors=True)
