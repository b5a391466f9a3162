"""HdrHistograms: decode, merge by addition, read percentiles. Pure.

A percentile of two intervals is not the mean of theirs; it is the percentile of the merged
histogram. Everything shown comes through this module. Source of format and layout: HdrHistogram,
V2 encoding (zigzag LEB128 counts, a negative count standing for a run of zeros, deflated).

Decoding is vectorised and sparse: an interval of a second fills some hundred of 27,648 buckets, so
merging touches only those.
"""

import base64
import binascii
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]

COMPRESSED_COOKIE = 0x1C849304
PAYLOAD_COOKIE = 0x1C849303
WORD_SIZE_BITS = 0xF0
"""Bits of a cookie that tell a word size; V2 encoders set them as they like."""

COOKIES = struct.Struct(">ii")
HEADER = struct.Struct(">iiiiqqd")
"""Cookie, length of the counts, normalising offset, digits, lowest, highest, ratio."""

MOST_DIGITS = 5
MOST_WORD_BYTES = 8
"""Bytes of one count; more would be beyond 2⁵⁵ operations."""
MORE = 0x80
"""Bit of a byte that more bytes of the same number follow."""

MOST_PAYLOAD_BYTES = 4 * 1024 * 1024
"""A payload that inflates to more is refused: it is no latency histogram."""

LOWEST_NS, HIGHEST_NS, DIGITS = 1, 60_000_000_000, 3
"""What drivers record in three significant digits: 1 ns to 60 s, and more where anything took
longer."""

NS_PER_US = 1000.0


class HistogramError(ValueError):
    """An encoded histogram that cannot be read, or that does not fit another."""


@dataclass(frozen=True)
class Layout:
    """Which value falls into which bucket."""

    lowest: int = LOWEST_NS
    highest: int = HIGHEST_NS
    digits: int = DIGITS

    @cached_property
    def unit_magnitude(self) -> int:
        """Values are resolved to 2 to this power."""
        return self.lowest.bit_length() - 1

    @cached_property
    def half_magnitude(self) -> int:
        """Binary logarithm of half the sub-buckets of a bucket."""
        return math.ceil(math.log2(2 * 10**self.digits)) - 1

    @cached_property
    def buckets(self) -> int:
        """Length of the array of counts."""
        smallest_untrackable = 2 ** (self.half_magnitude + 1) << self.unit_magnitude
        needed = 1
        while smallest_untrackable <= self.highest:
            smallest_untrackable <<= 1
            needed += 1
        return (needed + 1) << self.half_magnitude

    def lower_ends(self, index: Counts) -> Counts:
        """Smallest value of each bucket."""
        ends: Counts = self._sub_bucket(index) << self._shift(index)
        return ends

    def upper_ends(self, index: Counts) -> Counts:
        """Largest value of each bucket: what a percentile is given as."""
        shift = self._shift(index)
        ends: Counts = (self._sub_bucket(index) << shift) + (np.int64(1) << shift) - 1
        return ends

    def middles(self, index: Counts) -> Counts:
        """Middle value of each bucket: what a mean is made of."""
        shift = self._shift(index)
        middles: Counts = (self._sub_bucket(index) << shift) + ((np.int64(1) << shift) >> 1)
        return middles

    def _sub_bucket(self, index: Counts) -> Counts:
        half = np.int64(1) << self.half_magnitude
        return np.where(index < half, index, (index & (half - 1)) + half)

    def _shift(self, index: Counts) -> Counts:
        buckets: Counts = np.maximum((index >> self.half_magnitude) - 1, 0)
        return buckets + self.unit_magnitude


USUAL = Layout()
_layout = lru_cache(maxsize=64)(Layout)


