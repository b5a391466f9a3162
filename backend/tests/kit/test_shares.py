"""Whose request is worked on next, on a clock that the tests turn."""

import asyncio

import pytest
from weighhouse_backend.kit.at_rest import having, resting
from weighhouse_backend.kit.rates import TooManyRequests
from weighhouse_backend.kit.shares import Shares, Turn
from weighhouse_backend.kit.water_level import water_level

from backend.tests.kit.turns import ONE, OTHER, World, run


def test_the_level_is_what_nobody_may_go_beyond_so_that_all_fit():
    assert water_level([0.3, 4.0], 1.0) == pytest.approx(0.7)
    assert water_level([0.1, 0.2, 0.3], 1.0) == float("inf")
    assert water_level([1.0, 1.0, 1.0, 1.0], 1.0) == pytest.approx(0.25)
    assert water_level([0.05, 0.05, 0.05, 0.3], 1.0) == float("inf")
    assert water_level([], 1.0) == float("inf")


def test_who_is_alone_is_not_held_up():
    async def alone():
        world = World()
        for _ in range(8):
            world.ask(ONE)
        await world.passes()
        assert world.begun == [ONE] * 8
        world.ask(ONE)
        await world.passes(0.4)
        assert len(world.begun) == 8
        await world.passes(0.2)  # what takes long holds nobody up
        assert len(world.begun) == 9

    run(alone())


def test_whoever_asks_for_little_begins_at_once_and_the_other_waits_for_it():
    async def two():
        world = World()
        done, _ = await world.busy(ONE, 5.0)
        assert done > 600  # alone: four at a time, all of the time
        little = world.ask(OTHER)
        await world.passes()
        assert world.begun[-1] == OTHER
        # while it is under work, nobody of the other tenant begins, but for those that had begun
        seen = len(world.begun)
        await world.passes(0.2)
        assert len(world.begun) == seen
        little.set()
        done, _ = await world.busy(ONE, 5.0)
        assert 60 < done < 140, done  # about half of one at a time

    run(two())


def test_nobody_starves():
    async def two():
        world = World()
        world.ask(OTHER).set()
        await world.passes()
        await world.busy(ONE, 3.0)
        seen = world.begun.count(ONE)
        for _ in range(40):  # the other one has something under work all of the time
            held = world.ask(OTHER)
            await world.passes(0.1)
            held.set()
        assert world.begun.count(ONE) > seen

    run(two())


def test_somebody_modest_who_comes_with_several_at_once_is_not_held_back_for_it():
    async def several():
        world = World()
        world.ask(OTHER).set()
        await world.passes()
        _, left = await world.busy(ONE, 3.0, at_once=16)
        page = [world.ask(OTHER) for _ in range(6)]
        for one in page:
            await world.passes(0.03)
            one.set()
        await world.passes(0.05)
        assert world.begun.count(OTHER) == 7
        assert world.shares._over(world.now) == {ONE}
        for one in left:
            one.set()

    run(several())


async def beside(world, rounds, works):
    """One asks without end, another now and then for so long; who asks for too much, each time."""
    over = []
    for _ in range(rounds):
        _, left = await world.busy(ONE, 0.1 - works)
        little = world.ask(OTHER)
        await world.passes(works)
        over.append(world.shares._over(world.now))
        for one in (little, *left):
            one.set()
        await world.passes()
    return over


def test_who_begins_to_ask_without_end_is_known_at_once():
    async def begins():
        world = World()
        for _ in range(10):
            little = world.ask(OTHER)
            await world.passes(0.03)
            little.set()
            await world.passes(0.07)
        over = await beside(world, 8, works=0.03)
        assert over[-1] == {ONE}

    run(begins())


def test_who_asks_for_hardly_more_than_their_share_is_spared_where_another_asks_for_all():
    async def hardly_more():
        over = await beside(World(), 40, works=0.05)
        assert over[10:] == [{ONE}] * 30

    run(hardly_more())


def test_nobody_is_held_back_for_strangers_alone():
    async def strangers():
        world = World()
        world.ask(None, "203.0.113.7").set()
        await world.passes()
        done, _ = await world.busy(ONE, 3.0)
        assert done > 350
        assert not world.shares._over(world.now)

    run(strangers())


def test_strangers_in_a_hurry_are_held_back_for_whoever_is_known():
    async def strangers():
        world = World()
        world.ask(ONE).set()
        await world.passes()
        _, left = await world.busy(None, 3.0)
        assert world.shares._over(world.now) == {None}
        seen = len(world.begun)
        little = world.ask(ONE)
        await world.passes(0.2)
        assert world.begun[seen:].count(None) <= 1
        assert world.begun[seen:].count(ONE) == 1
        for one in (*left, little):
            one.set()

    run(strangers())


def test_those_of_one_tenant_take_turns():
    async def several():
        world = World()
        held = [world.ask(ONE, "hasty", "hasty") for _ in range(20)]
        quiet = world.ask(ONE, "quiet", "quiet")
        await world.passes()
        assert world.begun == ["hasty"] * 8
        held[0].set()
        held[1].set()
        await world.passes()
        assert "quiet" in world.begun
        quiet.set()

    run(several())


