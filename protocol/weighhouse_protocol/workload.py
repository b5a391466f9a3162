"""A workload: a named set of parameters in YCSB's terms.

Names and defaults are those of YCSB's CoreWorkload (core/src/main/java/site/ycsb), written in
snake case; `operations` gathers its `…proportion` properties.
"""

import math
import operator
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from weighhouse_protocol.base import Document, Fraction, Name
from weighhouse_protocol.time_series import TimeSeries

Operation = Literal["read", "update", "insert", "scan", "read_modify_write", "delete"]
"""An operation of the core workload, and benchANT's delete."""

RequestDistribution = Literal[
    "uniform",
    "zipfian",
    "sequential",
    "latest",
    "hotspot",
    "exponential",
    "uniform_growing",
    "zipf",
    "gaussian",
]
"""How keys are chosen; `zipfian` is YCSB's scrambled zipfian, bit for bit, `zipf` a true Zipf,
`gaussian` a bell as memtier_benchmark's key pattern G:G draws it.
"""

WEIGHT_TOLERANCE = 1e-6
MOST_FIELD_BYTES = 512 * 2**20
"""A string of Redis."""
MOST_RANKED_LENGTHS = 1_000_000
"""That `zipfian` draws of."""
LengthWeight = tuple[
    Annotated[int, Field(ge=1, le=MOST_FIELD_BYTES)], Annotated[float, Field(gt=0, le=1e15)]
]
"""A length in bytes, and its weight among others."""
ZIPFIAN_THETA = 0.99
"""YCSB's only exponent, but for `zipfian_constant`."""
GAUSSIAN_MEDIAN, GAUSSIAN_STDDEV = 0.5, 0.1666666667
"""As memtier_benchmark's: the centre, and a sixth of the key space."""


ADDED_ONE_BY_ONE = 64


KEY_PLACE = "%s"
"""Where a template of keys has the number: at its end."""


def _without_place(prefix: object) -> object:
    """`bench:user%s` as people write templates is the prefix `bench:user`."""
    return prefix.removesuffix(KEY_PLACE) if isinstance(prefix, str) else prefix


def power_sum(most: int, exponent: float) -> float:
    """1 + 2^exponent + … + most^exponent, for exponents that are neither whole nor far from 0.

    The first are added one by one, the others by the Euler-Maclaurin formula, whose next term is
    below 10⁻⁹ of the sum: a document may ask for a million.
    """
    few = min(most, ADDED_ONE_BY_ONE)
    total = sum(math.pow(rank, exponent) for rank in range(1, few + 1))
    if few == most:
        return total

    def integral(rank: int) -> float:
        return math.pow(rank, exponent + 1) / (exponent + 1)

    def slope(rank: int) -> float:
        return exponent * math.pow(rank, exponent - 1)

    ends = (math.pow(most, exponent) - math.pow(few, exponent)) / 2
    return total + integral(most) - integral(few) + ends + (slope(most) - slope(few)) / 12


class Expiry(Document):
    """A share of the writes that expires, each after a time of its own.

    An insert draws by the run's seed and the record: the same records expire whenever they are
    loaded with that seed. An update draws anew, and what it leaves without a time stays.
    """

    fraction: float = Field(gt=0, le=1)
    """Share of the writes that expire."""
    min_seconds: int = Field(ge=1, le=10**9)
    max_seconds: int = Field(ge=1, le=10**9)
    """Whole seconds within both, all alike."""

    @model_validator(mode="after")
    def _range_is_a_range(self) -> Self:
        if self.min_seconds > self.max_seconds:
            message = (
                f"min_seconds {self.min_seconds} is above max_seconds {self.max_seconds}; for "
                "example {fraction: 0.3, min_seconds: 60, max_seconds: 3600}"
            )
            raise ValueError(message)
        return self


class OperationMix(Document):
    """The share of each operation; the shares add up to 1."""

    read: Fraction = 0.0
    update: Fraction = 0.0
    insert: Fraction = 0.0
    scan: Fraction = 0.0
    read_modify_write: Fraction = 0.0
    delete: Fraction = 0.0

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        total = sum(self.model_dump().values())
        if abs(total - 1.0) > WEIGHT_TOLERANCE:
            message = (
                f"the shares add up to {total:g}, not 1; for example {{read: 0.95, update: 0.05}}"
            )
            raise ValueError(message)
        return self


