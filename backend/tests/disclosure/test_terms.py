"""Editions, consents and overrides: may figures leave?"""

import datetime
import hashlib
import json
from uuid import uuid4

import pytest
from pydantic import ValidationError
from weighhouse_backend.catalog.service import digest_of
from weighhouse_backend.disclosure.schemas import ConsentRead, OverrideRead
from weighhouse_backend.disclosure.terms import decide, terms_of
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from backend.tests.results.laboratory import manifest

NOW = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)
TODAY = NOW.date()


def edition(name, policy, **changes):
    return {
        "id": name, "name": name.title(), "licence": "l", "policy": policy, "text": "the clause",
        "source": "https://example.test/licence", "checked_on": "2026-11-22", **changes,
    }  # fmt: skip


def product(*editions, **changes):
    document = manifest("store", editions=editions, **changes)
    del document["benchmark_clause"]
    return Manifest.model_validate(document)


TWO = product(edition("community", "open"), edition("enterprise", "consent_required"))


def consent(**changes):
    return ConsentRead(
        **{
            "id": uuid4(), "project_id": uuid4(), "system_id": "store", "edition_id": "enterprise",
            "campaign_id": None, "given_by": "Eve", "covers": "throughput", "given_on": TODAY,
            "expires_on": None, "document_url": "https://example.test/letter",
            "recorded_by": "ada", "created_at": NOW, "withdrawn_at": None, "withdrawn_by": None,
            **changes,
        }
    )  # fmt: skip


def override(**changes):
    return OverrideRead(
        **{
            "id": uuid4(), "campaign_id": uuid4(), "system_id": "store", "audience": "public",
            "reason": "a court said so", "made_by": "olga", "created_at": NOW,
            "expires_at": NOW + datetime.timedelta(days=1), "ended_at": None, "ended_by": None,
            **changes,
        }
    )  # fmt: skip


def decided(manifest, audience="public", consents=(), overrides=(), *, disclosed=False, **target):
    known = {manifest.id: manifest} if manifest else {}
    wanted = Target.model_validate({"name": "t", "system": "store", **target})
    (terms,) = terms_of([wanted], known)
    return decide(terms, audience, consents, overrides, NOW, disclosed=disclosed)


@pytest.mark.parametrize(
    ("target", "known"),
    [
        ({}, "community"),
        ({"edition": "enterprise"}, "enterprise"),
        ({"deployment": "external", "endpoints": ["tcp://127.0.0.1:1"]}, None),
        (
            {"deployment": "external", "endpoints": ["tcp://127.0.0.1:1"], "edition": "community"},
            "community",
        ),
        ({"deployment": "docker", "image": "vendor/store-enterprise:8"}, None),
        ({"deployment": "docker", "image": "registry.test:5000/store:9"}, "community"),
    ],
)
def test_which_edition_a_target_is(target, known):
    image = {
        "image": "registry.test:5000/store:8", "program": "store", "port": 1, "health": "h",
        "source": "https://example.test", "checked_on": "2026-11-22",
    }  # fmt: skip
    both = product(
        edition("community", "open"), edition("enterprise", "consent_required"),
        deployments=["process", "docker", "external"], image=image,
    )  # fmt: skip
    found = both.edition_of(Target.model_validate({"name": "t", "system": "store", **target}))
    assert (None if found is None else found.id) == known


def test_where_there_is_one_edition_it_is_that_one():
    one = product(edition("only", "open"), deployments=["process", "external"])
    target = {"deployment": "external", "endpoints": ["tcp://127.0.0.1:1"]}
    assert decided(one, **target).outcome == "allowed"


def test_a_manifest_from_before_is_its_clause():
    before = Manifest.model_validate(manifest("store"))
    assert [one.policy for one in before.known_editions] == ["open"]
    assert decided(before).outcome == "allowed"
    assert decided(before).reviewer == "not recorded"
    # Kept as it was known: what was planned with it finds it again.
    document = before.model_dump(mode="json")
    assert digest_of(Manifest.model_validate(document)) == digest_of(before)
    assert "editions" in document


