"""Servers that answer the steps of scenarios in tests: true ones, and hostile ones."""

import math
from collections.abc import Callable

from hypothesis import strategies as st
from weighhouse_judging.scenarios.scenario import Failure, Measurement, Result, Scenario, Step

Answer = Callable[[Step], Measurement]


def steady(throughput, latency_us=lambda level: 1_000.0, figure="p99_us") -> Answer:
    """A server without noise."""

    def at(level):
        return Measurement(level, {"throughput": throughput(level), figure: latency_us(level)})

    def answer(step):
        if step.kind == "ramp":
            return Measurement(step.level, stages=tuple(at(level) for level in step.levels))
        return at(step.level)

    return answer


def played(scenario: Scenario, plan, answer: Answer) -> tuple[Result, list[Step], list]:
    """The result, all steps and all measurements; fails when it asks for more than it may."""
    steps, measured = [], []
    while True:
        found = scenario.advance(plan, measured)
        if isinstance(found, Result):
            return found, steps, measured
        assert len(measured) < plan.most_measurements
        steps.append(found)
        measured.append(answer(found))


NUMBERS = st.one_of(
    st.sampled_from([0.0, -1.0, math.nan, math.inf, -math.inf, 1e-300, 1e300]),
    st.floats(1e-3, 1e9),
)
"""Figures, the impossible ones among them."""


@st.composite
def anything(draw, level: float = 1.0) -> Measurement:
    """A measurement with anything in it."""
    failure = draw(
        st.one_of(
            st.none(),
            st.builds(Failure, st.sampled_from(["system", "elsewhere"]), st.just("it broke")),
        )
    )
    names = draw(st.sets(st.sampled_from(["throughput", "p99_us", "mean_us"])))
    figures = {name: draw(NUMBERS) for name in sorted(names)}
    return Measurement(level, figures, failure, draw(st.sampled_from([0.0, 0.02, 1.0])))


def hostile(data) -> Answer:
    """Answers whatever hypothesis likes, sometimes at levels that nobody asked for."""

    def answer(step):
        if step.kind == "ramp":
            held = data.draw(st.integers(0, len(step.levels)))
            stages = tuple(data.draw(anything(level)) for level in step.levels[:held])
            return Measurement(step.level, stages=stages)
        level = data.draw(st.sampled_from([step.level] * 4 + [step.level * 1.7]))
        return data.draw(anything(level))

    return answer


def finite(value) -> bool:
    """Whether no number in figures (dataclasses, tuples, mappings) is infinite or no number."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(finite(one) for one in value.values())
    if isinstance(value, tuple):
        return all(finite(one) for one in value)
    if hasattr(value, "__dataclass_fields__"):
        return all(finite(getattr(value, name)) for name in value.__dataclass_fields__)
    return True
