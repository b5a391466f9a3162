"""Pure: a disclosure in lines, section by section, with what is missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from weighhouse_protocol.disclosure import Disclosure, SystemDisclosure

from weighhouse_backend.disclosure.completeness import (
    SECTIONS,
    Answer,
    Kind,
    SectionId,
    fault_of,
    faults_of,
    share,
)
from weighhouse_backend.disclosure.schemas import (
    DecisionRead,
    DisclosureItem,
    DisclosureRead,
    DisclosureSectionRead,
)
from weighhouse_backend.disclosure.terms import STRICTNESS

NOT_SAID = "not disclosed"
NOT_KNOWN = "not known"
TUNING_WORDS = {
    "neutral_default": "neutral, default settings",
    "vendor_tuned": "tuned by its vendor",
    "competitor_tuned": "tuned by a competitor",
    "community": "community settings",
    "unknown": NOT_SAID,
}


@dataclass(frozen=True)
class Fact:
    """Something that the platform has to know."""

    section: SectionId
    label: str
    value: str | None
    """None: it does not."""


@dataclass(frozen=True)
class Part:
    """One experiment's share of a disclosure."""

    disclosure: Disclosure
    systems: Mapping[str, str]
    """Identifier → name, of those that are shown."""
    facts: Sequence[Fact] = ()
    suffix: str = ""
    """Tells it from the other parts' lines: ` (№ 12)`."""


@dataclass(frozen=True)
class _Line:
    section: SectionId
    label: str
    path: str
    answer: Answer
    shown: str = field(default="")


def disclosure_sheet(
    parts: Sequence[Part], decisions: Sequence[DecisionRead] = ()
) -> DisclosureRead:
    """A disclosure in lines, with how complete it is.

    :param parts: experiments that say the same are given once.
    :param decisions: whether figures may be shown to everybody.
    """
    items = [item for part in parts for item in (*_people(part), *_platform(part))]
    order = {name: place for place, name in enumerate(SECTIONS)}
    items.sort(key=lambda item: order[item.section])
    answered = [item.fault is None for item in items]
    sections = []
    for name, label in SECTIONS.items():
        counted = [item.fault is None for item in items if item.section == name]
        if counted:
            sections.append(
                DisclosureSectionRead(
                    id=name,
                    label=label,
                    asked=len(counted),
                    answered=sum(counted),
                    completeness=share(counted),
                )
            )
    return DisclosureRead(
        completeness=share(answered),
        asked=len(answered),
        answered=sum(answered),
        basis="measured" if any(part.facts for part in parts) else "plan",
        sections=sections,
        items=items,
        publication=max(
            (one.policy for one in decisions), key=STRICTNESS.index, default="open_with_disclosure"
        ),
        decisions=list(decisions),
    )


def is_disclosed(disclosure: Disclosure, systems: Mapping[str, str]) -> bool:
    """Whether people answered all that only they know."""
    return all(item.fault is None for item in _people(Part(disclosure, systems)))


def _people(part: Part) -> list[DisclosureItem]:
    lines = list(_lines(part))
    faults = faults_of([line.answer for line in lines])
    found = [
        DisclosureItem(
            label=f"{line.label}{part.suffix}",
            value=line.shown or line.answer.text or NOT_SAID,
            section=line.section,
            said_by="people",
            fault=fault,
            path=line.path,
        )
        for line, fault in zip(lines, faults, strict=True)
    ]
    said = {one.system: one for one in part.disclosure.systems}
    for system_id, name in sorted(part.systems.items()):
        one = said.get(system_id, SystemDisclosure(system=system_id))
        asked = "; its vendor was asked" if one.vendor_contacted else ""
        found.append(
            DisclosureItem(
                label=f"{name}, tuning{part.suffix}",
                value=f"{TUNING_WORDS[one.tuning]}{asked}",
                section="who",
                said_by="people",
                fault="not answered" if one.tuning == "unknown" else None,
                path=f"disclosure.systems[{system_id}].tuning",
            )
        )
    return [*found, _caveats(part)]


def _lines(part: Part) -> Iterator[_Line]:
    given = part.disclosure
    said = {one.system: one for one in given.systems}

    def line(
        section: SectionId, label: str, name: str, text: str, kind: Kind, *, none: bool = False
    ) -> _Line:
        question = name.rpartition(".")[2].replace("_", " ")
        return _Line(section, label, f"disclosure.{name}", Answer(question, text, kind, none))

    yield line("who", "sponsor", "sponsor", given.sponsor, "name", none=True)
    yield line("who", "method", "method_author", given.method_author, "name")
    yield line("who", "affiliations", "affiliations", given.affiliations, "statement", none=True)
    yield line("who", "conflicts of interest", "conflicts", given.conflicts, "statement", none=True)
    for system_id, name in sorted(part.systems.items()):
        one = said.get(system_id, SystemDisclosure(system=system_id))
        place = f"systems[{system_id}]"
        yield line("who", f"{name}, set up by", f"{place}.configured_by", one.configured_by, "name")
        yield line(
            "configuration",
            f"{name}, effort of tuning",
            f"{place}.tuning_effort",
            one.tuning_effort,
            "statement",
            none=True,
        )
    yield line("where", "whose machines", "hosting", given.hosting, "statement")


def _caveats(part: Part) -> DisclosureItem:
    given = [text for text in part.disclosure.caveats if text.strip()]
    faults = [fault_of(Answer("caveats", text, "statement")) for text in given]
    fault = None if None in faults else next(iter(faults), "not answered")
    return DisclosureItem(
        label=f"what the figures do not show{part.suffix}",
        value=" · ".join(given) or NOT_SAID,
        section="limits",
        said_by="people",
        fault=fault,
        path="disclosure.caveats",
    )


def _platform(part: Part) -> Iterator[DisclosureItem]:
    for fact in part.facts:
        yield DisclosureItem(
            label=f"{fact.label}{part.suffix}",
            value=fact.value or NOT_KNOWN,
            section=fact.section,
            said_by="platform",
            fault=None if fact.value else "no run told it",
            path=None,
        )
