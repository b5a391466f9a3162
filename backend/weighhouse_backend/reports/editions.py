"""Editions: a report's content with a digest, and what is another now. Pure."""

import hashlib
import json
from collections.abc import Iterable

from weighhouse_backend.reports.items import (
    Chart,
    Claimed,
    Content,
    Item,
    Resolved,
    Table,
    Texts,
    Withdrawn,
    Words,
)
from weighhouse_backend.reports.schemas import EditionChangeRead

MOST_SHOWN = 200
LONGEST = 300


def digest(content: Content) -> str:
    """SHA-256 of a content as canonical JSON: keys in order, no space, UTF-8."""
    said = content.model_dump(mode="json")
    text = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def withheld(kept: Resolved, now: Resolved) -> Resolved:
    """What was kept, without what may not be shown any more, or is gone."""
    items = {
        named: gone if isinstance(gone := now.items.get(named), Withdrawn) else item
        for named, item in kept.items.items()
    }
    return kept.model_copy(update={"items": items})


def changes(kept: Content, now: Content, revision: int, current: int) -> list[EditionChangeRead]:
    """What is another now than in an edition, as far as a page has room.

    :param now: the edition's text, with what its references come to now.
    :param revision: of the report, that the edition is of; `current`: the newest.
    """
    found = list(_changes(kept, now))
    if current != revision:
        found.insert(0, EditionChangeRead(what="The text", before=f"revision {revision}",
                                   now=f"revision {current}"))  # fmt: skip
    return found[:MOST_SHOWN]


def _changes(kept: Content, now: Content) -> Iterable[EditionChangeRead]:
    for named, before in kept.resolved.items.items():
        after = now.resolved.items.get(named)
        if after is not None and _plain(before) != _plain(after):
            yield from _of_item(named, before, after)
    known, knows = kept.resolved.notes, now.resolved.notes
    for key in dict.fromkeys([*known, *knows]):
        if key not in knows:
            yield _change("What has to be known", known[key].title, "does not hold any more")
        elif key not in known:
            yield _change("What has to be known", "was not known", knows[key].title)


def _of_item(named: str, before: Item, after: Item) -> Iterable[EditionChangeRead]:
    match before, after:
        case Table(), Table():
            yield from _of_rows(named, _rows(before), _rows(after))
        case Chart(), Chart():
            yield from _of_rows(named, _points(before), _points(after))
        case _:
            yield _change(named, _plain(before), _plain(after))


def _of_rows(
    named: str, before: dict[str, str], after: dict[str, str]
) -> Iterable[EditionChangeRead]:
    for key in dict.fromkeys([*before, *after]):
        was, is_now = before.get(key, "was not there"), after.get(key, "is not there any more")
        if was != is_now:
            yield _change(f"{named}: {key}", was, is_now)


def _rows(table: Table) -> dict[str, str]:
    """Cells by row and column."""
    found: dict[str, str] = {}
    for at, (first, *rest) in enumerate(table.rows):
        row = first if sum(one[0] == first for one in table.rows) == 1 else f"{first}, row {at + 1}"
        for column, text in zip(table.columns[1:], rest, strict=False):
            found[f"{row}, {column}"] = text
    return found


def _points(chart: Chart) -> dict[str, str]:
    return {
        f"{line.label}, {panel.title}, {chart.places[one.at]}": one.words
        for panel in chart.panels
        for line in panel.lines
        for one in line.points
    }


def _plain(item: Item) -> str:
    match item:
        case Words():
            return item.words
        case Texts():
            return " ".join(text for _, text in item.texts)
        case Claimed():
            return f"{item.words}: {item.why}"
        case Withdrawn():
            return f"withdrawn: {item.reason}"
        case Table():
            return json.dumps(item.rows)
        case _:
            return json.dumps(_points(item))


def _change(what: str, before: str, now: str) -> EditionChangeRead:
    return EditionChangeRead(what=what, before=_cut(before), now=_cut(now))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
