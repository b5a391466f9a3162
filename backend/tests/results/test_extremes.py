"""Whatever number, text or list an agent sends: an answer that names the field, or figures that can
be read; never a fault of the platform. Each leaf of real documents is brought to each extreme.
"""

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements.models import Interval

from .laboratory import experiment
from .reports import START_US, interval, numbered, recorded, whole_run

NUMBERS = (
    -1, 0, 2**31, 2**62, -(2**63), 10**300, 1e308, float("inf"), float("nan"),
)  # fmt: skip
TEXTS = ("", "x" * 70_000, "\ud800", "2" * 400)
OTHERS: tuple[Any, ...] = (None, [[]], ["x"] * 20_000, {"x" * 400: 1})
SHOWN = ("", "/series", "/heat-map", "/spectrum")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Where the values of a document are; of a list the first alone."""
    yield path, value
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list) and value:
        yield from leaves(value[0], (*path, 0))


def brought(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value in one place."""
    made = copy.deepcopy(document)
    if not path:
        return value
    inner = made
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    return made


def extremes(document: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    for path, value in leaves(document):
        wanted = TEXTS if isinstance(value, str) else NUMBERS
        for one in (*(wanted if not isinstance(value, dict | list) else ()), *OTHERS):
            yield path, brought(document, path, one)


def kinds(events: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """One event of each kind."""
    return {event["kind"]: event for event in events}


@pytest.fixture
def order(laboratory):
    """A run that is under way; ended afterwards, so that the machine is free."""
    laboratory.campaign(experiment("extremes", repetitions=1))
    begun = laboratory.begin()
    yield begun
    failure = {"kind": "invalid", "message": "the test is over"}
    laboratory.complete(begun, 0, outcome="failed", failure=failure)


EVENT_KINDS = ("phase", "interval", "sample", "mark", "target", "memory", "phase_ended")


def post(laboratory, order, path: str, body: Any) -> Any:
    """As bytes: what JSON does not know is sent, too."""
    content = json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    return laboratory.attempt(order, "POST", path, content=content, headers=headers)


def held(answer: Any, path: tuple[Any, ...]) -> None:
    assert answer.status_code < 500, (path, answer.text)
    if answer.status_code == 422:
        said = answer.json()
        assert said.get("errors") or said["detail"], (path, said)
        assert len(answer.content) < 20_000, "an answer repeats little of what was sent"


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_no_event_is_a_fault_of_the_platform(laboratory, order, kind):
    event = kinds(whole_run())[kind]
    following, taken = 0, 0
    answer = post(laboratory, order, "events", {"events": [event | {"sequence": 2**31 - 1}]})
    following = answer.json()["next_sequence"]
    for path, changed in extremes(event):
        own = isinstance(changed, dict) and path != ("sequence",)
        sent = changed | {"sequence": following} if own else changed
        answer = post(laboratory, order, "events", {"events": [sent]})
        held(answer, path)
        if answer.status_code == 200:
            taken += answer.json()["next_sequence"] - following
            following = answer.json()["next_sequence"]
    assert taken > 0
    for shown in SHOWN:
        answer = laboratory.client.get(
            f"/api/v1/runs/{order['run_id']}{shown}", headers=laboratory.headers
        )
        assert answer.status_code < 500, answer.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("heartbeat", {"fence": 1, "phase": "load", "progress": 0.5, "next_sequence": 3,
                       "spool_bytes": 5, "sent_at_us": START_US,
                       "clock": {"offset_us": 1, "error_us": 2, "samples": 3}}),
        ("start", {"fence": 1}),
    ],
)  # fmt: skip
def test_no_call_of_an_attempt_is_a_fault_of_the_platform(laboratory, order, path, body):
    for place, changed in extremes(body):
        held(post(laboratory, order, path, changed), place)


def test_no_outcome_is_a_fault_of_the_platform(laboratory, order):
    body = {
        "fence": order["fence"], "outcome": "failed", "events_count": 0,
        "failure": {"kind": "database", "message": "m", "hint": "h", "log_lines": ["l"]},
    }  # fmt: skip
    refused = [(place, one) for place, one in extremes(body) if place[:1] != ("failure",)]
    for place, changed in refused:
        if changed != body:
            held(post(laboratory, order, "complete", changed), place)


def odd(values: list[int], digits: int) -> str:
    made = HdrHistogram(1, 60_000_000_000, digits)
    for value in values:
        made.record_value(value)
    return str(made.encode().decode())


def test_histograms_that_could_be_merged_with_nothing_are_refused_where_they_arrive(
    laboratory, order
):
    events = [
        {"kind": "interval", "interval": interval(0, {"read": {"ok": recorded([1000])}})},
        {"kind": "interval", "interval": interval(
            1, {"read": {"ok": {"count": 1, "response": odd([1000], 2)}}})},
    ]  # fmt: skip
    answer = post(laboratory, order, "events", {"events": numbered(events)})
    assert answer.status_code == 422
    assert "buckets of 2 digits" in answer.json()["detail"]


def test_histograms_from_before_that_do_not_fit_are_told_and_no_fault(laboratory, order):
    tick = {"kind": "interval", "interval": interval(0, {"read": {"ok": recorded([1000])}})}
    laboratory.send(order, numbered([tick]))
    with unit_of_work(laboratory.sessions) as session:
        (row,) = session.query(Interval).filter_by(attempt_id=order["attempt_id"]).all()
        broken = bytes(np.frombuffer(row.histograms, dtype=np.uint8) ^ 0x55)
        row.histograms = row.histograms[:8] + broken[8:]
    answer = laboratory.client.get(
        f"/api/v1/runs/{order['run_id']}/series", headers=laboratory.headers
    )
    assert answer.status_code == 409
    assert answer.json()["type"].endswith("results-unreadable")
