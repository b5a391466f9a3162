"""What attempts report is stored once, in order, whatever is repeated or lost on the way."""

import hashlib
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements.models import Interval
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_testing.waits import PATIENCE_SECONDS

from .laboratory import experiment
from .reports import histogram, interval, latencies, numbered, raw, recorded, whole_run


@pytest.fixture
def order(laboratory):
    """A run that is under way; ended afterwards, so that the machine is free."""
    laboratory.campaign(experiment("events", repetitions=1))
    begun = laboratory.begin()
    yield begun
    failure = {"kind": "invalid", "message": "the test is over"}
    laboratory.complete(begun, 0, outcome="failed", failure=failure)


def stored(laboratory, order):
    with unit_of_work(laboratory.sessions) as session:
        return session.scalars(
            select(Interval.sequence)
            .where(Interval.attempt_id == order["attempt_id"])
            .order_by(Interval.sequence)
        ).all()


def ticks(count, first=0):
    made = [
        {"kind": "interval", "interval": interval(n, {"read": {"ok": recorded([1000 + n])}})}
        for n in range(first, first + count)
    ]
    return numbered(made, first)


def test_events_are_stored_and_the_next_one_is_asked_for(laboratory, order):
    assert laboratory.send(order, ticks(3)) == 3
    assert stored(laboratory, order) == [0, 1, 2]


def test_a_repeated_batch_changes_nothing(laboratory, order):
    laboratory.send(order, ticks(3))
    assert laboratory.send(order, ticks(3)) == 3
    assert laboratory.send(order, ticks(5)) == 5
    assert stored(laboratory, order) == [0, 1, 2, 3, 4]


def test_after_a_gap_nothing_is_stored_and_the_missing_one_is_named(laboratory, order):
    laboratory.send(order, ticks(2))
    assert laboratory.send(order, ticks(3, first=5)) == 2
    batch = [*ticks(1, first=2), *ticks(2, first=4)]
    assert laboratory.send(order, batch) == 3
    assert stored(laboratory, order) == [0, 1, 2]


def test_any_delivery_that_ends_complete_stores_each_event_once(laboratory, order):
    events = whole_run(seconds=4)
    luck = random.Random(5)
    expected = 0
    while expected < len(events):
        first = luck.randint(max(0, expected - 4), min(len(events) - 1, expected + 2))
        batch = events[first : first + luck.randint(1, 6)]
        luck.shuffle(batch)
        expected = laboratory.send(order, batch)
    assert expected == len(events)
    with unit_of_work(laboratory.sessions) as session:
        count = session.scalar(
            select(func.count()).where(Interval.attempt_id == order["attempt_id"])
        )
        intervals = ResultRepository(session).intervals(order["attempt_id"])
    assert count == 6
    assert sum(one.operations["read"]["ok"].count for one in intervals[2:]) == 400


def test_the_same_batch_sent_at_once_is_stored_once(laboratory, order):
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: laboratory.send(order, ticks(20)), range(6)))
    assert set(answers) == {20}
    assert stored(laboratory, order) == list(range(20))


def test_histograms_are_kept_as_given(laboratory, order):
    values = latencies(3, 100)
    operations = {
        "read": {
            "ok": {"count": 100, "response": histogram(values), "service": histogram([1, 2]),
                   "overflow": 2},
            "not_found": recorded([5000]),
            "errors": {"timeout": recorded([9000, 9500])},
        }
    }  # fmt: skip
    driver = {"cpu_us": 7, "lag": histogram([11, 12, 13]), "saturated": True, "in_flight_max": 3}
    made = interval(0, operations, driver=driver)
    laboratory.send(order, numbered([{"kind": "interval", "interval": made}]))
    with unit_of_work(laboratory.sessions) as session:
        (kept,) = ResultRepository(session).intervals(order["attempt_id"])
    read = kept.operations["read"]
    assert read["ok"].response == raw(histogram(values))
    assert (read["ok"].count, read["ok"].overflow) == (100, 2)
    assert Histogram.merged([read["ok"].service or b""]).total == 2
    assert read["error:timeout"].count == 2
    assert kept.lag == raw(histogram([11, 12, 13]))
    assert kept.start_us == made["start_us"]
    assert (kept.driver.saturated, kept.driver.in_flight_max) == (True, 3)


