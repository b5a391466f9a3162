"""HdrHistogram's interval log of a run: a line an interval and operation. Pure."""

import base64
from collections.abc import Iterable, Iterator

from weighhouse_judging.arithmetic.histograms import NS_PER_US

from weighhouse_backend.exports.run_tables import Shown, summed
from weighhouse_backend.exports.tables import About
from weighhouse_backend.measurements.interval_rows import MeasuredRowService
from weighhouse_backend.results.histogram_files import NS_PER_MS
from weighhouse_backend.runs.instants import instant

US_PER_SECOND = 1e6


def log_pieces(about: About, rows: MeasuredRowService, runs: Iterable[Shown]) -> Iterator[bytes]:
    """The log, version 1.3: of successes, from due to done; values in ns, the largest in ms.

    A tag names the phase and the operation, and behind the first member of a gang whose it is.
    """
    begin: int | None = None
    for one in runs:
        if one.attempt_id is None:
            continue
        for member, interval in rows.intervals(one.attempt_id):
            if begin is None:
                begin = interval.start_us
                yield _head(about, begin)
            after = (interval.start_us - begin) / US_PER_SECOND
            seconds = interval.duration_us / US_PER_SECOND
            whose = "" if member == 0 else f"-{member}"
            yield "".join(
                f"Tag={interval.phase}-{operation}{whose},{after:.6f},{seconds:.6f},"
                f"{(told.response.max_us or 0.0) * NS_PER_US / NS_PER_MS:.6f},"
                f"{base64.b64encode(told.response.encoded()).decode()}\n"
                for operation, told in summed(interval)
            ).encode()
    if begin is None:
        yield _head(about, 0)


def _head(about: About, begin_us: int) -> bytes:
    seconds = begin_us / US_PER_SECOND
    lines = [
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {seconds:.6f} (seconds since epoch), {instant(begin_us).isoformat()}]",
        f"#[BaseTime: {seconds:.6f} (seconds since epoch)]",
        *(f"# {line}" for line in about.lines()),
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    return ("\n".join(lines) + "\n").encode()