class Workload(Document):
    """A named workload."""

    name: Name
    description: str = Field(default="", max_length=2000)
    record_count: int = Field(default=1000, ge=1, le=10**12)
    """Records in the table before the measured phase starts."""
    insert_start: int = Field(default=0, ge=0, le=10**12)
    """First record number of this slice of the key space."""
    insert_count: int | None = Field(default=None, ge=0, le=10**12)
    """Records the load phase inserts; default: record_count - insert_start. 0, nothing, goes with
    `fill_on_miss`."""
    field_count: int = Field(default=10, ge=1, le=1000)
    field_length: int = Field(default=100, ge=1, le=MOST_FIELD_BYTES)
    """Bytes in a field; the most, when lengths are drawn."""
    field_length_distribution: Literal["constant", "uniform", "zipfian", "histogram"] = "constant"
    """How the length of each value is drawn: within min_field_length and field_length, or from
    `field_length_histogram`. `zipfian` favours short ones, of a million lengths at most."""
    min_field_length: int = Field(default=1, ge=1, le=MOST_FIELD_BYTES)
    field_length_histogram: tuple[LengthWeight, ...] = Field(default=(), max_length=10_000)
    """Pairs of a length in bytes and its weight."""
    field_name_prefix: str = Field(
        default="field", max_length=100, pattern=r"^[A-Za-z][A-Za-z0-9_]*$"
    )
    read_all_fields: bool = True
    read_fields_by_name: bool = False
    """Reads of all fields name them one by one (YCSB's readallfieldsbyname)."""
    write_all_fields: bool = False
    operations: OperationMix = OperationMix(read=0.95, update=0.05)
    request_distribution: RequestDistribution = "uniform"
    zipf_theta: float = Field(default=0.99, gt=0, le=10)
    """Exponent of `zipf`."""
    zipfian_constant: float = Field(
        default=ZIPFIAN_THETA, gt=0, lt=1, exclude_if=lambda constant: constant == ZIPFIAN_THETA
    )
    """Constant of `zipfian`: ranks are drawn as YCSB's generator does with it, over 10¹⁰ items of
    which it has the sum by a formula. Not written where it is YCSB's own: drivers of before do not
    know it."""
    hotspot_data_fraction: Fraction = 0.2
    """Share of the records, the lowest numbers, that are `hotspot`'s hot set."""
    hotspot_operation_fraction: Fraction = 0.8
    """Share of the operations that go to the hot set."""
    exponential_percentile: float = Field(default=95.0, gt=0, lt=100)
    """Percentage of the operations that go to the newest `exponential_fraction` of records."""
    exponential_fraction: float = Field(default=0.8571428571, gt=0, le=1)
    gaussian_median: Fraction = Field(
        default=GAUSSIAN_MEDIAN, exclude_if=lambda at: at == GAUSSIAN_MEDIAN
    )
    """Where the bell of `gaussian` is highest, as a share of the key space: the records that are
    there before the measured phase, by their numbers. What falls outside is drawn again."""
    gaussian_stddev: float = Field(
        default=GAUSSIAN_STDDEV, ge=1e-9, le=1, exclude_if=lambda at: at == GAUSSIAN_STDDEV
    )
    """Its standard deviation, as a share of the key space."""
    min_scan_length: int = Field(default=1, ge=1, le=10_000)
    max_scan_length: int = Field(default=1000, ge=1, le=10_000)
    """Records that a scan asks for, within both."""
    scan_length_distribution: Literal["uniform", "zipfian"] = "uniform"
    insert_order: Literal["hashed", "ordered"] = "hashed"
    key_prefix: Annotated[str, BeforeValidator(_without_place)] | None = Field(
        default=None,
        min_length=1,
        max_length=64,
        pattern=r"^[!-$&-~]+$",
        exclude_if=operator.not_,
    )
    """What all keys begin with, for example `bench:user` or, with a hash tag that keeps them on one
    node of a cluster, `{bench}:user`; printable characters without blanks and %. Default: YCSB's
    `user`, and nothing before points of time series. What a driver writes beside the records (an
    index for scans) begins with it, too."""
    zero_padding: int = Field(default=1, ge=1, le=180)
    """Digits that the number in a key has at least."""
    verify_fraction: Fraction = 0.0
    """Share of reads whose value is checked against what was written."""
    value_repetition: Fraction = 0.0
    """Share of each value that repeats one character: what a compressor can find."""
    ttl_seconds: int | None = Field(default=None, ge=1, le=10**9)
    """Time after which a written record expires."""
    expiry: Expiry | None = Field(default=None, exclude_if=operator.not_)
    """A share of the writes that expires, in the place of `ttl_seconds`; for example
    `{fraction: 0.3, min_seconds: 60, max_seconds: 3600}`."""
    keys_per_read: int = Field(default=1, ge=1, le=1000)
    """Records that one read asks for (multi-get)."""
    read_miss_fraction: Fraction = 0.0
    """Share of reads that ask for a key which was never inserted."""
    fill_on_miss: bool = Field(default=False, exclude_if=operator.not_)
    """The system is a cache: a read that finds nothing is followed by a write of that record, as
    its client does once the backing store has told it (cache-aside). Reads choose among all of
    `record_count`, of which `insert_count` may load a part. A fill is an operation of its own."""
    reconnect_every: int | None = Field(default=None, ge=1, le=10**9, exclude_if=operator.not_)
    """Operations after which a connection is closed; the next one opens it anew, and its time
    contains the handshake, TLS and signing in. Default: connections stay."""
    insert_retry_limit: int = Field(default=3, ge=0, le=100)
    """How often the load phase tries again to insert a record before it leaves it out."""
    time_series: TimeSeries | None = None
    """Records are data points of time series; `request_distribution` then chooses a name."""

    @model_validator(mode="after")
    def _slice_fits(self) -> Self:
        if self.insert_count is not None:
            end = self.insert_start + self.insert_count
        else:
            end = self.insert_start + 1
        if end > self.record_count:
            message = (
                f"insert_start + insert_count = {end} is beyond record_count {self.record_count}"
            )
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _fills_are_of_one_record(self) -> Self:
        if self.insert_count == 0 and not self.fill_on_miss:
            message = "insert_count 0 loads nothing; it goes with fill_on_miss: true"
            raise ValueError(message)
        if self.fill_on_miss and self.keys_per_read > 1:
            message = "fill_on_miss writes the record that a read missed: leave keys_per_read at 1"
            raise ValueError(message)
        if self.fill_on_miss and self.time_series is not None:
            message = "fill_on_miss: points of time_series are not filled; leave one of them out"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _ranges_are_ranges(self) -> Self:
        if self.min_scan_length > self.max_scan_length:
            message = (
                f"min_scan_length {self.min_scan_length} is above "
                f"max_scan_length {self.max_scan_length}"
            )
            raise ValueError(message)
        drawn_between = self.field_length_distribution in ("uniform", "zipfian")
        if drawn_between and self.min_field_length > self.field_length:
            message = (
                f"min_field_length {self.min_field_length} is above "
                f"field_length {self.field_length}"
            )
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _histogram_is_there_when_needed(self) -> Self:
        if self.field_length_distribution == "zipfian":
            lengths = self.field_length - self.min_field_length + 1
            if lengths > MOST_RANKED_LENGTHS:
                message = (
                    f"zipfian draws of at most {MOST_RANKED_LENGTHS:,} lengths, min_field_length "
                    f"and field_length leave {lengths:,}; use uniform, or histogram with a few"
                )
                raise ValueError(message)
        wanted = self.field_length_distribution == "histogram"
        if wanted != bool(self.field_length_histogram):
            message = (
                "field_length_histogram goes with field_length_distribution: histogram, and "
                "that needs it; for example [[100, 3], [1000, 1]]"
            )
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _expires_in_one_way(self) -> Self:
        if self.expiry is not None and self.ttl_seconds is not None:
            message = "expiry and ttl_seconds: leave one of them out; ttl_seconds is of all writes"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _verified_reads_ask_for_one_record(self) -> Self:
        if self.keys_per_read > 1 and (
            self.verify_fraction > 0 or not self.read_all_fields or self.read_fields_by_name
        ):
            message = (
                "keys_per_read above 1 reads whole records and does not verify them: leave "
                "verify_fraction at 0, read_all_fields true and read_fields_by_name false"
            )
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _points_are_whole(self) -> Self:
        if self.time_series is None:
            return self
        series = self.time_series.series
        if self.record_count < series:
            message = (
                f"record_count {self.record_count} is below one data point for each of the "
                f"{series} series of time_series"
            )
            raise ValueError(message)
        if self.insert_start or self.insert_count is not None:
            message = "insert_start and insert_count: time series have no slices; leave them out"
            raise ValueError(message)
        if self.request_distribution in ("latest", "exponential", "uniform_growing"):
            message = (
                f"request_distribution: {self.request_distribution} chooses by age, and names of "
                "series have none; use uniform, zipfian, zipf, sequential, hotspot or gaussian"
            )
            raise ValueError(message)
        return self

    @property
    def records_to_load(self) -> int:
        """Records that the load phase is to insert."""
        if self.insert_count is not None:
            return self.insert_count
        return self.record_count - self.insert_start

    @property
    def records_named(self) -> int:
        """Records that may be there: those loaded, or all that a cache may be filled with."""
        if self.fill_on_miss:
            return self.record_count - self.insert_start
        return self.records_to_load

    @property
    def longest_ttl(self) -> int | None:
        """Seconds after which whatever expires is gone; None where nothing does."""
        return self.ttl_seconds if self.expiry is None else self.expiry.max_seconds

    @property
    def lasting_share(self) -> float:
        """Share of what is written that never expires."""
        if self.expiry is not None:
            return 1.0 - self.expiry.fraction
        return 1.0 if self.ttl_seconds is None else 0.0

    @property
    def record_bytes(self) -> int:
        """Payload bytes of one record, without keys and field names; the mean, rounded, when
        lengths are drawn.
        """
        return round(self.field_count * self._mean_field_length())

    def _mean_field_length(self) -> float:
        low, high = self.min_field_length, self.field_length
        match self.field_length_distribution:
            case "constant":
                return float(high)
            case "uniform":
                return (low + high) / 2
            case "histogram":
                weights = sum(weight for _, weight in self.field_length_histogram)
                total = sum(length * weight for length, weight in self.field_length_histogram)
                return total / weights
            case "zipfian":
                ranks = high - low + 1
                shares = power_sum(ranks, -ZIPFIAN_THETA)
                return low - 1 + power_sum(ranks, 1 - ZIPFIAN_THETA) / shares
