"""A trusted pipeline from the page to the command line: trusted, let in without a secret, ended."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from playwright.sync_api import Page, expect
from weighhouse_testing.browser import NARROW, WIDE, complaints
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.windows import Windows

SUBJECT = "repo:acme/store:ref:refs/heads/main"


class CiService:
    """Signs what it says of jobs, and shows its keys."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "k"}, private=True)
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                public = service.key.as_dict(private=False)
                described = {"issuer": service.issuer, "jwks_uri": f"{service.issuer}/keys"}
                body = {"keys": [public]} if self.path == "/keys" else described
                self.send_response(200)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def job(self, audience: str, **more: str) -> str:
        """The token of a job."""
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": audience, "sub": SUBJECT, "iat": now, "exp": now + 300,
            "jti": str(time.monotonic_ns()), "repository": "acme/store", "ref": "refs/heads/main",
        }  # fmt: skip
        return jwt.encode({"alg": "RS256", "kid": "k"}, claims | more, self.key)


@pytest.fixture
def service() -> Iterator[CiService]:
    made = CiService()
    yield made
    made.server.shutdown()
    made.server.server_close()


def command(house: RunningPlatform, *words: str, **environment: str) -> subprocess.CompletedProcess:
    """The command as a job runs it, with nothing of this machine's own platform."""
    kept = {name: one for name, one in os.environ.items() if not name.startswith("WEIGHHOUSE_")}
    return subprocess.run(
        [Path(sys.executable).with_name("weighhouse"), *words],
        env={**kept, "WEIGHHOUSE_URL": house.url, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def trusted(page: Page, house: RunningPlatform, issuer: str) -> str:
    """A pipeline is trusted on the page; the trust's id."""
    page.goto(f"{house.url}/settings")
    page.get_by_role("button", name="Trust a pipeline").click()
    page.get_by_role("textbox", name="Name").fill("store, main")
    page.get_by_role("textbox", name="Issuer").fill(issuer)
    expect(page.get_by_role("button", name="Trust it")).to_be_disabled()
    page.get_by_role("textbox", name="Repository").fill("*/store")
    page.get_by_role("button", name="Trust it").click()
    expect(page.get_by_text("leave open whose pipelines they are").first).to_be_visible()
    assert complaints(page, "dialog") == []
    page.get_by_role("textbox", name="Repository").fill("acme/store")
    page.get_by_role("button", name="Trust it").click()
    file = page.get_by_label("File for GitHub Actions")
    expect(file).to_contain_text(f"WEIGHHOUSE_URL: {house.url}")
    expect(page.get_by_text("Waiting for the first job")).to_be_visible()
    for width, height in (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": height})
        assert complaints(page, f"file, {width} px") == []
    (trust,) = re.findall(r"WEIGHHOUSE_TRUST: (\S+)", file.inner_text())
    return trust


def test_a_trusted_pipeline_comes_in_without_a_secret(windows: Windows, service: CiService):
    with (
        running_platform(agent=False) as house,
        windows.lent(house.url, (house.email, house.password)) as opens,
    ):
        page = opens()
        trust = trusted(page, house, service.issuer)

        job = {"WEIGHHOUSE_TRUST": trust, "WEIGHHOUSE_ID_TOKEN": service.job(house.url)}
        used = command(house, "campaign", "list", **job)
        assert used.returncode == 0, used.stderr
        expect(page.get_by_text("A job came in")).to_be_visible()
        page.get_by_role("button", name="I have it").click()
        row = page.get_by_role("row").filter(has_text="store, main")
        expect(row.locator("pre").first).to_have_text(trust)
        for width, height in (NARROW, WIDE):
            page.set_viewport_size({"width": width, "height": height})
            assert complaints(page, f"trusted, {width} px") == []
        again = command(house, "campaign", "list", **job)
        assert (again.returncode, "already" in again.stderr) == (4, True), again.stderr

        job["WEIGHHOUSE_ID_TOKEN"] = service.job(house.url)
        made = command(house, "login", "--ci", **job)
        assert made.returncode == 0, made.stderr
        token = made.stdout.strip().removeprefix("export WEIGHHOUSE_TOKEN=")
        assert command(house, "campaign", "list", WEIGHHOUSE_TOKEN=token).returncode == 0
        job["WEIGHHOUSE_ID_TOKEN"] = service.job(house.url, ref="refs/heads/other")
        assert command(house, "login", "--ci", **job).returncode == 4

        page.reload()
        expect(page.get_by_text(SUBJECT).first).to_be_visible()
        page.get_by_role("button", name="End the trust store, main").click()
        page.get_by_role("button", name="End the trust", exact=True).click()
        expect(page.get_by_text("No pipeline is trusted yet")).to_be_visible()
        assert command(house, "campaign", "list", WEIGHHOUSE_TOKEN=token).returncode == 4
