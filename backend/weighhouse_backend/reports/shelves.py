"""What a source of a report has to give: items, what it offers, its notes. Pure."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.reports.items import Item, Note, Withdrawn
from weighhouse_backend.reports.references import ClaimReference, Reference, marked
from weighhouse_backend.reports.schemas import OfferRead

CLAIM = "claim"
Give = Callable[[Sequence[str]], Item]
"""Makes an item of a reference's parts."""


@dataclass(frozen=True)
class Offer:
    """Something of a source that a text can refer to."""

    what: str
    """`claim`: the one of its parts is a claim's line."""
    parts: tuple[str, ...]
    label: str

    def reference(self, source: str) -> Reference | ClaimReference:
        """As a text refers to it."""
        if self.what == CLAIM:
            return ClaimReference(source, self.parts[0])
        return Reference(source, self.what, self.parts)


@dataclass(frozen=True)
class Shelf:
    """One source, opened."""

    label: str
    gives: Mapping[str, Give] = field(default_factory=dict)
    """By what a reference wants; `*`: anything else, whose name is the first part."""
    offers: tuple[Offer, ...] = ()
    notes: Mapping[str, Note] = field(default_factory=dict)
    stamps: tuple[str, ...] = ()
    claim: Callable[[str], Item] | None = None
    """What a claim over its figures comes to, by the claim's line."""
    withdrawn: str | None = None
    """Why nothing of it can be shown."""

    def item(self, wanted: Reference | ClaimReference) -> Item:
        """What a reference comes to; withdrawn with the reason where nothing can be shown."""
        if self.withdrawn is not None:
            return Withdrawn(reason=self.withdrawn)
        if isinstance(wanted, ClaimReference):
            if self.claim is None:
                return Withdrawn(reason=f"{self.label} has no cells that a claim could speak of")
            return self.claim(wanted.line)
        found = self.gives.get(wanted.what)
        if found is not None:
            return found(wanted.parts)
        rest = self.gives.get("*")
        if rest is not None:
            return rest((wanted.what, *wanted.parts))
        known = ", ".join(self.gives)
        return Withdrawn(reason=f"{self.label} has no {wanted.what}; it has {known}")

    def offered(self, source: str) -> Iterable[OfferRead]:
        """All that may be referred to, with what figures show now."""
        for one in self.offers:
            wanted = one.reference(source)
            item = self.item(wanted)
            if item.kind == "withdrawn":
                continue
            shows = item.words if item.kind in {"words", "claim"} else ""
            yield OfferRead(
                reference=marked(str(wanted)),
                source=source,
                kind=item.kind,
                label=one.label,
                shows=shows,
            )


def notes_of(caveats: Iterable[CaveatRead]) -> dict[str, Note]:
    """Caveats as notes, by ids that are the same wherever the same is said."""
    return {id_of(one): Note(title=one.title, text=one.text, severity=one.severity)
            for one in caveats}  # fmt: skip


def id_of(caveat: CaveatRead) -> str:
    """Of a caveat's words."""
    return note_id(caveat.title, caveat.text)


def note_id(title: str, text: str) -> str:
    """Of a note's words."""
    return hashlib.sha256(f"{title}\0{text}".encode()).hexdigest()[:12]


def ids_of(caveats: Iterable[CaveatRead], sides: Collection[str] = ()) -> tuple[str, ...]:
    """The notes of caveats.

    :param sides: those that concern one of these alone, or all; empty: every one.
    """
    return tuple(
        dict.fromkeys(
            id_of(one)
            for one in caveats
            if not sides or not one.sides or set(one.sides) & set(sides)
        )
    )
