"""Costs of the cells of sides: each repeat's throughput, and the price of what held the system."""

import datetime
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from weighhouse_judging.cost.prices import Hourly, LicencePrice, MachinePrice, hourly, not_counted
from weighhouse_judging.cost.unit_costs import for_a_million, for_a_year

from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.sides import Side, side_labels, sides_read
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.measurements.evidence import EvidenceService
from weighhouse_backend.prices.schemas import (
    CellCostRead,
    CostsRead,
    LicenceUsedRead,
    PaidMachineRead,
    PriceUsedRead,
    RemarkRead,
    YearRead,
)
from weighhouse_backend.prices.service import PriceBook, PriceService
from weighhouse_backend.prices.setups import Holder, Members, attempt_of, holders, remarks_of
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.repeats import values
from weighhouse_backend.runs.states import RunStatus


@dataclass
class Gathered:
    """What has come up while cells were costed, each thing once."""

    prices: dict[str, MachinePrice] = field(default_factory=dict)
    licences: dict[str, tuple[LicencePrice, bool]] = field(default_factory=dict)
    left_out: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    remarks: dict[tuple[str, str], list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Paid:
    """A repeat with what was paid for it."""

    throughput: float
    machines: Sequence[tuple[Holder, MachinePrice]]
    hourly: Hourly


@dataclass(frozen=True)
class CostService:
    """Works out costs; keeps none of them."""

    evidence: EvidenceService
    prices: PriceService

    def costs(self, comparison: Comparison, price: str | None, rate: float | None) -> CostsRead:
        """What operations cost in each cell of sides.

        :param price: the name of one for all machines; else each machine's own, or the default.
        :param rate: operations a second that a year's cost is worked out for.
        :raises PriceUnknown: when there is no price of that name.
        :raises ComparisonUnclear: when no side has the cell that was asked for.
        """
        sides = comparison.shown.sides
        attempts = [attempt_of(run) for side in sides for run in side.runs]
        members = self.evidence.members({one for one in attempts if one is not None})
        books: dict[UUID, PriceBook] = {}
        gathered = Gathered()
        cells = []
        for side in sides:
            project = side.campaign.project_id
            if project not in books:
                books[project] = self.prices.book(project)
            book = books[project]
            if price is not None:
                book.named(price)
            cells += _of_side(side, book, price, rate, members, gathered)
        return CostsRead(
            completeness=comparison.completeness,
            price=price,
            rate=rate,
            sides=sides_read(sides, side_labels(sides)),
            cells=cells,
            prices=[_used(one) for one in gathered.prices.values()],
            licences=[_licence(*one) for one in gathered.licences.values()],
            not_counted=_remarks(gathered.left_out),
            remarks=_remarks(gathered.remarks),
            caveats=comparison.caveats,
        )


def _of_side(
    side: Side,
    book: PriceBook,
    asked: str | None,
    rate: float | None,
    members: Members,
    gathered: Gathered,
) -> list[CellCostRead]:
    found = []
    held: list[Holder] = []
    paid: list[tuple[Holder, MachinePrice]] = []
    licence = book.licence(side.system_id)
    for runs in side.cells.cells.values():
        cell, of_cell = _cell(side, runs, book, asked, rate, members)
        found.append(cell)
        held += [holder for one in of_cell for holder, _ in one.machines]
        paid += [machine for one in of_cell for machine in one.machines]
    if not paid:
        return found
    gathered.prices |= {price.name: price for _, price in paid}
    counted = licence is not None and all(price.currency == licence.currency for _, price in paid)
    if licence is not None:
        gathered.licences[licence.system] = (licence, counted)
    bases = {price.basis for _, price in paid}
    for one in not_counted(sorted(bases), licence=licence, counted=counted):
        gathered.left_out.setdefault((one.key, one.words), []).append(side.key)
    for remark in (*_of_machines(paid, book), *remarks_of(side, side.runs, held)):
        gathered.remarks.setdefault(remark, []).append(side.key)
    return found


def _of_machines(
    paid: Iterable[tuple[Holder, MachinePrice]], book: PriceBook
) -> list[tuple[str, str]]:
    """A price that does not name the machine is that of another one."""
    pairs = {
        (holder.words or "machines that are not known", price.name)
        for holder, price in paid
        if not book.names(holder.hostname, price.name)
    }
    return [
        (
            "other_machine",
            f"measured on {words}; paid as {price}: if that does as much, nobody measured",
        )
        for words, price in sorted(pairs)
    ]


def _cell(
    side: Side,
    runs: Sequence[RunFigures],
    book: PriceBook,
    asked: str | None,
    rate: float | None,
    members: Members,
) -> tuple[CellCostRead, list[Paid]]:
    paid: list[Paid] = []
    because = "no repeat gave a throughput"
    for run in runs:
        if run.status != RunStatus.COMPLETED or not run.of("throughput"):
            continue
        outcome = _paid(side, run, book, asked, members)
        if isinstance(outcome, Paid):
            paid.append(outcome)
        else:
            because = outcome
    machines = {
        (holder.hostname, place): price.name
        for one in paid
        for place, (holder, price) in enumerate(one.machines)
    }
    currencies = {one.hourly.currency for one in paid}
    if len(currencies) > 1:
        because = f"repeats were paid in {' and '.join(sorted(currencies))}"
        paid = []
    done = [run for run in runs if run.status == RunStatus.COMPLETED]
    throughput, p99_us, per_million = estimates.estimates_of(
        values(done, "throughput"),
        values(done, "p99_us"),
        [for_a_million(one.hourly.amount, one.throughput) for one in paid],
    )
    cell = CellCostRead(
        side=side.key,
        workload=runs[0].workload,
        load_level=estimates.load_level(runs[0]),
        throughput=throughput,
        p99_us=p99_us,
        machines=[PaidMachineRead(name=name, price=of) for (name, _), of in machines.items()],
        hourly=statistics.median(one.hourly.amount for one in paid) if paid else None,
        currency=currencies.pop() if paid else None,
        per_million=per_million,
        year=_year(paid, rate),
        because="" if paid else because,
    )
    return cell, paid


def _paid(
    side: Side, run: RunFigures, book: PriceBook, asked: str | None, members: Members
) -> Paid | str:
    """What was paid for a repeat, or why that is not known."""
    held = holders(side, run, members)
    if not held:
        return "which machines held the system was not recorded"
    machines = []
    for holder in held:
        price = book.of_machine(holder.hostname, asked)
        if price is None:
            return (
                f"no price: none is asked for, none names the machine {holder.hostname}, "
                "and there is no default"
            )
        machines.append((holder, price))
    try:
        sum_of = hourly([price for _, price in machines], book.licence(side.system_id))
    except ValueError as error:
        return str(error)
    return Paid(float(run.of("throughput") or 0), machines, sum_of)


def _year(paid: Sequence[Paid], rate: float | None) -> YearRead | None:
    throughput = estimates.estimate([one.throughput for one in paid])
    if rate is None or throughput is None:
        return None
    price = statistics.median(one.hourly.amount for one in paid)
    middle = for_a_year(price, throughput.median, rate)
    return YearRead(
        copies=middle.copies,
        amount=middle.amount,
        low=for_a_year(price, throughput.high, rate).amount,
        high=for_a_year(price, throughput.low, rate).amount,
        busy=middle.busy,
    )


def _used(price: MachinePrice) -> PriceUsedRead:
    words = f"{price.amount:g} {price.currency} an hour"
    if price.watts is not None:
        words = f"{price.watts:g} W at {price.amount:g} {price.currency} a kilowatt-hour"
    return read_of(
        PriceUsedRead, price, words=words, as_of=datetime.date.fromisoformat(price.as_of)
    )


def _licence(price: LicencePrice, counted: bool) -> LicenceUsedRead:
    return LicenceUsedRead(
        system=price.system,
        words=f"{price.amount:,.2f} {price.currency} a year and {price.per}",
        counted=counted,
        as_of=datetime.date.fromisoformat(price.as_of),
        source=price.source,
    )


def _remarks(found: dict[tuple[str, str], list[str]]) -> list[RemarkRead]:
    return [
        RemarkRead(key=key, words=words, sides=list(dict.fromkeys(sides)))
        for (key, words), sides in found.items()
    ]
