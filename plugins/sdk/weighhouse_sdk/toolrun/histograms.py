"""HdrHistograms as drivers write them: V2, deflated, base64; nanoseconds, three digits.

Format and layout: HdrHistogram, V2 encoding (zigzag LEB128 counts, a negative count standing for a
run of zeros).
"""

import base64
import binascii
import math
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping

COMPRESSED_COOKIE = 0x1C849304
PAYLOAD_COOKIE = 0x1C849303
WORD_SIZE_BITS = 0xF0
COOKIES = struct.Struct(">ii")
HEADER = struct.Struct(">iiiiqqd")
"""Cookie, length of the counts, normalising offset, digits, lowest, highest, ratio."""
LOWEST_NS, USUAL_NS, DIGITS = 1, 60_000_000_000, 3
"""The least value, what a histogram has place for that holds nothing longer, and its precision."""
LONGEST_NS = 2**62 - 1
"""The longest length that is told from longer ones: 146 years."""
HALF_MAGNITUDE = 10
"""Binary logarithm of half the sub-buckets of a bucket, for three digits."""
MORE = 0x80
"""Bit of a byte that more bytes of the same number follow."""
MOST_PAYLOAD_BYTES = 4 * 1024 * 1024


class HistogramUnreadable(ValueError):
    """An encoded histogram that cannot be read."""


def encoded(counts: Mapping[int, int]) -> str:
    """A histogram as drivers report it, with place for the longest value.

    :param counts: value in ns → how often.
    :returns: its base64 text.
    """
    buckets: dict[int, int] = {}
    highest = USUAL_NS
    for value, count in counts.items():
        if count > 0:
            bounded = min(max(value, 0), LONGEST_NS)
            highest = max(highest, bounded)
            place = _bucket(bounded)
            buckets[place] = buckets.get(place, 0) + count
    words = bytearray()
    position = 0
    for place in sorted(buckets):
        if place > position:
            words += _leb128(((place - position) << 1) - 1)
        words += _leb128(buckets[place] << 1)
        position = place + 1
    head = (PAYLOAD_COOKIE | 0x10, len(words), 0, DIGITS, LOWEST_NS, highest, 1.0)
    body = zlib.compress(HEADER.pack(*head) + bytes(words))
    whole = COOKIES.pack(COMPRESSED_COOKIE | 0x10, len(body)) + body
    return base64.b64encode(whole).decode("ascii")


def decoded(text: str, unit_ns: float = 1.0) -> dict[int, int]:
    """What an encoded histogram of any tool holds.

    :param text: base64 of the compressed V2 form.
    :param unit_ns: what one of its values is, ns.
    :returns: value in ns (the upper end of its bucket) → how often.
    :raises HistogramUnreadable: for anything but a whole V2 histogram.
    """
    try:
        whole = base64.b64decode(text, validate=True)
        cookie, length = COOKIES.unpack_from(whole)
        if cookie & ~WORD_SIZE_BITS != COMPRESSED_COOKIE:
            message = f"cookie {cookie:#x} is not that of a compressed V2 histogram"
            raise HistogramUnreadable(message)
        inflater = zlib.decompressobj()
        payload = inflater.decompress(
            whole[COOKIES.size : COOKIES.size + length], MOST_PAYLOAD_BYTES
        )
        cookie, length, offset, digits, lowest, _, _ = HEADER.unpack_from(payload)
    except (binascii.Error, struct.error, zlib.error) as error:
        message = f"not a histogram: {error}"
        raise HistogramUnreadable(message) from error
    words = payload[HEADER.size : HEADER.size + length]
    fits = cookie & ~WORD_SIZE_BITS == PAYLOAD_COOKIE and inflater.eof and len(words) == length
    if not fits or offset != 0 or lowest < 1:
        message = "a histogram is cut short, or of a form that is not known"
        raise HistogramUnreadable(message)
    half = math.ceil(math.log2(2 * 10**digits)) - 1
    found: dict[int, int] = {}
    for place, count in _counts(words):
        end = _upper_end(place, half, lowest.bit_length() - 1)
        value = end if unit_ns == 1 else round(end * unit_ns)
        found[value] = found.get(value, 0) + count
    return found


def from_cumulative(points: Iterable[tuple[int, int]], total: int) -> dict[int, int]:
    """Counts out of a cumulative distribution. Each answer is placed at the upper end of the row
    that it fell into: no percentile comes out too low, and one that is a row's own is exact.

    :param points: (value in ns, at least so many answers took at most so long), in any order.
    :param total: how many answers there were; those beyond the last row are put there.
    :returns: value in ns → how many.
    """
    found: dict[int, int] = {}
    seen = 0
    value = 0
    for value, count in sorted(points):
        if min(count, total) > seen:
            found[value] = found.get(value, 0) + min(count, total) - seen
            seen = min(count, total)
    if seen < total:
        found[value] = found.get(value, 0) + total - seen
    return found


def _bucket(value: int) -> int:
    """Position of a value in the array of counts."""
    shift = max(0, value.bit_length() - HALF_MAGNITUDE - 1)
    return (shift << HALF_MAGNITUDE) + (value >> shift)


def _upper_end(place: int, half_magnitude: int, unit_magnitude: int) -> int:
    half = 1 << half_magnitude
    sub = place if place < half else (place & (half - 1)) + half
    shift = max((place >> half_magnitude) - 1, 0) + unit_magnitude
    return (sub << shift) + (1 << shift) - 1


def _leb128(value: int) -> bytes:
    out = bytearray()
    while value >= MORE:
        out.append(value & 0x7F | MORE)
        value >>= 7
    out.append(value)
    return bytes(out)


def _counts(words: bytes) -> Iterator[tuple[int, int]]:
    place = 0
    value = shift = 0
    for octet in words:
        value |= (octet & 0x7F) << shift
        if octet & MORE:
            shift += 7
            continue
        number = (value >> 1) ^ -(value & 1)
        value = shift = 0
        if number < 0:
            place -= number
        else:
            if number:
                yield place, number
            place += 1
