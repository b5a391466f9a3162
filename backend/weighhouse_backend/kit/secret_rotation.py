"""After the installation's secret was changed: what a former one sealed is sealed anew."""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import Column, Table, select, update
from sqlalchemy.orm import Session

from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.seals import CannotUnseal, Seal


@dataclass(frozen=True)
class Resealed:
    """What became of all that is sealed, in numbers of values."""

    present: int
    """The present secret sealed them before."""
    anew: int
    """Sealed anew."""
    unreadable: dict[str, int]
    """Of which no secret is known, by `table.column`: left as they are."""


def sealed_columns() -> list[tuple[Table, Column[str]]]:
    """Every column that holds what is sealed."""
    return [
        (table, column)
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if column.info.get("sealed")
    ]


def reseal(session: Session, seal: Seal) -> Resealed:
    """Seal all anew that the present secret did not seal. Repeatable; nobody is held up, and what
    somebody else has changed meanwhile is left as they changed it.
    """
    present = anew = 0
    unreadable: Counter[str] = Counter()
    for table, column in sealed_columns():
        keys = list(table.primary_key.columns)
        rows = session.execute(select(*keys, column).where(column.is_not(None)))
        for *key, sealed in rows.all():
            if seal.is_present(sealed):
                present += 1
                continue
            try:
                changed = seal.anew(sealed)
            except CannotUnseal:
                unreadable[f"{table.name}.{column.name}"] += 1
                continue
            own = [one == value for one, value in zip(keys, key, strict=True)]
            own.append(column == sealed)
            session.execute(update(table).where(*own).values({column.name: changed}))
            anew += 1
    return Resealed(present, anew, dict(unreadable))
