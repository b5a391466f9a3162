"""The prices of an organization: read, saved, and looked up by whoever works out costs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from uuid import UUID

from weighhouse_judging.cost.prices import LicencePrice, MachinePrice
from weighhouse_protocol.text import AS_KEPT

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.problems import FieldProblem, Invalid
from weighhouse_backend.prices.errors import PriceUnknown
from weighhouse_backend.prices.list_prices import KNOWN_ON, LISTED, LISTED_BY_NAME
from weighhouse_backend.prices.models import PriceSheet
from weighhouse_backend.prices.repository import PriceRepository
from weighhouse_backend.prices.schemas import ListedPriceRead, PriceSheetWrite, PricesRead


@dataclass(frozen=True)
class PriceBook:
    """The prices that hold in an organization."""

    sheet: PriceSheetWrite

    def of_machine(self, hostname: str, asked: str | None) -> MachinePrice | None:
        """What a machine costs: by the price that is asked for, else by the one that names it,
        else by the default; None: nobody said.

        :raises PriceUnknown: when there is no price of the name that is asked for.
        """
        if asked is not None:
            return self.named(asked)
        for one in self.sheet.machines:
            if hostname in one.machines:
                return one.price()
        return None if self.sheet.default is None else self.named(self.sheet.default)

    def names(self, hostname: str, price: str) -> bool:
        """Does a price of the organization name this very machine?"""
        return any(one.name == price and hostname in one.machines for one in self.sheet.machines)

    def named(self, name: str) -> MachinePrice:
        """A price by its name, the organization's own before the shipped table's.

        :raises PriceUnknown: when there is none.
        """
        for one in self.sheet.machines:
            if one.name == name:
                return one.price()
        listed = LISTED_BY_NAME.get(name)
        if listed is None:
            known = ", ".join(one.name for one in self.sheet.machines) or "none"
            raise PriceUnknown(
                f"there is no price {name!r}; the organization's own: {known}; the shipped ones "
                f"are called like {LISTED[0].name!r}"
            )
        return listed.price()

    def licence(self, system: str) -> LicencePrice | None:
        """What a system's licence costs; None: nobody said."""
        for one in self.sheet.licences:
            if one.system == system:
                return one.price()
        return None


@dataclass(frozen=True)
class PriceService:
    """Keeps the prices of organizations."""

    repository: PriceRepository
    clock: Clock

    def read(self, caller: Caller, project_id: UUID | None) -> PricesRead:
        """The prices of a project's organization, and the shipped table.

        :raises NotFound: when the project is not the caller's.
        """
        return _read(self.repository.sheet(caller.project_or_only(project_id)))

    def book(self, project_id: UUID) -> PriceBook:
        """The same for features that work out costs and have checked access."""
        return PriceBook(_body(self.repository.sheet(project_id)))

    def save(
        self, caller: Caller, project_id: UUID | None, sheet: PriceSheetWrite, if_match: str | None
    ) -> PricesRead:
        """Put these prices in the place of all that were; takes a maintainer.

        :raises Changed: when others were saved meanwhile.
        :raises Invalid: when two prices have one name or one machine, when watts are missing or too
            many, or when the default is no price.
        """
        project = caller.project_or_only(project_id)
        caller.require(project, Role.MAINTAINER)
        found = list(_faults(sheet))
        if found:
            raise Invalid("the prices contradict each other", errors=found)
        row = self.repository.lock(project)
        require_match(if_match, etag(row.version))
        before = row.body
        row.body = sheet.model_dump(mode="json")
        row.version += 1
        row.updated_by = caller.name
        row.updated_at = self.clock.now()
        self.repository.session.flush()
        audit.record(
            self.repository.session,
            self.clock,
            actor=caller.name,
            action="prices.saved",
            subject="prices",
            project_id=project,
            before=before,
            after=row.body,
        )
        return _read(row)


def _body(row: PriceSheet | None) -> PriceSheetWrite:
    return (
        PriceSheetWrite()
        if row is None
        else PriceSheetWrite.model_validate(row.body, context=AS_KEPT)
    )


def _read(row: PriceSheet | None) -> PricesRead:
    shown = {
        **_body(row).model_dump(),
        "version": 0 if row is None else row.version,
        "updated_by": None if row is None else row.updated_by,
        "updated_at": None if row is None else row.updated_at,
        "listed": [
            ListedPriceRead(
                **{key: value for key, value in asdict(one).items() if key != "kind"},
                name=one.name,
                currency="USD",
                as_of=KNOWN_ON,
            )
            for one in LISTED
        ],
    }
    return PricesRead.model_validate(shown, context=AS_KEPT)


def _faults(sheet: PriceSheetWrite) -> Iterator[FieldProblem]:
    names = Counter(one.name for one in sheet.machines)
    hosts = Counter(host for one in sheet.machines for host in one.machines)
    systems = Counter(one.system for one in sheet.licences)
    for at, one in enumerate(sheet.machines):
        where = f"machines.{at}"
        if names[one.name] > 1:
            yield FieldProblem(
                path=f"{where}.name",
                message=f"{one.name!r} is the name of several prices",
                expected="a name of its own",
            )
        if (one.basis == "power") != (one.watts is not None):
            yield FieldProblem(
                path=f"{where}.watts",
                message="is missing" if one.watts is None else "belongs to a price by power alone",
                expected="watts for `power`, none for `hour`",
            )
        for place, host in enumerate(one.machines):
            if hosts[host] > 1:
                yield FieldProblem(
                    path=f"{where}.machines.{place}",
                    message=f"{host!r} is named more than once",
                    expected="one price for each machine",
                )
    for at, licence in enumerate(sheet.licences):
        if systems[licence.system] > 1:
            yield FieldProblem(
                path=f"licences.{at}.system",
                message=f"{licence.system!r} has several licences",
                expected="one price for each system",
            )
    if sheet.default is not None and sheet.default not in {*names, *LISTED_BY_NAME}:
        yield FieldProblem(
            path="default",
            message=f"there is no price {sheet.default!r}",
            expected="the name of one of these prices, or of one of the shipped table",
        )
