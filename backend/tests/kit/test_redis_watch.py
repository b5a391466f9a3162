"""A Redis that answers and takes nothing."""

from redis import Redis
from weighhouse_backend.app.redis_watch import RedisWatch
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_backend.kit.signs import give_sign
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.own_redis import OwnRedis


def test_one_that_takes_no_writes_is_named_and_no_worker_is_blamed() -> None:
    server, conditions = OwnRedis(free_port()), Conditions()
    server.start()
    client = Redis(port=server.port)
    watch = RedisWatch(f"redis://127.0.0.1:{server.port}/0", conditions)
    try:
        give_sign(client, "worker")
        watch.look()
        assert not conditions.told()
        client.replicaof("127.0.0.1", "1")
        watch.look()
        assert [(one.name, one.detail) for one in conditions.told()] == [
            ("redis-away", "Redis takes no writes")
        ]
        client.replicaof("NO", "ONE")
        watch.look()
        assert not conditions.told()
    finally:
        watch.close()
        client.close()
        server.kill()
