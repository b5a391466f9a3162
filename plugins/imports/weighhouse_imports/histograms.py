"""HdrHistograms of other tools: all encodings and layouts, merged, and as the document keeps them.

Formats: HdrHistogram's V0, V1 and V2 encodings, plain or deflated. V2 is read by the judge's own
code; V0 and V1 hold counts of two, four or eight bytes after a header of their own, and become V2.
A log of version 1.3 holds the same.
"""

import base64
import binascii
import math
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from weighhouse_judging.arithmetic.histograms import (
    COMPRESSED_COOKIE,
    COOKIES,
    HEADER,
    MOST_DIGITS,
    MOST_PAYLOAD_BYTES,
    PAYLOAD_COOKIE,
    WORD_SIZE_BITS,
    Counts,
    Histogram,
    HistogramError,
    Layout,
    decode,
)

V0_COMPRESSED, V0_PAYLOAD = 0x1C849309 & ~WORD_SIZE_BITS, 0x1C849308 & ~WORD_SIZE_BITS
V1_COMPRESSED, V1_PAYLOAD = 0x1C849302, 0x1C849301
V0_HEADER = struct.Struct(">iiqqq")
"""Cookie, digits, lowest, highest, total."""
WORDS = {2: ">i2", 4: ">i4", 8: ">i8"}
MOST_VALUE = 2**62 - 1
"""Highest values beyond it cannot be told apart by 64 bits."""
Sparse = tuple[Layout, Counts, Counts]


def decoded(text: str) -> Sparse:
    """Layout, and indices and counts of what is filled.

    :param text: base64, as logs have it.
    :raises HistogramError: for anything but a whole histogram of a known encoding.
    """
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        message = f"not base64: {error}"
        raise HistogramError(message) from error
    if len(raw) < COOKIES.size:
        message = "cut short"
        raise HistogramError(message)
    cookie, length = COOKIES.unpack_from(raw)
    kind = cookie & ~WORD_SIZE_BITS
    if kind == COMPRESSED_COOKIE:
        return decode(raw)
    if kind == PAYLOAD_COOKIE:
        body = zlib.compress(raw)
        return decode(COOKIES.pack(COMPRESSED_COOKIE | 0x10, len(body)) + body)
    if kind in (V0_COMPRESSED, V1_COMPRESSED):
        inflater = zlib.decompressobj()
        try:
            payload = inflater.decompress(
                raw[COOKIES.size : COOKIES.size + max(0, length)], MOST_PAYLOAD_BYTES
            )
        except zlib.error as error:
            message = f"does not inflate: {error}"
            raise HistogramError(message) from error
        if not inflater.eof:
            message = "cut short, or too large"
            raise HistogramError(message)
        return _fixed(payload)
    if kind in (V0_PAYLOAD, V1_PAYLOAD):
        return _fixed(raw)
    message = f"an encoding that is not known (cookie {cookie:#x})"
    raise HistogramError(message)


def _fixed(payload: bytes) -> Sparse:
    """V0 and V1: counts of one width, all of them up to the highest that is filled."""
    if len(payload) < V0_HEADER.size:
        message = "cut short"
        raise HistogramError(message)
    (cookie,) = struct.unpack_from(">i", payload)
    if cookie & ~WORD_SIZE_BITS == V0_PAYLOAD:
        _, digits, lowest, highest, _ = V0_HEADER.unpack_from(payload)
        body, offset = payload[V0_HEADER.size :], 0
    elif cookie & ~WORD_SIZE_BITS == V1_PAYLOAD and len(payload) >= HEADER.size:
        _, length, offset, digits, lowest, highest, _ = HEADER.unpack_from(payload)
        body = payload[HEADER.size : HEADER.size + max(0, length)]
        if len(body) != length:
            message = "cut short"
            raise HistogramError(message)
    else:
        message = f"a payload that is not known (cookie {cookie:#x})"
        raise HistogramError(message)
    width = (cookie & WORD_SIZE_BITS) >> 4
    if width not in WORDS or offset != 0 or not 0 <= digits <= MOST_DIGITS or lowest < 1:
        message = "an impossible header"
        raise HistogramError(message)
    layout = Layout(lowest, min(max(highest, 2 * lowest), MOST_VALUE), max(digits, 1))
    counts = np.frombuffer(body[: len(body) // width * width], dtype=WORDS[width]).astype(np.int64)
    index = np.flatnonzero(counts != 0)
    if index.size and (int(index[-1]) >= layout.buckets or int(counts[index].min()) < 0):
        message = "counts outside its range"
        raise HistogramError(message)
    return layout, index, counts[index]


@dataclass
class Merged:
    """The sum of histograms of any layouts: where they differ, the finest one's values are kept as
    they stand, bucket ends and all.
    """

    counts: dict[int, int] = field(default_factory=dict)
    """Upper end of a bucket → how many."""
    middles: dict[int, int] = field(default_factory=dict)
    """The same ends → the bucket's middle, which a mean is made of."""
    digits: int = 3
    total: int = 0

    def add(self, found: Sparse) -> None:
        """Add one."""
        layout, index, counts = found
        self.digits = min(self.digits, layout.digits) if self.total else layout.digits
        ends, middles = layout.upper_ends(index).tolist(), layout.middles(index).tolist()
        for end, middle, count in zip(ends, middles, counts.tolist(), strict=True):
            self.counts[end] = self.counts.get(end, 0) + count
            self.middles[end] = middle
            self.total += count

    def quantile(self, share: float) -> int | None:
        """The upper end of the bucket in which the ⌈share × n⌉-th value lies."""
        if not self.total:
            return None
        rank = max(1, math.ceil(share * self.total - 1e-9))
        seen = 0
        for end in sorted(self.counts):
            seen += self.counts[end]
            if seen >= rank:
                return end
        return max(self.counts)

    @property
    def greatest(self) -> int | None:
        """The upper end of the highest bucket that is filled."""
        return max(self.counts, default=None)

    @property
    def mean(self) -> float | None:
        """By the middles of buckets."""
        if not self.total:
            return None
        return sum(self.middles[end] * n for end, n in self.counts.items()) / self.total

    def encoded(self) -> str:
        """V2, deflated, base64, from 1 on with the digits of the coarsest that was added.

        :raises HistogramError: when a value is beyond what 64 bits tell apart.
        """
        highest = max(self.counts, default=2)
        if highest > MOST_VALUE:
            message = "values beyond 2⁶²"
            raise HistogramError(message)
        layout = Layout(1, max(2, highest), self.digits)
        whole = Histogram(layout)
        for end, count in self.counts.items():
            whole.counts[_index(layout, end)] += count
        return base64.b64encode(whole.encoded()).decode("ascii")


def _index(layout: Layout, value: int) -> int:
    half = layout.half_magnitude
    shift = max(0, value.bit_length() - half - 1)
    return (shift << half) + (value >> shift)


def merged(texts: Iterable[str]) -> Merged:
    """The sum of encoded ones.

    :raises HistogramError: when one cannot be read.
    """
    found = Merged()
    for text in texts:
        found.add(decoded(text))
    return found
