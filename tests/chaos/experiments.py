"""The campaigns that are disturbed: short runs on one agent, and gangs of three by turns."""

import yaml
from weighhouse_testing.experiments import small_experiment

GANGS_EVERY = 2


def experiment_of(number: int, repetitions: int = 2) -> str:
    """A round's experiment: every second one has a server and two drivers on three agents."""
    alone = small_experiment(
        f"chaos-{number}", "redis", clients=(2, 4), repetitions=repetitions, measure_seconds=2.0
    )
    if number % GANGS_EVERY:
        return alone
    document = yaml.safe_load(alone)
    document["placement"] = {"drivers": {"machines": 2}, "apart": "required"}
    return str(yaml.safe_dump(document, sort_keys=False))
