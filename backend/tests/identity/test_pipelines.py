"""Trusted pipelines: tokens of a CI service are exchanged for ours, by a trust alone, once."""

import datetime
import json
import threading
import time

import pytest
from joserfc import jws, jwt
from joserfc.jwk import RSAKey
from pydantic import SecretStr
from sqlalchemy import delete, func, select
from weighhouse_backend.identity.models import (
    ApiToken,
    AuditEntry,
    LoginFailure,
    PipelineTrust,
    SpentToken,
)
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.logins import ADDRESS_ALLOWED
from weighhouse_backend.sign_in.pipeline_endpoints import router as pipelines

from backend.tests.identity.sign_in.lying_provider import LyingProvider
from backend.tests.identity.sign_in.test_answers import by_secret, encoded, unsigned
from backend.tests.people import router

TRUSTS, EXCHANGE = "/api/v1/pipeline-trusts", "/api/v1/pipeline-tokens"
SUBJECT = "repo:acme/store:ref:refs/heads/main"
CONDITIONS = {"repository": "acme/store", "ref": "refs/heads/release/*"}


@pytest.fixture(scope="module")
def settings(settings):
    return settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, pipelines)


@pytest.fixture
def service():
    """A CI service: its keys are served, and asked for, over HTTP."""
    made = LyingProvider()
    # As those of CI services: nobody signs in there.
    made.answer = lambda path, form: (
        {"issuer": made.issuer, "jwks_uri": f"{made.issuer}/keys", **made.discovery}
        if path.startswith("/.well-known")
        else {"keys": [one.as_dict(private=False) for one in made.shown]}
    )
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        for table in (LoginFailure, PipelineTrust, SpentToken):
            session.execute(delete(table))


def wanted(service, **more):
    return {
        "name": "store", "issuer": service.issuer, "conditions": CONDITIONS,
        "scopes": ["results:read", "campaigns:run"], **more,
    }  # fmt: skip


def trusted(client, tenant, service, **more):
    made = client.post(TRUSTS, json=wanted(service, **more), headers=tenant.headers)
    assert made.status_code == 201, made.text
    return made.json()


@pytest.fixture
def trust(client, tenants, service):
    return trusted(client, tenants[0], service)


def claims(service, settings, **more):
    now = int(time.time())
    said = {
        "iss": service.issuer, "aud": settings.public_url, "sub": SUBJECT, "exp": now + 300,
        "iat": now, "nbf": now, "jti": f"{time.monotonic_ns()}", "repository": "acme/store",
        "ref": "refs/heads/release/7", **more,
    }  # fmt: skip
    return {name: one(now) if callable(one) else one
            for name, one in said.items() if one is not None}  # fmt: skip


def exchange(client, trust, token):
    return client.post(EXCHANGE, json={"trust_id": trust["id"], "token": token})


def bearer(answer):
    assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {answer.json()['token']}"}


def kind(answer):
    return answer.status_code, answer.json()["type"].rpartition("/")[2]


REFUSED = (401, "pipeline-refused")


def test_a_jobs_token_is_exchanged_for_one_that_may_what_the_trust_says_and_soon_ends(
    client, tenants, service, settings, trust, session_factory
):
    ours, _ = tenants
    assert trust["audience"] == settings.public_url
    answer = exchange(client, trust, service.sign(claims(service, settings)))
    headers = bearer(answer)
    said = answer.json()
    assert (said["role"], said["project_id"]) == ("member", str(ours.project_id))
    assert said["scopes"] == ["campaigns:run", "results:read"]
    ends = datetime.datetime.fromisoformat(said["expires_at"])
    now = datetime.datetime.now(datetime.UTC)
    assert datetime.timedelta(minutes=55) < ends - now <= datetime.timedelta(hours=1)
    assert client.get("/api/v1/projects", headers=headers).status_code == 200
    assert kind(client.get("/api/v1/api-tokens", headers=headers)) == (403, "scope-missing")
    assert kind(client.post(TRUSTS, json=wanted(service), headers=headers))[0] == 403
    listed = client.get("/api/v1/api-tokens", headers=ours.headers).json()["items"]
    shown = next(one for one in listed if one["pipeline"])
    assert (shown["pipeline"], shown["name"]) == (SUBJECT, "store")
    read = client.get(TRUSTS, headers=ours.headers).json()["items"]
    assert [one["last_pipeline"] for one in read] == [SUBJECT]
    with unit_of_work(session_factory) as session:
        entry = session.scalars(
            select(AuditEntry).where(AuditEntry.action == "pipeline_token.issued")
        ).one()
        assert (entry.project_id, entry.subject) == (ours.project_id, SUBJECT)
        assert (entry.details["trust"], entry.details["trust_id"]) == ("store", trust["id"])
        row = session.scalars(select(ApiToken).where(ApiToken.pipeline == SUBJECT)).one()
        row.expires_at = now
    assert client.get("/api/v1/projects", headers=headers).status_code == 401, "it has ended"
    listed = client.get("/api/v1/api-tokens", headers=ours.headers).json()["items"]
    assert not [one for one in listed if one["pipeline"]], "and is in nobody's way"


