"""A report as a document: its text with what references came to, and all notes at its end. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence

from weighhouse_backend.reports import charts
from weighhouse_backend.reports.items import Chart, Claimed, Content, Item, Note, Table, Withdrawn
from weighhouse_backend.reports.markdown import Drawn, tree
from weighhouse_backend.reports.nodes import Child, Node, node

KNOWN = "What has to be known"
GRAVEST_FIRST = ("bar", "caution", "note")
ASKED_AND_ANSWERED = 2
"""Columns of a table; of one with more, all are as wide."""
NAMED = re.compile("`([^`]+)`")
"""A name of a program or a setting, within a text of ours."""


def document(content: Content) -> list[Child]:
    """All of a report: its head, its text, and what must stand beside its figures."""
    resolved = content.resolved
    notes = _ordered(resolved.notes)
    numbers = {key: at for at, key in enumerate(notes, 1)}

    def alone(named: str) -> Sequence[Child]:
        return _alone(resolved.items[named], numbers)

    def within(named: str) -> Sequence[Child]:
        return _within(resolved.items[named], numbers)

    head = node(
        "header",
        node("h1", content.title),
        *(node("p", line, class_="about") for line in content.about),
        *(node("p", stamp, class_="stamp") for stamp in resolved.stamps),
    )
    return [head, *tree(content.text, Drawn(alone, within)), *_notes(notes)]


def withdrawn(content: Content) -> list[str]:
    """What is withdrawn in a report, with the reason."""
    found = content.resolved.items.items()
    return [f"{named}: {one.reason}" for named, one in found if isinstance(one, Withdrawn)]


def _ordered(notes: Mapping[str, Note]) -> dict[str, Note]:
    return dict(sorted(notes.items(), key=lambda each: GRAVEST_FIRST.index(each[1].severity)))


def _notes(notes: Mapping[str, Note]) -> Iterable[Child]:
    if not notes:
        return
    listed = [
        node("li", node("strong", *_set(f"{one.title}.")), *_set(f" {one.text}"),
             class_=one.severity, id=f"note-{at}")
        for at, one in enumerate(notes.values(), 1)
    ]  # fmt: skip
    heading = node("h2", KNOWN)
    yield node("section", heading, node("ol", *listed), class_="notes")


def _marks(keys: Iterable[str], numbers: Mapping[str, int]) -> Sequence[Child]:
    """Numbers of notes, those that follow each other as `1-4`."""
    wanted = sorted(numbers[key] for key in keys if key in numbers)
    spans: list[list[int]] = []
    for one in wanted:
        if spans and one == spans[-1][1] + 1:
            spans[-1][1] = one
        else:
            spans.append([one, one])
    if not spans:
        return ()
    said = [str(a) if a == b else f"{a}–{b}" for a, b in spans]
    return (node("sup", node("a", ", ".join(said), href=f"#note-{spans[0][0]}")),)


def _within(item: Item, numbers: Mapping[str, int]) -> Sequence[Child]:
    marks = _marks(item.notes, numbers)
    match item.kind:
        case "words":
            return (node("span", *_set(item.words), *marks, class_="figure"),)
        case "claim":
            verdict = node("span", item.words, class_="figure")
            why = _set(f" ({item.why.removesuffix('.')})")
            return (node("span", verdict, *why, *marks),)
        case "withdrawn":
            return (node("span", *_set(f"[withdrawn: {item.reason}]"), class_="withdrawn"),)
        case "texts":
            said = " ".join(f"{title}: {text}" if title else text for title, text in item.texts)
            return (node("span", *_set(said), *marks),)
        case _:
            said = f"[the {item.kind} “{item.caption}” stands on a line of its own]"
            return (node("span", said, class_="withdrawn"),)


def _alone(item: Item, numbers: Mapping[str, int]) -> Sequence[Child]:
    marks = _marks(item.notes, numbers)
    match item:
        case Table():
            return (_table(item, marks),)
        case Chart():
            return (_chart(item, marks),)
        case Claimed():
            verdict = node("strong", f"{item.words}.")
            return (node("p", f"{item.says}: ", verdict, f" {item.why}", *marks,
                         class_=f"claim {item.verdict.replace('_', '-')}"),)  # fmt: skip
        case Withdrawn():
            head = node("strong", "Withdrawn: ")
            return (node("p", head, *_set(item.reason), class_="withdrawn"),)
        case _ if item.kind == "texts":
            *first, last = item.texts
            return (*(_paragraph(*each) for each in first), _paragraph(*last, *marks))
        case _:
            return (node("p", *_within(item, numbers)),)


def _paragraph(title: str, text: str, *marks: Child) -> Node:
    ends = title.endswith((".", "?", "!"))
    head = (node("strong", *_set(f"{title} " if ends else f"{title}: ")),) if title else ()
    return node("p", *head, *_set(text), *marks)


def _table(item: Table, marks: Sequence[Child]) -> Node:
    head = node("tr", *(node("th", *_set(one), scope="col") for one in item.columns))
    rows = [
        node("tr", node("th", *_set(first), scope="row"), *(node("td", *_set(one)) for one in rest))
        for first, *rest in item.rows
    ]
    if not rows:
        rows = [node("tr", node("td", "Nothing yet.", colspan=len(item.columns)))]
    caption = node("caption", *_set(item.caption), *marks)
    even = "even" if len(item.columns) > ASKED_AND_ANSWERED else None
    table = node("table", caption, node("thead", head), node("tbody", *rows), class_=even)
    return node("div", table, class_="wide", tabindex=0, role="region", aria_label=item.caption)


def _chart(item: Chart, marks: Sequence[Child]) -> Node:
    caption = node("figcaption", *_set(item.caption), *marks)
    if not item.panels:
        return node("figure", node("p", "Nothing has been measured of it yet."), caption)
    return node("figure", charts.drawing(item), caption)


def _set(text: str) -> Sequence[Child]:
    """A text in which `names in backticks` are set as code."""
    parts = NAMED.split(text)
    return [node("code", one) if at % 2 else one for at, one in enumerate(parts)]
