"""What servers say of what they do not take is told at every place where a run's failure is."""

import pytest
from weighhouse_backend.catalog.service import digest_of
from weighhouse_backend.results.causes import hint_of
from weighhouse_backend.results.failures import failures_of
from weighhouse_backend.results.run_service import logs_in_words
from weighhouse_backend.results.schemas import PhaseRecord
from weighhouse_testing.configurations import manifest

from .laboratory import experiment
from .reports import ended, interval, latencies, numbered, recorded, whole_run

READONLY = "READONLY You can't write against a read only replica."
NOPERM = "NOPERM User default has no permissions to run the 'hset' command"
AT = 1_795_000_003_000_000


def failing(words: str, kind: str, *, of: int, earlier: str | None = None):
    """A run of 600 operations, of which so many updates failed in a way, by two drivers' words."""
    events = [{key: one[key] for key in one if key != "sequence"} for one in whole_run()]
    place = next(at for at, one in enumerate(events) if one["kind"] == "phase_ended"
                 and one["phase"] == "measure")  # fmt: skip
    errors = {"update": {"errors": {kind: recorded(latencies(5, of))}}}
    told = [{"operation": "update", "kind": kind, "count": of,
             "first": {"at_us": AT, "words": words}}]  # fmt: skip
    events[place:place] = [{"kind": "interval", "interval": interval(5, errors)}]
    counts = {"read": {"ok": 300}, "update": {"ok": 300, "errors": of}}
    events[place + 1] = ended("measure", counts, duration_us=4_000_000, failed=told)
    return numbered([{key: one[key] for key in one if key != "at_us" or one["kind"] == "sample"}
                     for one in events])  # fmt: skip


def refusing(words: str):
    """A load that nobody took."""
    errors = {"insert": {"errors": {"refused": recorded(latencies(5, 50))}}}
    told = [{"operation": "insert", "kind": "refused", "count": 50,
             "first": {"at_us": AT, "words": words}}]  # fmt: skip
    read = {"read": {"not_found": recorded(latencies(6, 50))}}
    return numbered([
        {"kind": "phase", "phase": "load"},
        {"kind": "interval", "interval": interval(0, errors, phase="load", index=0)},
        ended("load", {"insert": {"ok": 0, "errors": 50}}, failed=told),
        {"kind": "phase", "phase": "measure"},
        {"kind": "interval", "interval": interval(2, read)},
        ended("measure", {"read": {"not_found": 50}}),
    ])  # fmt: skip


@pytest.fixture(scope="module")
def run_of(laboratory):
    """Carries out a run, and reads it."""

    def carried_out(slug, events):
        targets = [{"name": "redis", "system": "redis"}]
        asked = experiment(slug, targets=targets, repetitions=1)
        campaign = laboratory.carry_out(asked, lambda order: events)
        listed = laboratory.get(f"/runs?campaign_id={campaign}")["items"]
        return laboratory.get(f"/runs/{listed[0]['id']}")

    return carried_out


def test_a_run_that_failed_tells_the_words_their_time_and_what_mends_it(run_of):
    run = run_of("refused", refusing(READONLY))
    assert run["status"] == "failed"
    assert READONLY in run["failure"]["message"]
    assert run["failure"]["hint"] == "It is a replica: name the primary's endpoint."
    (errors,) = run["errors"]
    assert errors == {
        "phase": "load", "operation": "insert", "kind": "refused", "count": 50, "words": READONLY,
        "at": "2026-11-18T11:06:43Z",
    }  # fmt: skip


def test_a_finding_about_errors_quotes_the_server(run_of, laboratory):
    run = run_of("some", failing(NOPERM, "refused", of=20))
    assert run["status"] == "completed"
    assert [(one["phase"], one["kind"], one["words"]) for one in run["errors"]] == [
        ("measure", "refused", NOPERM)
    ]
    (found,) = [one for one in run["findings"] if one["id"] == "errors"]
    assert f"20 × update, refused: “{NOPERM}”." in found["message"]


def phase(at: int, words: str, *, of: int, operation: str = "update", **more):
    told = {"operation": operation, "kind": "refused", "count": of,
            "first": {"at_us": AT + at, "words": words}}  # fmt: skip
    return PhaseRecord.model_validate(
        {"phase": "measure", "duration_us": 1, "failed": [told]} | more
    )


def test_of_several_drivers_the_earliest_words_are_told():
    told = failures_of([phase(2, "later", of=3), phase(1, "first", of=4), phase(3, "last", of=5)])
    assert [(one.count, one.words) for one in told] == [(12, "first")]
    apart = failures_of([phase(2, "a", of=3), phase(1, "b", of=4, operation="read")])
    assert [(one.operation, one.words) for one in apart] == [("read", "b"), ("update", "a")]


def test_an_agent_from_before_told_of_all_operations_together():
    said = {"full": {"at_us": AT, "words": "OOM"}}
    told = failures_of([PhaseRecord.model_validate({
        "phase": "load", "duration_us": 1, "errors": {"full": 7, "timeout": 9}, "said": said,
    })])  # fmt: skip
    assert [(one.operation, one.kind, one.count, one.words) for one in told] == [
        (None, "timeout", 9, None), (None, "full", 7, "OOM"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("system", "kind", "words", "hint"),
    [
        ("redis", "refused", READONLY, "It is a replica: name the primary's endpoint."),
        (
            "valkey",
            "refused",
            "MISCONF Redis is configured to save",
            "It cannot write",
        ),
        (
            "mongodb",
            "refused",
            "Command failed (NotWritablePrimary): not primary",
            "It is a secondary",
        ),
        ("cassandra", "refused", "User x has no MODIFY permission", "The server does not take it"),
        (
            "memcached",
            "too_large",
            "SERVER_ERROR object too large for cache",
            "The server takes no records",
        ),
        (
            "memcached",
            "full",
            "SERVER_ERROR out of memory storing object",
            "The server has no room",
        ),
        ("garnet", "other", "MOVED 866 127.0.0.1:7001", "It is a cluster"),
        ("redis", "connection", None, "Connections were refused or lost"),
        ("redis", "other", "THE ROOMS ARE LOADED", "Look at the server's log."),
        # Another system's words mean nothing.
        ("memcached", "refused", READONLY, "The server does not take it"),
    ],
)
def test_a_hint_belongs_to_its_cause(system, kind, words, hint):
    assert hint_of(kind, words, manifest(system).causes).startswith(hint)


def test_a_manifest_from_before_it_told_causes_goes_on():
    assert hint_of("refused", READONLY).startswith("The server does not take it")
    assert digest_of(manifest("rocksdb")) == digest_of(
        manifest("rocksdb").model_copy(update={"causes": ()})
    )
    assert "causes" not in {*manifest("rocksdb").model_fields_set}


def test_a_log_that_is_not_there_says_which_there_are():
    assert logs_in_words({}, 0) == ": it has no logs"
    assert logs_in_words({0: ["driver", "node-0"]}, 0) == "; there are: driver, node-0"
    assert logs_in_words({0: ["driver"], 1: ["node-0"]}, 1) == (
        "; there are: of member 0: driver; of member 1: node-0"
    )
