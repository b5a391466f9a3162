"""Signing in with a provider that lies, errs or is away, and what its word is worth.

The provider here is a server of our own on loopback, since a real one tells no lies; a real one
signs people in in `tests/browser/test_providers.py`.
"""

import base64
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import select, update
from weighhouse_backend.identity.account_endpoints import router as account
from weighhouse_backend.identity.endpoints import router
from weighhouse_backend.identity.models import (
    ApiToken,
    AuditEntry,
    IdentityProvider,
    LoginFailure,
    LoginSession,
    Membership,
    SignIn,
    User,
)
from weighhouse_backend.identity.provider_endpoints import router as providers
from weighhouse_backend.identity.sign_in import LASTS
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.conftest import PASSWORD
from backend.tests.identity.test_people import CSRF, settings, sign_in  # noqa: F401

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
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

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


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, providers)


@pytest.fixture
def liar():
    made = LyingProvider()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        session.query(LoginFailure).delete()
        session.query(IdentityProvider).delete()


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


@pytest.fixture
def ours(client, tenants, liar):
    """Our organization, which signs in with the provider."""
    saved = save(client, tenants[0], liar.issuer, mappings=GROUPS)
    assert saved.status_code == 200, saved.text
    client.cookies.clear()
    return tenants[0]


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


def test_a_code_is_asked_for_with_all_that_guards_it(client, ours, liar):
    query = begun(client, liar).query
    assert query["response_type"] == "code"
    assert query["code_challenge_method"] == "S256"
    assert query["redirect_uri"].endswith("/login/answer")
    assert min(len(query[one]) for one in ("state", "nonce", "code_challenge")) >= 43
    entered(client, liar)
    header, form = liar.asked[-1]
    name_and_secret = base64.b64decode(header.removeprefix("Basic ")).decode()
    assert name_and_secret == "we%26us:s3%3Acret-of-some-length"
    assert len(form["code_verifier"][0]) >= 43
    assert role(client) == "viewer"


LIES = {
    "another nonce": {"nonce": "n"},
    "no nonce": {"nonce": None},
    "another audience": {"aud": "somebody else"},
    "another party": {"aud": ["we&us", "x"], "azp": "x"},
    "another issuer": {"iss": "https://elsewhere.test"},
    "expired": {"exp": 1_000_000_000},
    "of the future": {"iat": 4_000_000_000, "exp": 4_000_000_300},
    "without an end": {"exp": None},
    "nobody": {"sub": None},
    "a subject that is none": {"sub": "a\0b"},
}


@pytest.mark.parametrize("lie", LIES)
def test_an_id_token_that_does_not_hold_lets_nobody_in(client, ours, liar, lie):
    refused = back(client, begun(client, liar, **LIES[lie]))
    assert kind(refused) == "provider-answer-refused", refused.text
    assert client.get("/api/v1/sessions/current").status_code == 401
    if lie in {"expired", "of the future"}:
        assert "clocks" in refused.json()["detail"]


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unsigned(liar, claims):
    head = {"alg": "none"}
    return ".".join(encoded(json.dumps(one).encode()) for one in (head, claims)) + "."


def by_secret(secret, claims):
    """By hand: libraries refuse to do it."""
    head = {"alg": "HS256", "kid": "first"}
    said = ".".join(encoded(json.dumps(one).encode()) for one in (head, claims))
    return f"{said}.{encoded(hmac.digest(secret, said.encode(), 'sha256'))}"


def with_public_key_as_secret(liar, claims):
    return by_secret(liar.keys[0].as_pem(private=False), claims)


def with_another_key(liar, claims):
    key = RSAKey.generate_key(2048, {"kid": "first"}, private=True)
    return jwt.encode({"alg": "RS256", "kid": "first"}, claims, key)


def with_the_clients_secret(liar, claims):
    return by_secret(b"s3:cret-of-some-length", claims)


def tampered(liar, claims):
    head, _, tail = liar.honestly(claims | {"sub": "2"}).split(".")
    return ".".join([head, liar.honestly(claims).split(".")[1], tail])