LIES = {
    "another issuer": {"iss": "https://elsewhere.test"},
    "another audience": {"aud": "https://elsewhere.test"},
    "no audience": {"aud": None},
    "expired": {"exp": 1_000_000_000},
    "without an end": {"exp": None},
    "without a beginning": {"iat": None},
    "an end that is none": {"exp": "soon"},
    "of the future": {"iat": 4_000_000_000, "exp": 4_000_000_300},
    "not yet": {"nbf": lambda now: now + 3600, "exp": lambda now: now + 7200},
    "for ever": {"exp": lambda now: now + 400 * 86_400},
    "for longer than numbers of a clock go": {"exp": 10**400},
    "nobody": {"sub": None},
    "a subject that is none": {"sub": "a\0b"},
    "another repository": {"repository": "acme/other"},
    "capitals": {"repository": "ACME/store"},
    "another branch": {"ref": "refs/heads/main"},
    "a branch that only ends so": {"ref": "x/refs/heads/release/7"},
    "no branch": {"ref": None},
    "a list of branches": {"ref": ["refs/heads/release/7"]},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_does_not_hold_lets_no_pipeline_in(
    client, service, settings, trust, session_factory, lie
):
    before = tokens(session_factory)
    refused = exchange(client, trust, service.sign(claims(service, settings, **LIES[lie])))
    assert kind(refused) == REFUSED, refused.text
    assert "acme" not in refused.text, "what the trust wants is not told"
    assert tokens(session_factory) == before
    with unit_of_work(session_factory) as session:
        assert session.scalar(select(func.count()).select_from(LoginFailure)) == 1


def tokens(session_factory):
    with unit_of_work(session_factory) as session:
        return session.scalar(select(func.count()).select_from(ApiToken))


def of_another_key(service, said):
    key = RSAKey.generate_key(2048, {"kid": "first"}, private=True)
    return jwt.encode({"alg": "RS256", "kid": "first"}, said, key)


def with_its_own_key(service, said):
    """The key comes along, in the header."""
    key = RSAKey.generate_key(2048, {"kid": "own"}, private=True)
    header = {"alg": "RS256", "kid": "own", "jwk": key.as_dict(private=False)}
    return jwt.encode(header, said, key)


def by_public_key(service, said):
    return by_secret(service.keys[0].as_pem(private=False), said)


def nested(service, said):
    header = encoded(("[" * 11_000).encode())
    return f"{header}.{service.sign(said).split('.')[1]}.c"


FORGERIES = {
    "unsigned": unsigned, "another key": of_another_key, "its own key": with_its_own_key,
    "the public key as a secret": by_public_key, "no token": lambda *_: "a.b.c",
    "a header without end": nested,
    "half a token": lambda service, said: service.sign(said).rpartition(".")[0],
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_token_lets_no_pipeline_in(client, service, settings, trust, forgery):
    token = FORGERIES[forgery](service, claims(service, settings))
    assert kind(exchange(client, trust, token)) == REFUSED


def in_ascii(service, said):
    """As JSON may be written, halves of surrogate pairs among it."""
    key = service.keys[-1]
    return jws.serialize_compact({"alg": "RS256", "kid": key.kid}, json.dumps(said), key)


def test_a_token_is_exchanged_once_by_its_id_or_by_itself(client, service, settings, trust):
    for known in ({}, {"jti": None}, {"jti": "\ud800"}):
        token = in_ascii(service, claims(service, settings, **known))
        assert exchange(client, trust, token).status_code == 201
        again = exchange(client, trust, token)
        assert kind(again) == REFUSED
        assert "already" in again.json()["detail"]


def test_of_two_exchanges_at_a_time_one_is_refused(client, service, settings, trust):
    token, told, together = service.sign(claims(service, settings)), [], threading.Barrier(3)

    def ask():
        together.wait()
        told.append(exchange(client, trust, token).status_code)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(told) == [201, 401, 401]


def test_the_end_of_a_trust_ends_its_tokens(
    client, tenants, service, settings, trust, session_factory
):
    ours, theirs = tenants
    headers = bearer(exchange(client, trust, service.sign(claims(service, settings))))
    where = f"{TRUSTS}/{trust['id']}"
    assert client.delete(where, headers=theirs.headers).status_code == 404
    assert client.get("/api/v1/projects", headers=headers).status_code == 200
    assert client.delete(where, headers=ours.headers).status_code == 204
    assert client.get("/api/v1/projects", headers=headers).status_code == 401
    over = exchange(client, trust, service.sign(claims(service, settings)))
    assert kind(over) == REFUSED
    assert client.get(TRUSTS, headers=ours.headers).json()["items"] == []
    with unit_of_work(session_factory) as session:
        found = select(AuditEntry).where(AuditEntry.action == "pipeline_trust.removed")
        assert session.scalars(found).one().details["tokens"] == 1


def test_a_token_is_revoked_like_others_and_not_rotated(client, tenants, service, settings, trust):
    ours, _ = tenants
    headers = bearer(exchange(client, trust, service.sign(claims(service, settings))))
    listed = client.get("/api/v1/api-tokens", headers=ours.headers).json()["items"]
    mine = next(one for one in listed if one["pipeline"])
    where = f"/api/v1/api-tokens/{mine['id']}"
    assert client.post(f"{where}/rotate", json={}, headers=ours.headers).status_code == 409
    assert client.delete(where, headers=ours.headers).status_code == 204
    assert client.get("/api/v1/projects", headers=headers).status_code == 401


def test_what_was_refused_by_the_conditions_is_noted_with_their_names(
    client, tenants, service, settings, trust, session_factory
):
    said = claims(service, settings, ref="refs/heads/x")
    assert kind(exchange(client, trust, service.sign(said))) == REFUSED
    with unit_of_work(session_factory) as session:
        found = select(AuditEntry).where(AuditEntry.action == "pipeline_token.refused")
        entry = session.scalars(found.order_by(AuditEntry.id.desc())).first()
        assert (entry.details["unmet"], entry.subject) == (["ref"], SUBJECT)
        assert entry.project_id == tenants[0].project_id


def test_refusals_count_for_the_address(client, service, settings, trust):
    for _ in range(ADDRESS_ALLOWED):
        said = claims(service, settings, aud="https://elsewhere.test")
        assert kind(exchange(client, trust, service.sign(said))) == REFUSED
    over = exchange(client, trust, service.sign(claims(service, settings)))
    assert kind(over) == (429, "too-many-logins")


def test_an_issuer_that_is_away_is_nobodys_guess(client, service, settings, trust, session_factory):
    service.discovery = {"issuer": "https://elsewhere.test"}
    away = exchange(client, trust, service.sign(claims(service, settings)))
    assert kind(away) == (503, "provider-away")
    assert "elsewhere" not in away.text
    service.discovery = {"jwks_uri": "http://10.0.0.1/keys"}
    away = exchange(client, trust, service.sign(claims(service, settings)))
    assert kind(away) == (503, "provider-away"), "no address within is asked without TLS"
    with unit_of_work(session_factory) as session:
        assert session.scalar(select(func.count()).select_from(LoginFailure)) == 0


WRONG = {
    "an issuer without TLS": {"issuer": "http://ci.example.test"},
    "no conditions": {"conditions": {}},
    "everybody": {"conditions": {"repository": "*"}},
    "every owner": {"conditions": {"sub": "repo:*/store:ref:refs/heads/main"}},
    "nobody's pipelines": {"conditions": {"ref": "refs/heads/main"}},
    "the audience": {"conditions": {"repository": "acme/store", "aud": "x"}},
    "people": {"scopes": ["people:manage"]},
    "all scopes": {"scopes": None},
    "a day": {"lifetime_seconds": 86_400},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_trust_that_is_too_wide_is_refused(client, tenants, service, wrong):
    refused = client.post(TRUSTS, json=wanted(service, **WRONG[wrong]), headers=tenants[0].headers)
    assert refused.status_code == 422, refused.text


def test_a_trust_gives_no_more_than_its_maker_has(client, tenants, service):
    ours, theirs = tenants
    body = {"name": "m", "role": "maintainer", "scopes": ["people:manage", "results:read"]}
    made = client.post("/api/v1/api-tokens", json=body, headers=ours.headers).json()
    maintainer = {"Authorization": f"Bearer {made['token']}"}
    for more in ({"role": "owner"}, {"scopes": ["campaigns:run"]}):
        body = wanted(service, scopes=["results:read"]) | more
        assert client.post(TRUSTS, json=body, headers=maintainer).status_code == 403
    body = wanted(service, scopes=["results:read"])
    assert client.post(TRUSTS, json=body, headers=maintainer).status_code == 201
    foreign = wanted(service, project_id=str(ours.project_id))
    assert client.post(TRUSTS, json=foreign, headers=theirs.headers).status_code == 404
    assert client.get(TRUSTS, headers=theirs.headers).json()["items"] == []
