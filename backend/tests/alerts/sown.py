"""Series sown over campaigns, with points as they would have been measured."""

import datetime
from uuid import UUID, uuid4

import numpy as np
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.models import Series, SeriesPoint

BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def seeded(laboratory, campaigns, courses, *, places=("m",), kinds=("k",), target=None):
    """Series of one target with a point a campaign; figure → values. Looked at once at the end."""
    experiment_id, ids = campaigns
    target = target or str(uuid4())
    with unit_of_work(laboratory.sessions) as session:
        project = session.get(Campaign, ids[0]).project_id
        made = []
        for metric, values in courses.items():
            series = Series(
                id=new_id(), project_id=project, experiment_id=experiment_id, system_id="redis",
                target=target, workload="balanced", load_kind="closed", load_value=4,
                load_label="4 clients", metric=metric,
            )  # fmt: skip
            session.add(series)
            session.flush()
            for index, value in enumerate(values):
                stand(session, ids[index], BEGIN + datetime.timedelta(days=index))
                session.add(
                    SeriesPoint(
                        series_id=series.id, campaign_id=ids[index], project_id=project,
                        campaign_number=1000 + index, at=BEGIN + datetime.timedelta(days=index),
                        value=float(value), low=float(value), high=float(value),
                        repeats=[float(value)], fingerprint=kinds[index % len(kinds)],
                        environment="a machine", place=places[index % len(places)], version="1",
                    )
                )  # fmt: skip
            made.append(series.id)
    look(laboratory, made)
    return [laboratory.get(f"/series/{one}") for one in made]


def stand(session, campaign_id, at):
    """Put a campaign at a time of its experiment's history."""
    session.get_one(Campaign, campaign_id).stands_at = at


def look(laboratory, series_ids):
    laboratory.work(lambda services: services.get(WatchService).detect(list(series_ids)))


def noise(seed, size, spread=0.01):
    return 1 + np.random.default_rng(seed).normal(0, spread, size)


def confirmed(series):
    return [one for one in series["change_points"] if one["status"] == "confirmed"]


def grown(laboratory, campaigns, series, values, *, first, at):
    """Further points of series that were sown; figure → values. Looked at once at the end.

    :param first: place of the first of them among the campaigns.
    :param at: its date; the others follow by days.
    """
    _, ids = campaigns
    with unit_of_work(laboratory.sessions) as session:
        for one in series:
            before = session.get(SeriesPoint, (UUID(one["id"]), ids[0]))
            for index, value in enumerate(values[one["metric"]]):
                stand(session, ids[first + index], at + datetime.timedelta(days=index))
                session.add(
                    SeriesPoint(
                        series_id=before.series_id, campaign_id=ids[first + index],
                        project_id=before.project_id, campaign_number=1000 + first + index,
                        at=at + datetime.timedelta(days=index), value=float(value),
                        low=float(value), high=float(value), repeats=[float(value)],
                        fingerprint=before.fingerprint, environment=before.environment,
                        place=before.place, version="2",
                    )
                )  # fmt: skip
    look(laboratory, [UUID(one["id"]) for one in series])


def alert_of(laboratory, series):
    """The alert of a series' latest confirmed change."""
    change = confirmed(laboratory.get(f"/series/{series['id']}"))[-1]
    return laboratory.get(f"/alerts/{change['alert_id']}")
