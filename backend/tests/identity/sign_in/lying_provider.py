"""A provider on loopback that says what a test wants, and the organization that signs in with it.

A real one tells no lies; with one people sign in in `tests/browser/test_providers.py`.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from backend.tests.identity.test_people import CSRF, sign_in

GROUPS = [
    {"group": "lookers", "role": "viewer", "project_id": None},
    {"group": "leads", "role": "maintainer", "project_id": None},
]


class LyingProvider:
    """Says of whoever comes what it is told to."""

    def __init__(self) -> None:
        self.keys = [RSAKey.generate_key(2048, {"kid": "first"}, private=True)]
        self.shown = list(self.keys)
        self.claims: dict = {}
        self.sign = self.honestly
        self.asked: list[tuple[str, dict]] = []
        self.discovery: dict = {}
        self.status = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.tell(provider.answer(self.path, {}))

            def do_POST(self):
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                provider.asked.append((self.headers.get("Authorization", ""), parse_qs(form)))
                self.tell(provider.answer(self.path, parse_qs(form)))

            def tell(self, body):
                data = json.dumps(body).encode()
                self.send_response(provider.status.get(self.path, 200))
                self.send_header("Location", f"{provider.issuer}/elsewhere")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def answer(self, path, form):
        del form
        if path.startswith("/.well-known"):
            return {
                "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/auth",
                "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys",
                "end_session_endpoint": f"{self.issuer}/out", **self.discovery,
            }  # fmt: skip
        if path == "/keys":
            return {"keys": [one.as_dict(private=False) for one in self.shown]}
        if path == "/token":
            return {"id_token": self.sign(self.claims), "access_token": "a", "token_type": "Bearer"}
        return {}

    def honestly(self, claims):
        key = self.keys[-1]
        return jwt.encode({"alg": "RS256", "kid": key.kid}, claims, key)


def save(client, tenant, issuer, **more):
    sign_in(client, tenant.email)
    body = {
        "name": "Acme",
        "issuer": issuer,
        "client_id": "we&us",
        "client_secret": "s3:cret-of-some-length",
    }
    params = {"project_id": str(tenant.project_id)}
    return client.put("/api/v1/identity-provider", json=body | more, params=params, headers=CSRF)


def begun(client, liar, **claims):
    """Somebody is sent to the provider, which will say that of them; the answer to bring back."""
    sent = client.post("/api/v1/sign-in", json={"organization": "ours", "next": "/runs"})
    assert sent.status_code == 200, sent.text
    query = {name: one[0] for name, one in parse_qs(urlsplit(sent.json()["url"]).query).items()}
    now = int(time.time())
    liar.claims = {
        "iss": liar.issuer, "sub": "1", "aud": query["client_id"], "exp": now + 300, "iat": now,
        "nonce": query["nonce"], "email": "mia@example.test", "email_verified": True,
        "name": "Mia", "groups": ["lookers"], **claims,
    }  # fmt: skip
    liar.claims = {name: one for name, one in liar.claims.items() if one is not None}
    return SimpleNamespace(query=query, body={"state": query["state"], "code": "c"})


def back(client, attempt, **more):
    return client.post("/api/v1/sign-in/answer", json=attempt.body | more)


def entered(client, liar, **claims):
    answer = back(client, begun(client, liar, **claims))
    assert answer.status_code == 201, answer.text
    return answer.json()


def kind(answer):
    assert answer.status_code >= 400, answer.text
    return answer.json()["type"].rpartition("/")[2]


def role(client):
    found = client.get("/api/v1/projects")
    return found.json()["items"][0]["role"] if found.status_code == 200 else found.status_code
