"""Hashes and differences of stored documents."""

import json
from typing import Any

from weighhouse_backend.experiments.content import Change, changes, content_hash, stored_form
from weighhouse_protocol.experiment import Experiment

BASE: dict[str, Any] = {
    "slug": "content",
    "name": "Content",
    "targets": [
        {"name": "redis", "system": "redis", "parameters": {"appendonly": True}},
        {"name": "memcached", "system": "memcached"},
    ],
    "workloads": [{"name": "reads", "operations": {"read": 1.0}}],
    "load_levels": [{"model": "closed", "clients": 1}, {"model": "open", "rate_per_second": 500}],
}


def stored(**changed: Any) -> dict[str, Any]:
    return stored_form(Experiment.model_validate(BASE | changed))


def test_a_stored_document_is_complete_and_reads_back_equal() -> None:
    document = stored()

    assert document["phases"]["measure_seconds"] == 30.0
    assert Experiment.model_validate(document) == Experiment.model_validate(BASE)


def test_the_hash_knows_content_only() -> None:
    document = stored()
    turned = json.loads(json.dumps(dict(reversed(document.items()))))

    assert content_hash(document) == content_hash(turned)
    assert content_hash(document) != content_hash(stored(repetitions=6))
    assert content_hash(document) == content_hash(stored(repetitions=5))  # the default, spelled out


def test_a_document_of_before_keeps_its_hash() -> None:
    document = stored()
    before = {name: part for name, part in document.items() if name != "gate"}
    before["thresholds"] = {
        name: value for name, value in document["thresholds"].items() if name != "anchor_percent"
    }
    before["targets"] = [
        {name: value for name, value in target.items() if name != "edition"}
        for target in document["targets"]
    ]
    before["disclosure"] = {
        name: value
        for name, value in document["disclosure"].items()
        if name not in {"conflicts", "hosting"}
    }

    assert content_hash(document) == content_hash(before)
    said = {"systems": [{"system": "redis", "tuning_effort": "a day"}]}
    assert content_hash(stored(disclosure=said)) != content_hash(
        stored(disclosure={"systems": [{"system": "redis"}]})
    )
    assert content_hash(stored(gate={"base": "branch:main"})) != content_hash(before)
    assert content_hash(stored(thresholds={"anchor_percent": 5})) != content_hash(before)


def test_nothing_differs_from_itself() -> None:
    assert changes(stored(), stored()) == []


def test_a_field_deep_inside_is_named_by_its_target() -> None:
    targets = [
        {"name": "redis", "system": "redis", "parameters": {"appendonly": False, "io_threads": 2}},
        BASE["targets"][1],
    ]

    assert changes(stored(), stored(targets=targets)) == [
        Change("targets[redis].parameters.appendonly", True, False),
        Change("targets[redis].parameters.io_threads", None, 2),
    ]


def test_elements_are_matched_by_name_not_by_place() -> None:
    turned = list(reversed(BASE["targets"]))

    assert changes(stored(), stored(targets=turned)) == []
    gone = changes(stored(), stored(targets=turned[:1]))
    assert [(change.path, change.after) for change in gone] == [("targets[redis]", None)]


def test_load_levels_are_told_by_what_they_say() -> None:
    levels = [{"model": "closed", "clients": 2}, BASE["load_levels"][1]]

    found = changes(stored(), stored(load_levels=levels))

    assert len(found) == 2
    assert found[0].after is None
    assert found[0].before["clients"] == 1
    assert found[1].before is None
    assert found[1].after["clients"] == 2