@pytest.mark.parametrize(
    "forged",
    [unsigned, with_public_key_as_secret, with_another_key, with_the_clients_secret, tampered],
)
def test_a_token_is_signed_with_the_providers_own_key(client, ours, liar, forged):
    liar.sign = lambda claims: forged(liar, claims)
    assert kind(back(client, begun(client, liar))) == "provider-answer-refused"


def test_new_keys_of_the_provider_hold_at_once_and_old_ones_no_more(client, ours, liar):
    entered(client, liar)
    fresh = RSAKey.generate_key(2048, {"kid": "second"}, private=True)
    liar.keys.append(fresh)
    liar.shown = [fresh]
    entered(client, liar)
    liar.keys = liar.keys[:1]
    assert kind(back(client, begun(client, liar))) == "provider-answer-refused"


def test_an_answer_is_taken_once_in_the_browser_that_began_and_in_time(
    client, ours, liar, make_client, session_factory
):
    attempt = begun(client, liar)
    cookie = client.cookies["weighhouse_sign_in"]
    stranger = make_client(router, account, providers)
    assert kind(back(stranger, attempt)) == "sign-in-ended"
    assert back(client, attempt).status_code == 201
    client.cookies.clear()
    client.cookies.set("weighhouse_sign_in", cookie)
    assert kind(back(client, attempt)) == "sign-in-ended"
    late = begun(client, liar)
    with unit_of_work(session_factory) as session:
        session.execute(update(SignIn).values(created_at=SignIn.created_at - LASTS))
    assert kind(back(client, late)) == "sign-in-ended"


def test_an_answer_of_another_provider_or_none_is_refused(client, ours, liar):
    mixed = back(client, begun(client, liar), iss="https://elsewhere.test")
    assert kind(mixed) == "provider-answer-refused"
    liar.discovery = {"authorization_response_iss_parameter_supported": True}
    assert kind(back(client, begun(client, liar))) == "provider-answer-refused"
    denied = client.post(
        "/api/v1/sign-in/answer",
        json={"state": begun(client, liar).body["state"], "error": "access_denied"},
    )
    assert kind(denied) == "provider-answer-refused"


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://elsewhere.test"},
        {"token_endpoint": "http://elsewhere.test/token"},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": None},
        {"padding": "x" * 600_000},
    ],
)
def test_a_provider_that_does_not_answer_as_one_is_away(client, ours, liar, discovery):
    liar.discovery = discovery
    asked = client.post("/api/v1/sign-in", json={"organization": "ours"})
    assert (asked.status_code, kind(asked)) == (503, "provider-away")


def test_redirects_are_not_followed_and_who_is_away_is_said_to_be(client, ours, liar):
    liar.status = {"/.well-known/openid-configuration": 302}
    asked = client.post("/api/v1/sign-in", json={"organization": "ours"})
    assert kind(asked) == "provider-away"
    liar.status = {}
    attempt = begun(client, liar)
    liar.server.shutdown()
    liar.server.server_close()
    assert kind(back(client, attempt)) == "provider-away"


@pytest.mark.parametrize(
    "wanted", ["https://elsewhere.test", "//elsewhere.test", "/\\elsewhere.test", "runs", "/a\\b"]
)
def test_nobody_is_sent_elsewhere_after_signing_in(client, ours, wanted):
    body = {"organization": "ours", "next": wanted}
    assert client.post("/api/v1/sign-in", json=body).status_code == 422


@pytest.mark.parametrize(
    "issuer", ["http://id.example.test", "ftp://id.test", "https://a:b@id.test", "https://", "id"]
)
def test_an_issuer_is_asked_over_tls(client, tenants, issuer):
    assert save(client, tenants[0], issuer).status_code == 422


def test_this_machine_is_asked_only_by_a_platform_that_is_reached_on_it(client, tenants, liar):
    state = client.app.state
    local, state.settings = (
        state.settings,
        state.settings.model_copy(update={"public_url": "https://weighhouse.example.test"}),
    )
    try:
        assert save(client, tenants[0], liar.issuer).status_code == 422
    finally:
        state.settings = local


