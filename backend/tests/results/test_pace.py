"""How long agents gather events, by how many of them send."""

import heapq
import random

import pytest
from weighhouse_backend.results.ingestion import (
    BATCHES_A_SECOND,
    MOST_PAUSE_SECONDS,
    batches_pace,
)

from .laboratory import experiment
from .reports import whole_run

CAN = 120.0
"""Batches a second that a process can take in."""


def sent(agents, processes=1, seconds=200.0, leave_at=None, can=CAN):
    """So many agents send to some processes, whichever a proxy chooses; all but one leave.

    :returns: by process, when a batch came and how long its sender was told to gather the next.
    """
    draw, now = random.Random(agents), [0.0]
    paces = [batches_pace(lambda: now[0]) for _ in range(processes)]
    free, came = [0.0] * processes, [[] for _ in range(processes)]
    due = [(draw.random(), agent) for agent in range(agents)]
    heapq.heapify(due)
    while due[0][0] < seconds:
        at, agent = heapq.heappop(due)
        if leave_at is not None and at > leave_at and agent:
            continue
        process = draw.randrange(processes)
        now[0] = max(at, free[process])
        free[process] = now[0] + 1 / can
        pause = paces[process].take(now[0] - at) or 1.0
        came[process].append((now[0], pause))
        heapq.heappush(due, (free[process] + pause, agent))
    return came


def at_the_end(came, seconds=40.0):
    """Batches a second, and the pause in the middle of those told last."""
    last = [(at, pause) for at, pause in came if at >= came[-1][0] - seconds]
    return len(last) / seconds, sorted(pause for _, pause in last)[len(last) // 2]


@pytest.mark.parametrize("agents", [1, 10, 39])
def test_few_send_as_they_would(agents):
    assert {pause for each in sent(agents) for _, pause in each} == {1.0}


@pytest.mark.parametrize(("agents", "processes"), [(60, 1), (150, 1), (390, 1), (300, 2), (800, 4)])
def test_many_send_as_seldom_as_one_process_takes_them_in(agents, processes):
    ends = [at_the_end(came) for came in sent(agents, processes)]
    assert all(often == pytest.approx(BATCHES_A_SECOND, rel=0.1) for often, _ in ends)
    pause = sum(pause for _, pause in ends) / processes
    assert pause == pytest.approx(agents / processes / BATCHES_A_SECOND, rel=0.1)


@pytest.mark.parametrize("agents", [60, 200, 300])
def test_a_process_that_can_hardly_do_so_much_asks_them_to_wait(agents):
    """Others take of its time, so that no more come than it wants: they wait, and that tells it."""
    (came,) = sent(agents, can=0.9 * BATCHES_A_SECOND)
    often, pause = at_the_end(came)
    assert pause > 1.0
    assert agents / often - pause < 2.0, "each is answered within so long: Little's law"


def test_more_than_that_send_as_seldom_as_they_may():
    ((*_, last),) = sent(2000)
    assert last[1] == MOST_PAUSE_SECONDS


def test_who_is_left_sends_as_before():
    (came,) = sent(390, leave_at=100.0)
    assert at_the_end([each for each in came if each[0] < 100.0])[1] > 5
    assert at_the_end(came)[1] == 1.0


def test_the_answer_tells_it(laboratory):
    laboratory.campaign(experiment("paced"))
    order, events = laboratory.begin(), whole_run()
    answer = laboratory.attempt(order, "POST", "events", json={"events": events})
    assert answer.json() == {"next_sequence": len(events), "pause_seconds": None}
    now = [0.0]
    laboratory.client.app.state.batches_pace = pace = batches_pace(lambda: now[0])
    for _ in range(int(10 * BATCHES_A_SECOND)):
        now[0] += 0.5 / BATCHES_A_SECOND
        pace.take()
    told = laboratory.attempt(order, "POST", "events", json={"events": events}).json()
    assert told["next_sequence"] == len(events)
    assert 1.4 < told["pause_seconds"] <= MOST_PAUSE_SECONDS
    laboratory.complete(order, len(events))
    laboratory.settle(order["run_id"])