@dataclass
class Histogram:
    """Latencies counted in buckets; grows by addition. Values are nanoseconds."""

    layout: Layout = USUAL
    counts: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if self.counts.size == 0:
            self.counts = np.zeros(self.layout.buckets, dtype=np.int64)

    @classmethod
    def merged(cls, encoded: Sequence[bytes]) -> Self:
        """The sum of encoded histograms; empty for none. Raises HistogramError."""
        merged = cls()
        for item in encoded:
            merged.add_encoded(item)
        return merged

    @property
    def total(self) -> int:
        """Operations counted."""
        return int(self.counts.sum())

    def add_encoded(self, encoded: bytes) -> None:
        """Add one histogram, as bytes of the compressed V2 form.

        Raises HistogramError when it cannot be read or counts in other buckets than this one holds
        values in.
        """
        layout, index, count = decode(encoded)
        self._fit(layout)
        np.add.at(self.counts, index, count)

    def add(self, other: "Histogram") -> None:
        """Add another histogram; raises HistogramError when their buckets differ."""
        self._fit(other.layout)
        self.counts[: other.counts.size] += other.counts

    def quantiles_us(self, quantiles: Sequence[float]) -> list[float | None]:
        """Latencies at `quantiles` (0.99), in µs; None for each when nothing was counted.

        The value at a quantile is the upper end of the bucket in which the ⌈q × n⌉-th operation
        lies, so it is never below the truth and at most 0.1 % above.
        """
        filled = _filled(self.counts)
        if filled.size == 0:
            return [None for _ in quantiles]
        running = np.cumsum(self.counts[filled])
        total = int(running[-1])
        ranks = [max(1, math.ceil(quantile * total - 1e-9)) for quantile in quantiles]
        place = np.searchsorted(running, np.asarray(ranks, dtype=np.int64), side="left")
        return [float(value) / NS_PER_US for value in self.layout.upper_ends(filled[place])]

    @property
    def mean_us(self) -> float | None:
        """Mean latency in µs; None when nothing was counted."""
        filled = _filled(self.counts)
        if filled.size == 0:
            return None
        weights = self.counts[filled]
        middles = self.layout.middles(filled).astype(np.float64)
        return float(np.dot(middles, weights) / weights.sum()) / NS_PER_US

    @property
    def max_us(self) -> float | None:
        """Largest latency in µs (upper end of its bucket); None when nothing was counted."""
        filled = _filled(self.counts)
        if filled.size == 0:
            return None
        return float(self.layout.upper_ends(filled[-1:])[0]) / NS_PER_US

    def filled(self) -> tuple[Counts, Counts]:
        """Upper ends in ns of the buckets that hold something, and how much they hold."""
        index = _filled(self.counts)
        return self.layout.upper_ends(index), self.counts[index]

    def encoded(self) -> bytes:
        """The compressed V2 form, readable by every HdrHistogram library."""
        words = _zigzag_words(self.counts)
        payload = (
            HEADER.pack(
                PAYLOAD_COOKIE | 0x10,
                len(words),
                0,
                self.layout.digits,
                self.layout.lowest,
                self.layout.highest,
                1.0,
            )
            + words
        )
        body = zlib.compress(payload)
        return COOKIES.pack(COMPRESSED_COOKIE | 0x10, len(body)) + body

    def _fit(self, layout: Layout) -> None:
        same = (
            layout.unit_magnitude == self.layout.unit_magnitude
            and layout.half_magnitude == self.layout.half_magnitude
        )
        if not same:
            message = f"histograms of {layout} and {self.layout} count in different buckets"
            raise HistogramError(message)
        if layout.buckets > self.counts.size:
            self.counts = np.pad(self.counts, (0, layout.buckets - self.counts.size))
            self.layout = layout


def require_usual(encoded: bytes) -> bytes:
    """The same bytes, when their head tells the buckets that all of ours count in, up to whatever
    highest value; looks at the head alone. What has no head that can be read fails when it is read.

    :raises HistogramError: when it counts in others: it could be merged with nothing.
    """
    try:
        head = zlib.decompressobj().decompress(encoded[COOKIES.size :], HEADER.size)
    except zlib.error:
        return encoded
    if len(head) == HEADER.size:
        _, _, _, digits, lowest, _, _ = HEADER.unpack(head)
        if (digits, lowest) != (DIGITS, LOWEST_NS):
            message = (
                f"a histogram counts in buckets of {digits} digits from {lowest} ns on; all have "
                f"{DIGITS} digits from {LOWEST_NS} ns on"
            )
            raise HistogramError(message)
    return encoded


