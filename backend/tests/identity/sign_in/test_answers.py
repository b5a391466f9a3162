"""Signing in with a provider that lies, errs or is away."""

import base64
import hmac
import json
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import select, update
from weighhouse_backend.identity.models import (
    IdentityProvider,
    SignIn,
)
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.provider_endpoints import router as providers
from weighhouse_backend.sign_in.provider_sign_in import LASTS

from backend.tests.identity.sign_in.lying_provider import (
    back,
    begun,
    entered,
    kind,
    role,
    save,
)
from backend.tests.identity.test_people import CSRF, sign_in
from backend.tests.people import router


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