def test_somebody_unknown_or_unverified_is_told_why(client, ours, liar, session_factory):
    stranger = {"sub": "9", "email": "zed@example.test"}
    assert kind(back(client, begun(client, liar, **stranger, groups=[]))) == "not-invited"
    for verified in (False, None, "true"):
        claims = {**stranger, "email_verified": verified}
        assert kind(back(client, begun(client, liar, **claims))) == "address-not-verified"
    with unit_of_work(session_factory) as session:
        refused = session.scalars(
            select(AuditEntry).where(
                AuditEntry.action == "login.refused", AuditEntry.subject == "zed@example.test"
            )
        ).all()
        assert {one.details["kind"] for one in refused} == {"not-invited", "address-not-verified"}
        assert {one.project_id for one in refused} == {ours.project_id}
        assert session.scalar(select(User).where(User.email == "zed@example.test")) is None


def test_roles_follow_groups_and_all_ends_with_them(client, ours, liar, session_factory):
    who = {"sub": "2", "email": "una@example.test", "name": "Una"}
    entered(client, liar, **who, groups=["lookers"])
    assert role(client) == "viewer"
    entered(client, liar, **who, groups=["leads", "lookers", "others"])
    assert role(client) == "maintainer"
    made = client.post(
        "/api/v1/api-tokens", json={"name": "mine", "role": "viewer", "personal": True},
        headers=CSRF,
    )  # fmt: skip
    own = {"Authorization": f"Bearer {made.json()['token']}"}
    before = client.cookies["weighhouse_session"]
    client.cookies.clear()
    assert kind(back(client, begun(client, liar, **who, groups=["others"]))) == "not-invited"
    client.cookies.clear()
    assert client.get("/api/v1/projects", headers=own).status_code == 401
    client.cookies.set("weighhouse_session", before)
    assert role(client) == 401
    with unit_of_work(session_factory) as session:
        revoked = session.scalar(select(ApiToken.revoked_at).where(ApiToken.name == "mine"))
        assert revoked is not None
    client.cookies.clear()
    entered(client, liar, **who, groups=["lookers"])
    assert role(client) == "viewer"


def test_a_subject_is_known_by_itself_not_by_its_address(client, ours, liar):
    who = {"sub": "3", "email": "kim@example.test"}
    first = entered(client, liar, **who)
    moved = entered(client, liar, sub="3", email="kim.new@example.test", email_verified=False)
    assert moved["user"]["id"] == first["user"]["id"]
    other = back(client, begun(client, liar, sub="4", email="kim@example.test"))
    assert kind(other) == "not-invited"


def test_a_provider_does_not_speak_for_an_account_of_another_organization(
    client, ours, liar, tenants
):
    victim = {"sub": "5", "email": tenants[1].email}
    assert kind(back(client, begun(client, liar, **victim))) == "account-elsewhere"


def test_a_login_by_a_provider_opens_its_organization_alone(
    client, ours, liar, tenants, session_factory
):
    who = entered(client, liar, sub="6", email="both@example.test", groups=["leads"])["user"]
    theirs = tenants[1]
    with unit_of_work(session_factory) as session:
        session.add(
            Membership(
                organization_id=theirs.organization_id, user_id=who["id"], role="owner",
                created_at=session.get_one(User, who["id"]).created_at,
            )
        )  # fmt: skip
    seen = client.get("/api/v1/projects").json()["items"]
    assert {one["id"] for one in seen} == {str(ours.project_id)}
    params = {"project_id": str(theirs.project_id)}
    for path in ("members", "identity-provider", "campaigns"):
        if path != "campaigns":
            assert client.get(f"/api/v1/{path}", params=params).status_code == 404
    another = client.post(
        "/api/v1/organizations", json={"slug": "evil", "name": "Evil"}, headers=CSRF
    )
    assert another.status_code == 403


def test_an_organization_keeps_its_last_owner_whatever_groups_say(client, ours, liar):
    entered(client, liar, sub="7", email=ours.email, groups=["lookers"])
    assert role(client) == "owner"


