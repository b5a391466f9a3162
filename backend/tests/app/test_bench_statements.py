"""What benchmarks read of the database is there under the names they use."""

from uuid import uuid4

from sqlalchemy import Engine
from weighhouse_testing.bench_latency import MARKS


def test_the_marks_of_a_beginning_are_found(engine: Engine) -> None:
    with engine.connect() as connection:
        assert connection.exec_driver_sql(MARKS, (uuid4(),)).all() == []
