"""A report as Markdown that needs nothing else: references replaced by what they came to. Pure."""

import re

from weighhouse_backend.reports import charts
from weighhouse_backend.reports.documents import KNOWN
from weighhouse_backend.reports.items import Chart, Claimed, Content, Item, Table, Texts, Withdrawn
from weighhouse_backend.reports.references import MARK

_SIGNS = re.compile(r"([\\`*_\[\]<>|#~])")


def markdown(content: Content) -> str:
    """A report with its notes in full."""
    resolved = content.resolved
    text = MARK.sub(lambda found: _said(resolved.items[found[1].strip()]), content.text)
    head = [f"# {_plain(content.title)}", *map(_plain, content.about)]
    head += [f"**{_plain(one)}**" for one in resolved.stamps]
    parts = ["\n\n".join(head), text.strip()]
    if resolved.notes:
        notes = [f"1. **{_plain(one.title)}.** {_plain(one.text)}"
                 for one in resolved.notes.values()]  # fmt: skip
        parts += [f"## {KNOWN}", "\n".join(notes)]
    return "\n\n".join(parts) + "\n"


def _said(item: Item) -> str:
    match item:
        case Table():
            return _table(item)
        case Chart():
            lines = [f"- {_plain(one)}" for one in charts.alternatives(item)]
            return "\n".join([f"**{_plain(item.caption)}**", "", *(lines or ["- nothing yet"])])
        case Texts():
            said = [f"**{_plain(a)}:** {_plain(b)}" if a else _plain(b) for a, b in item.texts]
            return "\n\n".join(said)
        case Claimed():
            return f"**{_plain(item.words)}** ({_plain(item.why.removesuffix('.'))})"
        case Withdrawn():
            return f"[withdrawn: {_plain(item.reason)}]"
        case _:
            return _plain(item.words)


def _table(item: Table) -> str:
    rows = [item.columns, *item.rows]
    lines = [f"| {' | '.join(map(_plain, row))} |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(item.columns))
    return "\n".join([f"**{_plain(item.caption)}**", "", *lines])


def _plain(text: str) -> str:
    """A text in which nothing is markup."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))