def test_a_fleet_and_people_take_turns():
    async def several():
        world = World()
        agents = [world.ask(ONE, f"agent {number}", "agent", "agents") for number in range(40)]
        person = world.ask(ONE, "person", "person")
        await world.passes()
        agents[0].set()
        agents[1].set()
        await world.passes()
        assert "person" in world.begun
        person.set()

    run(several())


def test_what_rests_is_not_under_work_and_nobody_waits_for_it():
    async def rests():
        world = World()
        woken = asyncio.Event()

        async def polls():
            turn = Turn(world.shares, ONE, "agents", "agent")
            await world.shares.enter(turn)
            with having(turn):
                async with resting():
                    await woken.wait()
                assert turn in world.shares._serving
            assert turn not in world.shares._serving

        many = [asyncio.create_task(polls()) for _ in range(100)]
        await world.passes(30.0)
        assert not world.shares._serving
        world.ask(ONE)
        await world.passes()
        assert world.begun == [ONE]
        woken.set()
        await world.passes(0.1)
        assert all(one.done() and one.exception() is None for one in many)

    run(rests())


def test_a_task_that_waits_while_another_waits_for_its_turn_leaves_nothing_behind():
    async def rests():
        world = World()
        turn = Turn(world.shares, ONE, "people", "reader")
        await world.shares.enter(turn)
        sent, heard = asyncio.Event(), asyncio.Event()

        async def wait_for(event):
            async with resting():
                await event.wait()

        with having(turn):
            sender = asyncio.create_task(wait_for(sent))
            await world.passes()
            others = [world.ask(ONE) for _ in range(8)]
            await world.passes()
            sent.set()
            await world.passes()  # the sender waits for its turn
            producer = asyncio.create_task(wait_for(heard))
            await world.passes()
            others[0].set()
            await world.passes()
            assert sender.done()
            assert turn not in world.shares._serving  # the producer waits still
            heard.set()
            await world.passes()
            for one in others:
                one.set()
            await world.passes()
            assert producer.done()
            assert turn in world.shares._serving
        assert not world.shares._serving
        assert world.shares._uses[ONE].serving == 0
        await world.passes(11.0)
        world.shares._over(world.now)
        assert not world.shares._uses

    run(rests())


def test_a_request_rests_until_the_last_of_its_tasks_goes_on():
    async def rests():
        world = World()
        sent, heard = asyncio.Event(), asyncio.Event()

        async def wait_for(event):
            async with resting():
                await event.wait()

        async def streams():
            turn = Turn(world.shares, ONE, "people", "reader")
            await world.shares.enter(turn)
            with having(turn):
                await asyncio.gather(wait_for(sent), wait_for(heard))
                assert turn in world.shares._serving

        task = asyncio.create_task(streams())
        await world.passes(1.0)
        sent.set()
        await world.passes(5.0)
        assert not world.shares._serving
        heard.set()
        await world.passes()
        assert task.done()
        assert task.exception() is None
        assert not world.shares._serving

    run(rests())


def test_a_request_that_goes_away_while_it_waits_leaves_nothing_behind():
    async def goes():
        world = World()
        held = [world.ask(ONE) for _ in range(8)]
        waits = world.ask(ONE)
        await world.passes()
        world.tasks[-1].cancel()
        held[0].set()
        await world.passes()
        assert world.shares.waiting == 0
        assert len(world.shares._serving) == 7
        for one in (*held, waits):
            one.set()
        await world.passes(31.0)
        assert not world.shares._serving
        assert not world.shares._over(world.now)
        assert not world.shares._uses

    run(goes())


def test_too_many_that_wait_are_told_to_come_again():
    async def too_many():
        world = World()
        for _ in range(8 + 64):
            world.ask(ONE)
        await world.passes()
        with pytest.raises(TooManyRequests) as refused:
            await world.shares.enter(Turn(world.shares, ONE, "people", "somebody"))
        assert refused.value.headers["Retry-After"] == "2"
        for number in range(2000):
            world.ask(ONE, f"caller {number}")  # whoever has none waiting may wait
        await world.passes()
        assert world.shares.waiting == 64 + 2000
        with pytest.raises(TooManyRequests):
            await world.shares.enter(Turn(world.shares, ONE, "people", "caller 7"))
        await world.shares.enter(Turn(world.shares, OTHER, "people", "somebody"))
        for task in world.tasks:
            task.cancel()

    run(too_many())


def test_who_waited_too_long_is_told_to_come_again():
    async def too_long():
        shares = Shares(wait_seconds=0.0)
        turns = [Turn(shares, ONE, "people", "somebody") for _ in range(9)]
        for turn in turns[:8]:
            await shares.enter(turn)
        with pytest.raises(TooManyRequests):
            await shares.enter(turns[8])
        assert shares.waiting == 0

    run(too_long())
