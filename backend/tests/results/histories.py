"""Campaigns of one experiment after each other, for features that look back."""

from uuid import UUID

from weighhouse_backend.alerts.watch import WatchService

from .laboratory import experiment
from .reports import whole_run


def history(laboratory, levels, slug, **target):
    """Campaigns of one experiment at given levels, oldest first; its throughput series."""
    document = experiment(slug, targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    ids = [
        laboratory.carry_out(
            document,
            lambda order, level=level: whole_run(seed=1, rate=level, seconds=1, **target),
        )
        for level in levels
    ]
    name = laboratory.get(f"/campaigns/{ids[0]}")["experiment"]["id"]
    (series,) = laboratory.get("/series", experiment_id=name, metric="throughput")["items"]
    detect = [UUID(series["id"])]
    laboratory.work(lambda services: services.get(WatchService).detect(detect))
    return ids, laboratory.get(f"/series/{series['id']}")
