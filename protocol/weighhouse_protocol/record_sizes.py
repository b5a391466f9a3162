"""How long keys and records of a workload become, as every driver of ours makes them. Pure."""

import math

from weighhouse_protocol.workload import ZIPFIAN_THETA, Workload, power_sum

YCSB_PREFIX = "user"
HASH_DIGITS = 19
"""Of FNV's 63 bits; nine of ten hashes have as many."""
MISS_DIGITS = 19
"""Numbers of records that are not there begin at 2⁶⁰."""
MOMENT_DIGITS = {"seconds": 10, "milliseconds": 13}
"""That a moment has at least."""
SPREAD = 3.0
"""Standard deviations: of lengths that are drawn, a record in a thousand is longer."""


def longest_key(workload: Workload) -> int:
    """Bytes of the longest key that a workload loads or asks for."""
    series = workload.time_series
    if series is not None:
        moments = (workload.record_count - 1) // series.series
        last = series.first_moment + moments * series.interval
        tags = len(series.tag_cardinalities) * (1 + series.tag_value_length)
        digits = max(MOMENT_DIGITS[series.unit], len(str(last)))
        return len(workload.key_prefix or "") + series.key_length + tags + 1 + digits
    if workload.insert_order == "hashed":
        digits = HASH_DIGITS
    else:
        digits = len(str(workload.record_count - 1))
        digits = max(digits, MISS_DIGITS if workload.read_miss_fraction else 0)
    return len(workload.key_prefix or YCSB_PREFIX) + max(digits, workload.zero_padding)


def longest_field(workload: Workload) -> int:
    """Bytes of the longest value that a field is given."""
    if workload.field_length_distribution == "histogram":
        return max(length for length, _ in workload.field_length_histogram)
    return workload.field_length


def long_record(workload: Workload) -> int:
    """Bytes of a record's values: exactly, where all are of one length; the most of a single field;
    else what is not rare: the mean and `SPREAD` standard deviations, or all fields at their longest
    where that is less.
    """
    fields, longest = workload.field_count, longest_field(workload)
    if fields == 1 or workload.field_length_distribution == "constant":
        return fields * longest
    deviation = math.sqrt(fields * _variance(workload))
    return min(fields * longest, math.floor(workload.record_bytes + SPREAD * deviation))


def names_bytes(workload: Workload) -> int:
    """Bytes of the names of all fields: the prefix, and a number from 0 on."""
    fields = workload.field_count
    digits = sum(max(0, fields - at) for at in (0, 10, 100, 1000))
    return fields * len(workload.field_name_prefix) + digits


def _variance(workload: Workload) -> float:
    """Of the length of one value that is drawn, bytes²."""
    low, high = workload.min_field_length, workload.field_length
    match workload.field_length_distribution:
        case "uniform":
            return ((high - low + 1) ** 2 - 1) / 12
        case "histogram":
            pairs = workload.field_length_histogram
            weights = sum(weight for _, weight in pairs)
            mean = sum(length * weight for length, weight in pairs) / weights
            return sum(weight * (length - mean) ** 2 for length, weight in pairs) / weights
        case "zipfian":
            ranks = high - low + 1
            shares = power_sum(ranks, -ZIPFIAN_THETA)
            mean = power_sum(ranks, 1 - ZIPFIAN_THETA) / shares
            return max(0.0, power_sum(ranks, 2 - ZIPFIAN_THETA) / shares - mean**2)
        case _:
            return 0.0
