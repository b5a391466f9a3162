"""Draws docs/findings/pictures: one picture for each check, of what its formula looks at.

`python -m weighhouse_testing.finding_pictures` writes them anew. Where the judge computes
something, the picture shows what it computed.
"""

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from weighhouse_judging.arithmetic.statistics import smallest_rank_p
from weighhouse_judging.findings.steadiness import Course, assess

from weighhouse_testing import finding_sketches as sketches
from weighhouse_testing.svg import Drawing, Plot
from weighhouse_testing.tree import REPOSITORY

PLACE = REPOSITORY / "docs" / "findings" / "pictures"


def littles_law() -> Drawing:
    """What a mean latency may be at most, and a printed one far above."""
    drawing = Drawing(
        "Little's law from above",
        "The largest possible mean latency falls as clients over throughput; a published figure of "
        "436 ms at 3,348 operations a second with one client lies far above even the bound of p99.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (500, 8000), (0.05, 2000), logarithmic=True)
    plot.axes("operations a second, one client", "latency, ms")
    rates = [500.0 + 100.0 * step for step in range(76)]
    plot.line(rates, [1000.0 / rate for rate in rates], "good")
    plot.line(rates, [100_000.0 / rate for rate in rates], "caution dashed")
    plot.text(6400, 0.065, "mean ≤ clients / throughput", "t-good", "middle")
    plot.text(6400, 27, "p99 ≤ 100 × that", "t-caution", "middle")
    drawing.dot(*plot.at(3348, 436), "fill-bad")
    plot.text(3500, 436, "printed: p99 436 ms", "t-bad")
    drawing.dot(*plot.at(3348, 0.436), "fill-good")
    plot.text(3500, 0.5, "as 436 µs it fits, and fills the client", "")
    return drawing


def client_bound() -> Drawing:
    """The client's limit below the system's."""
    drawing = Drawing(
        "The client's limit",
        "Throughput over offered load: the measured line ends at the driver's limit, the system's "
        "own limit lies above and is not seen.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (0, 100), (0, 100))
    plot.axes("load asked for", "throughput")
    loads = [float(x) for x in range(101)]
    plot.line(loads, [min(x, 85.0) for x in loads], "good dashed")
    plot.line(loads, [min(x, 55.0) for x in loads], "ink")
    plot.text(98, 89, "what the system could do", "t-good", "end")
    plot.text(98, 46, "measured: the driver's threads are ≥ 90 % busy", "", "end")
    return drawing


def repeats() -> Drawing:
    """The smallest p for each number of repeats."""
    drawing = Drawing(
        "The smallest p that repeats allow",
        "Bars: the smallest two-sided p of a rank test for 2 to 8 repeats a side. Three against "
        "three never reaches 0.05; five against five reaches 0.0079.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (1.5, 8.5), (0.0001, 1), logarithmic=True)
    plot.axes("", "smallest possible p, by repeats a side")
    for count in range(2, 9):
        p = smallest_rank_p(count, count)
        plot.bar(count, p, 40, "fill-bad" if p > 0.05 else "fill-good")
        plot.text(count, p * (2.2 if 0.02 < p < 0.05 else 1.4), f"{p:.2g}", "small", "middle")
        drawing.text(plot.at(count, 1)[0], 214, str(count), "small", "middle")
    plot.line([1.5, 8.5], [0.05, 0.05], "caution dashed")
    plot.text(8.5, 0.062, "0.05", "t-caution small", "end")
    return drawing


def samples() -> Drawing:
    """How well a percentile is known by the operations beyond it."""
    drawing = Drawing(
        "Operations beyond the percentile",
        "The relative standard deviation of the number of operations beyond a percentile falls as "
        "one over the square root of how many are expected: 32 percent at ten, 100 percent at one.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (1, 60), (0, 1.05))
    plot.axes("operations × (1 − q): expected beyond the percentile", "relative deviation")
    beyond = [1.0 + step / 4 for step in range(237)]
    plot.line(beyond, [1 / math.sqrt(count) for count in beyond])
    plot.shade(1, 10, "fill-bad faint")
    drawing.dot(*plot.at(10, 1 / math.sqrt(10)), "fill-good")
    plot.text(11, 0.36, "10 operations: 32 %", "t-good")
    plot.text(5.5, 0.94, "too few", "t-bad", "middle")
    return drawing


def _course(levels: np.ndarray, seed: int) -> list[float]:
    noise = np.random.default_rng(seed).normal(0.0, 0.03, levels.size)
    return [float(value) for value in levels * np.exp(noise)]


def steady_state() -> Drawing:
    """Four courses, divided and named as the judge does."""
    drawing = Drawing(
        "Classes of steady state",
        "Four courses of throughput over a minute with the segments that the check finds: flat, "
        "warming up, slowing down, and unsteady with a middle third at half speed.",
        300,
    )
    x = np.linspace(0.0, 1.0, 60)
    shapes = {
        "flat": np.ones(60),
        "warming up": 1.0 - 0.45 * np.exp(-6.0 * x),
        "slowing down": 1.0 - 0.4 * x,
        "unsteady": np.where((x > 1 / 3) & (x < 2 / 3), 0.5, 1.0),
    }
    for place, (name, levels) in enumerate(shapes.items()):
        values = _course(levels, place)
        found = assess(Course(values, seconds=60.0))
        if found.kind != name.replace(" ", "_"):
            message = f"the picture of {name} shows a course that is called {found.kind}"
            raise ValueError(message)
        left, top = 40 + 310 * (place % 2), 40 + 130 * (place // 2)
        plot = Plot(drawing, left, top, 270, 80, (0, 60), (0, 1.25))
        for number, segment in enumerate(found.segments):
            if number % 2:
                plot.shade(segment.begin, segment.end)
        plot.axes("seconds", f"{name}")
        plot.line([float(second) for second in range(60)], values, "ink")
        for segment in found.segments:
            plot.line([segment.begin, segment.end], [segment.throughput] * 2, "bad")
    return drawing


def rate_not_reached() -> Drawing:
    """What was due against what came back."""
    drawing = Drawing(
        "Due against done",
        "In an open loop operations are due at a fixed rate. What came back grows more slowly; the "
        "gap between the two lines is the backlog, and it grows with time.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (0, 60), (0, 62))
    plot.axes("seconds", "operations, thousands")
    plot.line([0, 60], [0, 60], "caution dashed")
    plot.line([0, 60], [0, 36], "ink")
    plot.line([45, 45], [27, 45], "bad")
    plot.text(44, 50, "due: rate × seconds", "t-caution", "end")
    plot.text(59, 29, "done", "", "end")
    plot.text(45.7, 36.5, "backlog", "t-bad")
    return drawing


def beyond_range() -> Drawing:
    """What a histogram keeps, and what lies behind its end."""
    drawing = Drawing(
        "Where the histogram ends",
        "Answers by how long they took. The histogram ends at 60 s; the slowest answers lie behind "
        "its end, and the p99 that is told is that of the others.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (0, 90), (0, 1.2))
    plot.axes("seconds an answer took", "answers")
    times = [float(second) for second in range(91)]
    plot.line(times, [math.exp(-second / 30) for second in times], "ink")
    plot.line([60, 60], [0, 1.1], "bad dashed")
    plot.text(61, 1.0, "counted, and in no percentile", "t-bad")
    plot.line([57, 57], [0, 0.5], "caution")
    plot.text(56, 0.52, "p99 as told", "t-caution", "end")
    plot.line([80, 80], [0, 0.5], "good")
    plot.text(81, 0.52, "p99", "t-good")
    return drawing


def never_sent_untold() -> Drawing:
    """What is due, what is sent, and what the difference is called."""
    drawing = Drawing(
        "Timeouts, and what hides among them",
        "Operations due and operations sent over the seconds of a phase. More is due than is sent; "
        "those between the two were never sent, and an older driver calls them timeouts.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (0, 30), (0, 1.2))
    plot.axes("seconds", "operations a second")
    seconds = [float(second) for second in range(31)]
    plot.line(seconds, [1.0] * 31, "ink")
    plot.text(1, 1.06, "due", "small")
    plot.line(seconds, [0.35] * 31, "good")
    plot.text(1, 0.4, "sent", "t-good")
    plot.line([15.0, 15.0], [0.38, 0.97], "bad dashed")
    plot.text(15.6, 0.7, "never sent: told as timeouts", "t-bad")
    return drawing


def averaged_percentiles() -> Drawing:
    """The mean of p99s beside the p99 of all."""
    drawing = Drawing(
        "A mean of percentiles is no percentile",
        "Bars: the p99 of ten intervals, nine quick ones and one slow. Their mean lies far from "
        "the p99 of all operations together.",
    )
    generator = np.random.default_rng(5)
    intervals = [generator.lognormal(0.0, 0.3, 2000) for _ in range(9)]
    intervals.append(generator.lognormal(2.2, 0.3, 2000))
    p99s = [float(np.quantile(one, 0.99)) for one in intervals]
    mean, true = float(np.mean(p99s)), float(np.quantile(np.concatenate(intervals), 0.99))
    plot = Plot(drawing, 60, 40, 540, 160, (-0.7, 9.7), (0, max(p99s) * 1.1))
    plot.axes("intervals", "p99, ms")
    for place, value in enumerate(p99s):
        plot.bar(place, value, 34, "fill-rule")
    plot.line([-0.7, 9.7], [mean, mean], "bad dashed")
    plot.line([-0.7, 9.7], [true, true], "good")
    plot.text(-0.5, mean + 0.6, f"mean of the ten: {mean:.1f}", "t-bad")
    plot.text(-0.5, true + 0.6, f"p99 of all operations: {true:.1f}", "t-good")
    return drawing


def coordinated_omission() -> Drawing:
    """A stall, seen by a closed and by an open loop."""
    drawing = Drawing(
        "A stall in a closed and in an open loop",
        "A server stands still for a second. In a closed loop one operation takes a second and no "
        "others are sent; in an open loop all operations due meanwhile are timed, from 1 s down.",
    )
    for place, (name, kind) in enumerate((("closed loop", "bad"), ("open loop", "good"))):
        plot = Plot(drawing, 60 + 300 * place, 46, 250, 140, (0, 3), (0, 1.1))
        plot.shade(1, 2)
        plot.axes("seconds", f"{name}: latency, s")
        times = [step / 12 for step in range(36)]
        for time in times:
            if place == 0 and 1.0 < time < 2.0:
                continue
            stalled = 1.0 <= time < 2.0
            latency = 2.0 - time if stalled else 0.02
            drawing.dot(*plot.at(time, latency), f"fill-{kind}", 3.0)
    drawing.text(60, 226, "shaded: the server stands still", "soft small")
    return drawing


def environment() -> Drawing:
    """Samples of the measured phase alone are judged."""
    drawing = Drawing(
        "Steal over the measured phase",
        "Samples of steal time over a run. A spike in the load phase does not count; of the "
        "measured phase the mean counts, not its largest sample.",
    )
    generator = np.random.default_rng(3)
    values = generator.exponential(0.35, 60)
    values[8], values[42] = 9.0, 6.0
    plot = Plot(drawing, 60, 40, 540, 160, (0, 60), (0, 10))
    plot.shade(0, 20)
    plot.axes("seconds", "steal, %")
    plot.line([float(x) for x in range(60)], [float(value) for value in values])
    mean = float(values[20:].mean())
    plot.line([20, 60], [mean, mean], "good")
    plot.line([20, 60], [1, 1], "caution dashed")
    plot.text(10, 9.4, "load, warm-up", "soft small", "middle")
    plot.text(59, 7.4, "limit of the mean: 1 %", "t-caution small", "end")
    plot.text(59, 8.4, f"mean of the measured phase: {mean:.1f} %", "t-good small", "end")
    return drawing


def closed_loop_latency() -> Drawing:
    """One hyperbola for all closed loops of eight clients."""
    drawing = Drawing(
        "One fact told twice",
        "In a closed loop of eight clients throughput times mean latency is eight: every system "
        "lies on the same curve, the faster one further right and lower.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (5, 100), (0, 1.7))
    plot.axes("operations a second, thousands", "mean latency, ms")
    rates = [5.0 + step for step in range(96)]
    plot.line(rates, [8.0 / rate for rate in rates])
    for rate, name, kind in ((12, "slower side", "bad"), (60, "faster side", "good")):
        drawing.dot(*plot.at(rate, 8 / rate), f"fill-{kind}")
        plot.text(rate + 2, 8 / rate + 0.08, name, f"t-{kind}")
    plot.text(98, 1.4, "clients = throughput × mean latency", "soft", "end")
    return drawing


PICTURES: dict[str, Callable[[], Drawing]] = {
    "littles-law": littles_law,
    "unaccounted-clients": sketches.unaccounted_clients,
    "latency-understated": sketches.latency_understated,
    "client-bound": client_bound,
    "co-located": sketches.co_located,
    "repeats": repeats,
    "samples": samples,
    "steady-state": steady_state,
    "rate-not-reached": rate_not_reached,
    "averaged-percentiles": averaged_percentiles,
    "beyond-range": beyond_range,
    "never-sent-untold": never_sent_untold,
    "coordinated-omission": coordinated_omission,
    "errors": sketches.errors,
    "not-found": sketches.not_found,
    "verification": sketches.verification,
    "load-complete": sketches.load_complete,
    "data-found": sketches.data_found,
    "caches-unsaid": sketches.caches_unsaid,
    "environment": environment,
    "memory-fit": sketches.memory_fit,
    "effective-configuration": sketches.effective_configuration,
    "not-told": sketches.not_told,
    "reconciliation": sketches.reconciliation,
    "same-program": sketches.same_program,
    "comparability": sketches.comparability,
    "closed-loop-latency": closed_loop_latency,
    "clock-offset": sketches.clock_offset,
    "percentile-order": sketches.percentile_order,
    "closed-as-open": sketches.closed_as_open,
}
"""Check → its picture."""


def main(place: Path = PLACE) -> int:
    """Write all pictures."""
    place.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (place / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