def test_a_manifest_keeps_its_digest_when_manifests_learn_to_say_more():
    """What it says nothing of is not in it, so that agents of two releases do not disagree."""
    statement = {"id": "note", "title": "Mind", "text": "Mind this."}
    before = Manifest.model_validate(manifest("store") | {"disclaimers": [statement]})
    document = before.model_dump(mode="json")
    del document["editions"], document["topology"]["keys_by_client"]
    del document["disclaimers"][0]["when"]["keys_by_client"]
    told = json.dumps(document, sort_keys=True).encode()
    assert digest_of(before) == hashlib.sha256(told).hexdigest()
    more = statement | {"when": {"keys_by_client": True}}
    after = Manifest.model_validate(manifest("store") | {"disclaimers": [more]})
    assert digest_of(after) != digest_of(before)


def test_the_default_editions_clause_is_the_products():
    assert TWO.benchmark_clause.policy == "open"
    assert TWO.benchmark_clause.text == "the clause"
    again = Manifest.model_validate(TWO.model_dump(mode="json"))
    assert again == TWO


def test_editions_are_held_to_their_form():
    with pytest.raises(ValidationError, match="conditions: belong to"):
        product(edition("only", "open_with_conditions"))
    with pytest.raises(ValidationError, match="is there twice"):
        product(edition("only", "open"), edition("only", "open"))


@pytest.mark.parametrize(
    ("policy", "disclosed", "outcome"),
    [
        ("open", False, "allowed"),
        ("open_with_disclosure", False, "needs_disclosure"),
        ("open_with_disclosure", True, "allowed"),
        ("consent_required", True, "needs_consent"),
        ("unknown", True, "unknown"),
        ("prohibited", True, "prohibited"),
    ],
)
def test_what_a_policy_lets_out(policy, disclosed, outcome):
    found = decided(product(edition("only", policy)), disclosed=disclosed)
    assert found.outcome == outcome
    assert (found.mend is None) == (outcome == "allowed")


def test_conditions_travel_with_what_is_allowed():
    some = product(edition("only", "open_with_conditions", conditions=["At most 50 processors."]))
    assert decided(some).outcome == "allowed"
    assert decided(some).conditions == ["At most 50 processors."]


def test_a_system_that_nobody_describes_stays():
    assert decided(None).outcome == "unknown"


def test_an_edition_that_cannot_be_known_stays():
    elsewhere = product(
        edition("community", "open"), edition("enterprise", "open"),
        deployments=["process", "external"],
    )  # fmt: skip
    found = decided(elsewhere, deployment="external", endpoints=["tcp://127.0.0.1:1"])
    assert found.outcome == "unknown"
    assert "community, enterprise" in (found.mend or "")


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "allowed"),
        ({"edition_id": None}, "allowed"),
        ({"edition_id": "community"}, "needs_consent"),
        ({"system_id": "another"}, "needs_consent"),
        ({"withdrawn_at": NOW}, "needs_consent"),
        ({"expires_on": TODAY - datetime.timedelta(days=1)}, "needs_consent"),
        ({"expires_on": TODAY}, "allowed"),
    ],
)
def test_a_consent_holds_for_what_it_is_about(changes, outcome):
    found = decided(TWO, consents=[consent(**changes)], edition="enterprise")
    assert found.outcome == outcome


def test_a_consent_does_not_lift_what_is_forbidden():
    forbidden = product(edition("only", "prohibited"))
    assert decided(forbidden, consents=[consent(edition_id=None)]).outcome == "prohibited"


@pytest.mark.parametrize(
    ("changes", "audience", "outcome"),
    [
        ({}, "public", "allowed"),
        ({}, "others", "allowed"),
        ({"audience": "others"}, "others", "allowed"),
        ({"audience": "others"}, "public", "prohibited"),
        ({"system_id": "another"}, "public", "prohibited"),
        ({"ended_at": NOW}, "public", "prohibited"),
        ({"expires_at": NOW}, "public", "prohibited"),
    ],
)
def test_an_override_holds_for_its_audience_while_it_lasts(changes, audience, outcome):
    forbidden = product(edition("only", "prohibited"))
    found = decided(forbidden, audience, overrides=[override(**changes)])
    assert found.outcome == outcome
    if outcome == "allowed":
        assert found.reason == "override by olga: a court said so"


def test_the_house_itself_may_always_read():
    assert decided(product(edition("only", "prohibited")), "internal").outcome == "allowed"
