"""The course of a measured phase, from its windows to what the API shows. Pure."""

from collections.abc import Sequence

from weighhouse_judging.findings.course import WORDS, sentence
from weighhouse_judging.findings.steadiness import Course, assess

from weighhouse_backend.measurements.charts import MeasuredWindow
from weighhouse_backend.results.series_schemas import (
    CourseRead,
    CourseSegmentRead,
)


def course_of(windows: Sequence[MeasuredWindow]) -> Course:
    """What the judge classes; windows in order of time."""
    if not windows:
        return Course(())
    return Course(
        throughputs=[one.ok / (one.end_seconds - one.start_seconds) for one in windows],
        p99s_us=[one.p99_us for one in windows],
        operations=[one.ok for one in windows],
        waits_us=[one.wait_us for one in windows],
        seconds=windows[-1].end_seconds - windows[0].start_seconds,
        lengths_seconds=[one.end_seconds - one.start_seconds for one in windows],
    )


def course_read(windows: Sequence[MeasuredWindow]) -> CourseRead | None:
    """The course as the API shows it; None when nothing was measured."""
    if not windows:
        return None
    found = assess(course_of(windows))
    return CourseRead(
        kind=found.kind,
        label=WORDS[found.kind],
        sentence=sentence(found),
        segments=[
            CourseSegmentRead(
                start_seconds=windows[segment.begin].start_seconds,
                end_seconds=windows[segment.end - 1].end_seconds,
                throughput=segment.throughput,
                p99_us=segment.p99_us,
            )
            for segment in found.segments
        ],
    )
