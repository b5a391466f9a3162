"""The agent with a plugin, a driver and a server as users have them."""

from collections.abc import Callable

from weighhouse_protocol.order import AttemptOrder
from weighhouse_testing.platform import until

from .conftest import RunningAgent, as_users_have_it, ended
from .protocol_server import Server


def test_redis_is_weighed(
    agent: RunningAgent, server: Server, order: Callable[..., AttemptOrder]
) -> None:
    agent.environment = as_users_have_it()
    wanted = order(system="redis", measure_seconds=1.0, load={"model": "closed", "clients": 4})
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it ends", lambda: ended(attempt))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    target = attempt.of_kind("target")[0]
    assert target["version"][0].isdigit()
    assert {"appendonly", "maxmemory", "save"} <= {
        setting["name"] for setting in target["effective_configuration"]
    }
    assert target["stream_hash"]
    way, _, reason = target["facts"]["versions"]["resp, input and output"].partition(": ")
    assert way == "epoll"
    assert reason
    reads = attempt.answered()
    assert sum(each["count"] for each in reads) > 100
    assert all(each["response"] for each in reads)
    memory = {each["moment"]: each["used_bytes"] for each in attempt.of_kind("memory")}
    assert memory["before"] < memory["after_load"]
    assert agent.processes() == []
