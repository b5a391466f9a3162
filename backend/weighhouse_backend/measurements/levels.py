"""Levels of a run: its intervals merged into windows of 1, 2, 4, … seconds. Pure.

Windows of a level are made of the windows of the level below, those of the lowest of intervals, in
the order in which they were stored. A window is closed when something behind it is known; from then
on it never changes.
"""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from weighhouse_backend.measurements.charts import merge_and_draw
from weighhouse_backend.measurements.packed_intervals import StoredInterval
from weighhouse_backend.measurements.points import Window
from weighhouse_backend.measurements.summaries import US_PER_SECOND

WIDTHS: tuple[int, ...] = tuple(2**step for step in range(13))
"""Seconds, up to some 68 minutes: a run of four weeks has 591 windows of the widest."""
FEWEST_MERGED = 4
"""Intervals in a window of the lowest level, by their usual length."""


@dataclass(frozen=True)
class Place:
    """Where a window lies among the others of its level."""

    phase_index: int
    phase_began_us: int
    slot: int
    last_sequence: int


@dataclass(frozen=True)
class Piece:
    """What a window is made of: an interval as reported, or a window of the level below."""

    interval: StoredInterval
    sequence: int
    last_sequence: int
    merged: int = 1
    place: Place | None = None
    """None of an interval as reported."""


@dataclass(frozen=True)
class Closed:
    """A window, with what is drawn of it."""

    piece: Piece
    place: Place
    window: Window


def lowest_width(durations_us: Sequence[int]) -> int:
    """The width of the lowest level, s, for intervals of such lengths, at least one."""
    usual = statistics.median(durations_us) / US_PER_SECOND
    return next((one for one in WIDTHS if one >= FEWEST_MERGED * usual), WIDTHS[-1])


def reported(sequence: int, interval: StoredInterval) -> Piece:
    """An interval as a driver reported it."""
    return Piece(interval, sequence, sequence)


def closed(
    pieces: Iterable[Piece], width: int, before: Place | None, *, final: bool
) -> Iterator[Closed]:
    """The windows of a level that some pieces close.

    Takes the pieces one by one and keeps those of one window, so that a long run needs no more
    memory than a short one. Raises HistogramError.

    :param pieces: of one attempt, in order, behind those that are in a window of this level.
    :param width: of the level, s.
    :param before: where the latest window of this level lies.
    :param final: nothing comes behind the pieces, so the last window is closed as well.
    """
    held: list[Piece] = []
    place = before
    for piece in pieces:
        found = _place(piece, width, place)
        drains = piece.interval.driver.drain
        if (
            held
            and place is not None
            and (_differ(found, place) or drains != held[-1].interval.driver.drain)
        ):
            yield _merged(held, place)
            held = []
        place = found
        held.append(piece)
    if final and held and place is not None:
        yield _merged(held, place)


def _place(piece: Piece, width: int, before: Place | None) -> Place:
    """By the middle of an interval, since its bounds are only nearly multiples of its length.

    Never before the latest window: a clock that was set back begins no window anew.
    """
    interval, same = piece.interval, None
    if before is not None and before.phase_index == interval.phase_index:
        same = before
    if piece.place is not None:
        began, slot = piece.place.phase_began_us, piece.place.slot // 2
    else:
        began = interval.start_us if same is None else same.phase_began_us
        middle = interval.start_us + interval.duration_us // 2 - began
        slot = max(0, middle) // round(width * US_PER_SECOND)
    slot = slot if same is None else max(slot, same.slot)
    return Place(interval.phase_index, began, slot, piece.last_sequence)


def _differ(one: Place, other: Place) -> bool:
    return (one.phase_index, one.slot) != (other.phase_index, other.slot)


def _merged(held: Sequence[Piece], place: Place) -> Closed:
    interval, window = merge_and_draw([piece.interval for piece in held])
    return Closed(
        Piece(
            interval,
            held[0].sequence,
            held[-1].last_sequence,
            sum(piece.merged for piece in held),
            place,
        ),
        place,
        window,
    )
