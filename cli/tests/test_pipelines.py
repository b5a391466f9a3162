"""A CI job's own token: asked for of GitHub, given by GitLab, got anew when it has ended.

The platform that takes it is a real one in `tests/browser/test_pipelines.py`.
"""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from weighhouse_cli.client import Access, Client, find_access
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.pipelines import pipeline_of


class Service:
    """What a job talks to: GitHub's service for tokens, and a platform that ends tokens at once."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.exchanged: list[str] = []
        self.holds = 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
                parts = urlsplit(self.path)
                if parts.path == "/ci":
                    service.asked.append((bearer, parse_qs(parts.query)["audience"][0]))
                    self.tell(200, {"value": f"jwt {len(service.asked)}"})
                elif bearer == f"whp_{service.holds}":
                    self.tell(200, {"seen": bearer})
                else:
                    self.tell(401, {"detail": "this token is unknown, expired or revoked"})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if body["token"] in service.exchanged:
                    self.tell(401, {"detail": "was exchanged already"})
                    return
                service.exchanged.append(body["token"])
                service.holds += 1
                self.tell(201, {"token": f"whp_{service.holds}", "expires_at": "", "role": "m"})

            def tell(self, status: int, body: object) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.server.shutdown()
    made.server.server_close()


def github(service: Service) -> dict[str, str]:
    return {
        "WEIGHHOUSE_TRUST": "t", "ACTIONS_ID_TOKEN_REQUEST_URL": f"{service.url}/ci?api-version=2",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "secret of the job",
    }  # fmt: skip


def client(service: Service, environment: dict[str, str]) -> Client:
    return Client(Access(service.url, None, pipeline_of(service.url, environment)))


def test_githubs_token_is_asked_for_the_platform_and_again_when_ours_has_ended(
    service: Service,
) -> None:
    commands = client(service, github(service))
    assert commands.get("/projects") == {"seen": "whp_1"}
    assert commands.get("/projects") == {"seen": "whp_1"}, "one token for many requests"
    assert service.asked == [("secret of the job", service.url)]
    service.holds = 7  # the former one has ended
    assert commands.get("/projects") == {"seen": "whp_8"}
    assert service.exchanged == ["jwt 1", "jwt 2"]


def test_gitlabs_token_is_the_jobs_own_and_is_taken_once(service: Service) -> None:
    environment = {"WEIGHHOUSE_TRUST": "t", "WEIGHHOUSE_ID_TOKEN": "jwt of the job"}
    assert client(service, environment).get("/projects") == {"seen": "whp_1"}
    assert service.exchanged == ["jwt of the job"]
    with pytest.raises(CommandFailed, match="not let in: was exchanged already") as caught:
        client(service, environment).get("/projects")
    assert caught.value.code is Exit.INVALID


def test_a_job_without_a_token_is_told_how_to_get_one(service: Service) -> None:
    with pytest.raises(CommandFailed, match="id-token: write"):
        client(service, {"WEIGHHOUSE_TRUST": "t"}).get("/projects")


def test_a_token_wins_over_a_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIGHHOUSE_URL", "https://weighhouse.example")
    monkeypatch.setenv("WEIGHHOUSE_TRUST", "t")
    monkeypatch.delenv("WEIGHHOUSE_TOKEN", raising=False)
    found = find_access(None, None)
    assert found.token is None
    assert found.pipeline is not None
    assert (found.pipeline.trust, found.pipeline.audience) == ("t", "https://weighhouse.example")
    monkeypatch.setenv("WEIGHHOUSE_TOKEN", "whp_x")
    assert find_access(None, None).pipeline is None
