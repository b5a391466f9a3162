"""The kit: transactions, what follows them, logs without secrets, entity tags, keys."""

import datetime
import threading
from uuid import UUID

import pytest
from sqlalchemy import text
from weighhouse_backend.kit.etags import Changed, etag, require_match
from weighhouse_backend.kit.events import RedisEvents, make_redis
from weighhouse_backend.kit.idempotency import KeyReused, claim, settle
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.jobs import CeleryJobs, make_celery
from weighhouse_backend.kit.unit_of_work import after_commit, unit_of_work
from weighhouse_protocol.masks import masked
from weighhouse_testing.waits import PATIENCE_SECONDS

NOW = datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC)


def test_ids_are_in_order_of_time():
    made = [new_id() for _ in range(1000)]
    assert made == sorted(made)
    assert {one.version for one in made} == {7}


def test_what_follows_a_commit_does_not_follow_a_rollback(session_factory):
    done = []
    with unit_of_work(session_factory) as session:
        after_commit(session, lambda: done.append("committed"))
        session.execute(text("SELECT 1"))
        assert done == []
    assert done == ["committed"]

    def fail():
        with unit_of_work(session_factory) as session:
            after_commit(session, lambda: done.append("never"))
            session.execute(text("SELECT 1 / 0"))

    with pytest.raises(Exception, match="division by zero"):
        fail()
    assert done == ["committed"]


def test_a_broker_that_is_away_fails_nobody(session_factory):
    nowhere = "redis://127.0.0.1:1/0"
    with unit_of_work(session_factory) as session:
        CeleryJobs(make_celery(nowhere), session).send("campaigns.allocate")
        RedisEvents(make_redis(nowhere), session).publish("c", 1, "run", {})
        session.execute(text("SELECT 1"))


def test_events_reach_whoever_listens(session_factory, redis_server):
    with make_redis(redis_server) as client, client.pubsub() as listener:
        listener.subscribe("c")
        listener.get_message(timeout=PATIENCE_SECONDS)
        with unit_of_work(session_factory) as session:
            RedisEvents(client, session).publish("c", 7, "run", {"id": new_id()})
        message = listener.get_message(timeout=PATIENCE_SECONDS)
    assert message is not None
    assert b'"id": 7' in message["data"]


@pytest.mark.parametrize(
    ("shown", "hidden"),
    [
        ("Bearer whp_abcdefghijklmnop", "abcdefghijklmnop"),
        ("postgresql+psycopg://user:hunter22@127.0.0.1/db", "hunter22"),
        ("redis://:hunter22@127.0.0.1", "hunter22"),
        ("a webhook signs with whsec_qU/x+abcdefghijklmnop=", "abcdefghijklmnop"),
    ],
)
def test_logs_hold_no_secret(shown, hidden):
    assert hidden not in masked(shown)


def test_masking_looks_at_no_letter_of_a_strangers_path_twice():
    """A way that begins anew at each address would not come back from this one."""
    path = "/" + "://:" * 250_000
    assert masked(path) == path


def test_nobody_overwrites_what_they_have_not_seen():
    require_match(None, etag(3))
    require_match('"3"', etag(3))
    require_match("*", etag(3))
    with pytest.raises(Changed):
        require_match('"2"', etag(3))


def test_a_repeated_key_gives_what_it_made_before(session_factory):
    made = new_id()
    with unit_of_work(session_factory) as session:
        assert claim(session, "s", "k", "hash", NOW) is None
        settle(session, "s", "k", made)
    with unit_of_work(session_factory) as session:
        assert claim(session, "s", "k", "hash", NOW) == made
        assert claim(session, "other caller", "k", "hash", NOW) is None
        with pytest.raises(KeyReused):
            claim(session, "s", "k", "another body", NOW)


def test_two_at_once_with_one_key_make_one_thing(session_factory):
    made = new_id()
    found: list[UUID | None] = []
    with unit_of_work(session_factory) as session:
        assert claim(session, "s", "both", "hash", NOW) is None

        def second():
            with unit_of_work(session_factory) as other:
                found.append(claim(other, "s", "both", "hash", NOW))

        thread = threading.Thread(target=second)
        thread.start()
        settle(session, "s", "both", made)
        session.flush()
        assert found == [], "the second waits for the first"
    thread.join(120)
    assert found == [made]
