"""A Redis that a test may kill."""

import subprocess
from dataclasses import dataclass

from redis import Redis
from redis.exceptions import RedisError
from weighhouse_cli.embedded.binaries import redis_server as redis_binary

from weighhouse_testing.waits import until


@dataclass
class OwnRedis:
    """A Redis that a test may kill and start again on the same port."""

    port: int
    process: subprocess.Popen[bytes] | None = None
    program: str = ""
    """A relative's; empty: Redis' own."""

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        self.process = subprocess.Popen(
            [self.program or str(redis_binary()), "--port", str(self.port), "--bind", "127.0.0.1",
             "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        client = Redis(port=self.port)
        until("Redis answers", lambda: _answers(client))
        client.close()

    def kill(self) -> None:
        """Kill it as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(timeout=120)


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except (RedisError, OSError):
        return False