def test_the_latest_interval_is_told_to_whoever_watches(laboratory, order):
    heard = []
    from_app = laboratory.client.app.state.redis
    channel = f"campaign:{order['campaign_id']}"
    listener = from_app.pubsub()
    listener.subscribe(channel)
    listener.get_message(timeout=PATIENCE_SECONDS)
    laboratory.send(order, ticks(3))
    while not heard:
        message = listener.get_message(timeout=PATIENCE_SECONDS)
        assert message is not None
        if b'"live"' in message["data"]:
            heard.append(message["data"])
    listener.close()
    assert order["run_id"].encode() in heard[0]
    assert b'"p99_us"' in heard[0]


def test_a_histogram_that_is_not_base64_is_refused(laboratory, order):
    bad = interval(0, {"read": {"ok": {"count": 1, "response": "!!"}}})
    answer = laboratory.attempt(
        order, "POST", "events",
        json={"events": numbered([{"kind": "interval", "interval": bad}])},
    )  # fmt: skip
    assert answer.status_code == 422
    assert answer.json()["type"].endswith("events-invalid")


def test_only_the_attempts_own_token_gets_in(laboratory, order):
    headers = {"Authorization": "Bearer wht_wrong"}
    for token in (headers, laboratory.agent, laboratory.headers):
        answer = laboratory.client.post(
            f"/agent/v1/attempts/{order['attempt_id']}/events",
            json={"events": ticks(1)}, headers=token,
        )  # fmt: skip
        assert answer.status_code == 401


def test_a_log_grows_piece_by_piece(laboratory, order):
    def put(offset, data):
        return laboratory.attempt(
            order, "PUT", f"logs/driver?offset={offset}", content=data,
            headers={"Content-Type": "application/octet-stream"},
        )  # fmt: skip

    assert put(0, b"first ").json() == {"next_offset": 6}
    assert put(0, b"first ").json() == {"next_offset": 6}
    gap = put(20, b"later")
    assert gap.status_code == 416
    assert gap.headers["Upload-Offset"] == "6"
    overlapping = put(3, b"st second")
    assert overlapping.status_code == 202
    assert overlapping.json() == {"next_offset": 12}
    state = laboratory.attempt(order, "GET", "").json()
    assert state["log_offsets"] == {"driver": 12}
    text = laboratory.client.get(
        f"/api/v1/runs/{order['run_id']}/logs/driver", headers=laboratory.headers
    )
    assert text.text == "first second"
    assert text.headers["Next-Offset"] == "12"
    for offset, rest in ((6, "second"), (8, "cond"), (12, ""), (99, "")):
        found = laboratory.client.get(
            f"/api/v1/runs/{order['run_id']}/logs/driver?offset={offset}",
            headers=laboratory.headers,
        )
        assert found.text == rest
        assert found.headers["Next-Offset"] == str(offset + len(rest))
    missing = laboratory.client.get(
        f"/api/v1/runs/{order['run_id']}/logs/server", headers=laboratory.headers
    )
    assert missing.status_code == 404
    assert put(12, b"x" * (1024 * 1024 + 1)).status_code == 413


def test_a_file_lies_under_its_hash(laboratory, order, tenants):
    content = b'{"a": 1}'
    sha = hashlib.sha256(content).hexdigest()
    path = f"artifacts/{sha}"
    assert laboratory.attempt(order, "HEAD", path).status_code == 404

    def put(data):
        return laboratory.attempt(
            order, "PUT", f"{path}?name=facts.json", content=data,
            headers={"Content-Type": "application/json"},
        )  # fmt: skip

    assert put(b"other").status_code == 422
    assert put(content).status_code == 201
    assert put(content).status_code == 200
    assert laboratory.attempt(order, "HEAD", path).status_code == 200
    address = f"/api/v1/runs/{order['run_id']}/{path}"
    assert laboratory.client.get(address, headers=laboratory.headers).content == content
    assert laboratory.client.get(address, headers=tenants[1].headers).status_code == 404
    assert laboratory.attempt(order, "PUT", "artifacts/short", content=b"").status_code == 422
