"""An agent at work says that it is there."""

import signal
import time

from weighhouse_agent.supervisor.program import SELDOM_SECONDS
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, ended
from .protocol_server import Server


def test_an_agent_at_work_says_that_it_is_there_and_one_at_rest_seldom(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    began = time.monotonic()
    agent.start()
    claims = "POST /agent/v1/claims 200"
    until("it has asked for work for a while", lambda: server.platform.calls.count(claims) > 3)
    seldom = 1 + (time.monotonic() - began) / SELDOM_SECONDS
    assert len(server.platform.signed_at) <= seldom
    attempt = server.platform.offer(order(measure_seconds=60.0))
    until("it says that it is there", lambda: len(server.platform.signed_at) > 3)
    attempt.cancel = "graceful"
    until("the attempt ends", lambda: ended(attempt))
    assert agent.signal(signal.SIGTERM) == 0


def test_it_says_so_as_seldom_as_the_platform_asks(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    assert server.platform.timings.sign_seconds == 0.1
    server.platform.sign_pause_seconds, began = 0.5, time.monotonic()
    attempt = server.platform.offer(order(measure_seconds=60.0))
    agent.start()
    until("it says that it is there", lambda: len(server.platform.signed_at) > 4)
    attempt.cancel = "graceful"
    until("the attempt ends", lambda: ended(attempt))
    signed_at = server.platform.signed_at
    assert len(signed_at) <= (signed_at[-1] - began) / 0.5 + 2
    assert agent.signal(signal.SIGTERM) == 0
