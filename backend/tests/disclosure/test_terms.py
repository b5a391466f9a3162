"""Editions, consents and overrides: may figures leave?"""

import datetime
from uuid import uuid4

import pytest
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
    """What it says nothing of is not in it, so that agents of two releases do not disagree. A field
    that is new in manifests has to be left out in `digest_of` where it says nothing.
    """
    said = {"id": "note", "title": "Mind", "text": "Mind this."}
    told = {
        "id": "store", "version": "0.1.0", "name": "Store", "vendor": "somebody",
        "licence": "BSD-3-Clause", "architecture": "in memory", "colour": "#D55E00", "mark": "●",
        "operations": ["read"], "driver": {"id": "resp"}, "disclaimers": [said],
        "deployments": ["process"], "default_deployment": "process",
        "benchmark_clause": {
            "policy": "open", "text": "none", "source": "licence", "checked_on": "2026-11-20",
        },
    }  # fmt: skip
    before = digest_of(Manifest.model_validate(told))
    assert before == "77581f0d01cbc80d804ce71c8b4d3eabe415c308ff3ad86ed19f648e7a27348f"
    more = told | {"disclaimers": [said | {"when": {"keys_by_client": True}}]}
    assert digest_of(Manifest.model_validate(more)) != before
