"""The campaigns that are disturbed: short runs on one agent, and gangs of three by turns."""

import yaml
from weighhouse_testing.experiments import small_experiment

SYSTEM = "memcached"
"""It bears a clock that is moved; a Redis server does not start under one."""
GANGS_EVERY = 2


def experiment_of(number: int) -> str:
    """A round's experiment: every second one has a server and two drivers on three agents."""
    alone = small_experiment(
        f"chaos-{number}", SYSTEM, clients=(2, 4), repetitions=2, measure_seconds=2.0
    )
    if number % GANGS_EVERY:
        return alone
    document = yaml.safe_load(alone)
    document["placement"] = {"drivers": {"machines": 2}, "apart": "required"}
    return str(yaml.safe_dump(document, sort_keys=False))