def test_the_only_way_in_shuts_passwords_out_but_the_owners(
    client, ours, liar, tenants, session_factory
):
    entered(client, liar, sub="8", email="pat@example.test", groups=["leads"])
    with unit_of_work(session_factory) as session:
        owner = session.get_one(User, ours.user_id)
        pat = session.scalar(select(User).where(User.email == "pat@example.test"))
        pat.password_hash = owner.password_hash
    sign_in(client, "pat@example.test")
    assert role(client) == "maintainer"
    by_password = client.cookies["weighhouse_session"]
    assert save(client, ours, liar.issuer, mappings=GROUPS, only_way=True).status_code == 200
    assert role(client) == "owner"
    client.cookies.clear()
    refused = client.post(
        "/api/v1/sessions", json={"email": "pat@example.test", "password": PASSWORD}
    )
    assert (refused.status_code, kind(refused)) == (403, "provider-required")
    client.cookies.set("weighhouse_session", by_password)
    assert role(client) == 401
    client.cookies.clear()
    entered(client, liar, sub="8", email="pat@example.test", groups=["leads"])
    assert role(client) == "maintainer"


def test_a_login_lasts_half_a_day_so_that_groups_are_looked_at_again(
    client, ours, liar, session_factory
):
    entered(client, liar)
    with unit_of_work(session_factory) as session:
        for row in session.scalars(
            select(LoginSession).where(LoginSession.provider_id.is_not(None))
        ):
            row.created_at -= 13 * (LASTS * 6)
    assert role(client) == 401


def test_signing_out_tells_the_way_out_of_the_provider(client, ours, liar):
    entered(client, liar)
    ended = client.delete("/api/v1/sessions/current", headers=CSRF).json()
    query = parse_qs(urlsplit(ended["provider_url"]).query)
    assert ended["provider_url"].startswith(f"{liar.issuer}/out?")
    assert query["id_token_hint"]
    assert query["post_logout_redirect_uri"][0].endswith("/login")
    assert role(client) == 401


def test_a_secret_is_never_told_and_not_taken_to_another_provider(
    client, ours, liar, session_factory
):
    params = {"project_id": str(ours.project_id)}
    sign_in(client, ours.email)
    told = client.get("/api/v1/identity-provider", params=params)
    assert told.json()["has_secret"] is True
    assert "s3:cret-of-some-length" not in told.text
    with unit_of_work(session_factory) as session:
        assert "s3:cret-of-some-length" not in session.scalar(
            select(IdentityProvider.client_secret_sealed)
        )
    kept = save(client, ours, liar.issuer, client_secret=None)
    assert kept.json()["has_secret"] is True
    moved = save(client, ours, "https://elsewhere.test", client_secret=None)
    assert moved.json()["has_secret"] is False


def test_a_groups_project_is_the_organizations(client, ours, liar, tenants):
    other = {"group": "g", "role": "owner", "project_id": str(tenants[1].project_id)}
    assert save(client, ours, liar.issuer, mappings=[other]).status_code == 422
    own = {"group": "g", "role": "member", "project_id": str(ours.project_id)}
    assert save(client, ours, liar.issuer, mappings=[own]).status_code == 200
    client.cookies.clear()
    entered(client, liar, sub="10", email="guest@example.test", groups=["g"])
    assert role(client) == "member"


def test_strangers_see_only_providers_that_are_listed(client, ours, liar):
    def offered(**query):
        return [one["name"] for one in client.get("/api/v1/sign-in", params=query).json()["items"]]

    assert offered() == []
    assert offered(organization="ours") == ["Acme"]
    assert offered(organization="nobody") == []
    save(client, ours, liar.issuer, listed=True)
    client.cookies.clear()
    assert offered() == ["Acme"]


def test_refused_answers_count_as_refused_logins_of_the_address(client, ours, liar):
    for at in range(60):
        unknown = {"state": f"none {at}", "code": "c"}
        assert client.post("/api/v1/sign-in/answer", json=unknown).status_code == 404
    limited = client.post("/api/v1/sign-in/answer", json={"state": "none", "code": "c"})
    assert kind(limited) == "too-many-logins"
