"""Many campaigns that were carried out, for series that are sown over them."""

from uuid import UUID

import pytest
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.models import Campaign

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run


@pytest.fixture(scope="module")
def campaigns(laboratory):
    """Two hundred campaigns that were carried out, by one that was, and their experiment."""
    document = experiment("seeded", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    first = UUID(laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1)))
    with unit_of_work(laboratory.sessions) as session:
        one = session.get(Campaign, first)
        values = {
            column.name: getattr(one, column.key)
            for column in Campaign.__table__.columns
            if column.name not in {"id", "number"}
        }
        rows = [Campaign(**values, id=new_id(), number=1000 + index) for index in range(200)]
        session.add_all(rows)
        return one.experiment_id, [row.id for row in rows]