def from_text(text: str) -> bytes:
    """Bytes of a histogram that travelled as base64; raises HistogramError."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        message = f"a histogram is not base64: {error}"
        raise HistogramError(message) from error


@lru_cache(maxsize=128)
def decode(encoded: bytes) -> tuple[Layout, Counts, Counts]:
    """The layout, and indices and counts of the buckets that hold something; not to be changed,
    for the latest ones are kept: who sums intervals asks for their extremes next.

    Raises HistogramError for anything but a whole, well-formed V2 histogram.
    """
    payload = _inflated(encoded)
    if len(payload) < HEADER.size:
        message = "a histogram is cut short"
        raise HistogramError(message)
    cookie, length, offset, digits, lowest, highest, _ = HEADER.unpack_from(payload)
    if cookie & ~WORD_SIZE_BITS != PAYLOAD_COOKIE:
        message = f"a histogram is not in the V2 form (cookie {cookie:#x})"
        raise HistogramError(message)
    if offset != 0 or not 1 <= digits <= MOST_DIGITS or not 1 <= lowest < highest:
        message = "a histogram has an impossible header"
        raise HistogramError(message)
    words = payload[HEADER.size :]
    if len(words) < length:
        message = "a histogram is cut short"
        raise HistogramError(message)
    layout = _layout(lowest, highest, digits)
    index, count = _from_zigzag(words[:length])
    if index.size and (int(index[-1]) >= layout.buckets or int(count.min()) < 0):
        message = "a histogram counts outside its range"
        raise HistogramError(message)
    index.flags.writeable = count.flags.writeable = False
    return layout, index, count


def _inflated(encoded: bytes) -> bytes:
    if len(encoded) < COOKIES.size:
        message = "a histogram is cut short"
        raise HistogramError(message)
    cookie, length = COOKIES.unpack_from(encoded)
    if cookie & ~WORD_SIZE_BITS != COMPRESSED_COOKIE:
        message = f"a histogram is not in the compressed V2 form (cookie {cookie:#x})"
        raise HistogramError(message)
    inflater = zlib.decompressobj()
    try:
        payload = inflater.decompress(
            encoded[COOKIES.size : COOKIES.size + length], MOST_PAYLOAD_BYTES
        )
    except zlib.error as error:
        message = f"a histogram does not inflate: {error}"
        raise HistogramError(message) from error
    if not inflater.eof:
        message = "a histogram is cut short or too large"
        raise HistogramError(message)
    return payload


def _from_zigzag(words: bytes) -> tuple[Counts, Counts]:
    """Positions and values of positive counts; negative words skip that many buckets."""
    octets = np.frombuffer(words, dtype=np.uint8)
    if octets.size == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    ends = np.flatnonzero(octets < MORE)
    if ends.size == 0 or int(ends[-1]) != octets.size - 1:
        message = "a histogram's counts are cut short"
        raise HistogramError(message)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1] + 1])
    lengths = ends - starts + 1
    if int(lengths.max()) > MOST_WORD_BYTES:
        message = "a histogram holds an impossible count"
        raise HistogramError(message)
    places = np.arange(octets.size) - np.repeat(starts, lengths)
    parts = (octets & 0x7F).astype(np.int64) << (7 * places)
    raw = np.add.reduceat(parts, starts)
    values = (raw >> 1) ^ -(raw & 1)
    steps = np.where(values < 0, -values, 1)
    positions = np.cumsum(steps) - steps
    filled = values > 0
    return positions[filled], values[filled]


def _filled(counts: Counts) -> Counts:
    """Indices of the buckets that hold something; asked of truths, which is five times as fast as
    of numbers.
    """
    return np.flatnonzero(counts != 0)


def _zigzag_words(counts: Counts) -> bytes:
    """What `_from_zigzag` reads: before each count the length of the gap before it, if any."""
    filled = _filled(counts)
    if filled.size == 0:
        return b""
    gaps = np.diff(filled, prepend=-1) - 1
    pairs = np.stack([(gaps << 1) - 1, counts[filled] << 1], axis=1).ravel()
    kept = np.ones(pairs.size, dtype=bool)
    kept[::2] = gaps > 0
    words = pairs[kept]
    shifts = 7 * np.arange(1 + max(0, int(words.max()).bit_length() - 1) // 7)
    parts = words[:, np.newaxis] >> shifts
    octets = (parts & 0x7F) | np.where(parts >= MORE, MORE, 0)
    written = (parts > 0) | (shifts == 0)
    return bytes(octets[written].astype(np.uint8).tobytes())
