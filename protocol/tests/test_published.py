"""The document of what others measured says what it knows, and no more."""

import pytest
from pydantic import ValidationError
from weighhouse_protocol.published.cells import PublishedCell, PublishedLoad, PublishedSide
from weighhouse_protocol.published.figures import (
    PublishedColumn,
    PublishedFigure,
    PublishedInterval,
)
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.published.source import PublishedSource

SOURCE = PublishedSource(title="A study")


def test_what_is_known_comes_back_as_it_was() -> None:
    cell = PublishedCell(
        side="redis",
        load=PublishedLoad(clients=32, pipeline=1, loop="closed"),
        seconds=60.0,
        figures=(
            PublishedFigure(
                figure="p99_us", operation="READ", value=436_000, low=435_500, high=436_500,
                printed="436 ms", statistic="averaged", place="Table 2",
            ),
        ),
        outcomes={"READ": {"OK": 10, "NOT_FOUND": 2}},
        columns=(PublishedColumn(figure="p99_us", operation="READ", statistic="one_connection"),),
        intervals=(PublishedInterval(at_seconds=1, throughput=5.5, values=(None,)),),
    )  # fmt: skip
    results = PublishedResults(
        source=SOURCE, sides=(PublishedSide(name="redis", system="redis"),), cells=(cell,)
    )
    assert PublishedResults.model_validate_json(results.model_dump_json()) == results
    assert results.side("redis").system == "redis"
    found = cell.figure("p99_us", "READ")
    assert found is not None
    assert found.known is not None
    assert found.known.quantile == 0.99
    assert cell.figure("p99_us") is None


def test_figures_have_the_names_of_today() -> None:
    assert PublishedFigure(figure="memory_bytes").figure == "memory_after_load_bytes"
    assert PublishedFigure(figure="p990_us").figure == "p99_us"
    assert PublishedFigure(figure="speedup", unit="×").known is None


def test_a_pipeline_that_is_not_told_is_not_one() -> None:
    assert PublishedLoad(clients=50).operations_in_flight is None
    assert PublishedLoad(clients=50, pipeline=16).operations_in_flight == 800


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sides": [{"name": "a"}, {"name": "a"}]}, "stands twice"),
        ({"cells": [{"side": "b"}]}, "none of the sides"),
        ({"source": {"title": "t", "address": "http://example.com/"}}, "no https address"),
        ({"source": {"title": ""}}, "at least 1 character"),
        ({"cells": [{"side": "a", "figures": [{"figure": "P99"}]}]}, "pattern"),
        ({"cells": [{"side": "a", "figures": [{"figure": "x", "value": float("nan")}]}]}, "finite"),
        ({"cells": [{"side": "a", "intervals": [{"at_seconds": 1, "values": [1]}]}]}, "1 values"),
    ],
)
def test_what_cannot_be_is_refused_in_words(change: dict[str, object], said: str) -> None:
    whole = {"source": {"title": "t"}, "sides": [{"name": "a"}], "cells": [], **change}
    with pytest.raises(ValidationError, match=said):
        PublishedResults.model_validate(whole)
