"""Events become visible in the order of their ids, or a reader who goes on would miss some."""

import threading
from uuid import UUID

import pytest
from sqlalchemy import text
from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.runs.errors import TransitionRefused
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_testing.waits import PATIENCE_SECONDS, until
from weighhouse_testing.world import World


def waiting_for_locks(world: World) -> int:
    """Transactions of this database that wait for another's lock."""
    asked = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    with world.sessions() as session:
        return int(session.scalar(asked) or 0)


def test_a_later_event_waits_for_an_earlier_transaction(world: World) -> None:
    campaign_id = world.start()
    inside, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def slow() -> None:
        with world.transaction() as services:
            campaign = services.get(CampaignRepository).lock_campaign(campaign_id)
            assert campaign is not None
            services.get(Outbox).campaign(campaign)
            inside.set()
            assert go_on.wait(PATIENCE_SECONDS)

    def quick() -> None:
        with world.transaction() as services:
            services.get(CampaignService).pause(world.caller, campaign_id)
        done.set()

    first, second = threading.Thread(target=slow), threading.Thread(target=quick)
    first.start()
    assert inside.wait(PATIENCE_SECONDS)
    second.start()
    before = [event.id for event in world.events(campaign_id)]
    until("it waits for the campaign's lock", lambda: waiting_for_locks(world))
    assert not done.is_set()
    go_on.set()
    first.join()
    second.join()

    after = [event.id for event in world.events(campaign_id)]
    assert after[: len(before)] == before
    assert len(after) == len(before) + 2


def pause_and_change_ones_mind(world: World, campaign_id: UUID) -> None:
    with world.transaction() as services:
        services.get(CampaignService).pause(world.caller, campaign_id)
        services.get(CampaignService).cancel(world.caller, campaign_id)
        services.get(CampaignService).pause(world.caller, campaign_id)


def test_what_is_rolled_back_is_never_told(world: World) -> None:
    campaign_id = world.start()
    before = len(world.events(campaign_id))
    heard = world.redis.pubsub()
    heard.subscribe(f"campaign:{campaign_id}")
    assert heard.get_message(timeout=PATIENCE_SECONDS)["type"] == "subscribe"

    with pytest.raises(TransitionRefused):
        pause_and_change_ones_mind(world, campaign_id)
    with world.transaction() as services:
        services.get(CampaignService).pause(world.caller, campaign_id)

    assert len(world.events(campaign_id)) == before + 1
    assert heard.get_message(timeout=PATIENCE_SECONDS)["type"] == "message"
    world.redis.publish(f"campaign:{campaign_id}", "the last")
    assert heard.get_message(timeout=PATIENCE_SECONDS)["data"] == b"the last"
    heard.close()


def test_every_change_of_a_run_is_told_with_what_people_see(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    order = world.take(agent)
    world.beat(order, "load")
    world.beat(order, "load")
    world.beat(order, "measure")
    world.end(order)
    world.settle(order.run_id)

    told = [
        (event.data["status"], event.data["phase"])
        for event in world.events(campaign_id)
        if event.kind == "run"
    ]
    assert told == [
        ("allocated", None), ("running", None), ("running", "load"), ("running", "measure"),
        ("settling", "measure"), ("completed", None),
    ]  # fmt: skip
    progress = [event.data for event in world.events(campaign_id) if event.kind == "progress"]
    assert progress[-1]["runs"]["completed"] == 1
    statuses = [e.data["status"] for e in world.events(campaign_id) if e.kind == "campaign"]
    assert statuses == ["queued", "running", "settling"]
