"""Reads files of any format: recognised by content, read by importers, told before it is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from weighhouse_protocol.published.cells import PublishedCell, PublishedSide
from weighhouse_protocol.published.figures import ImportNote
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.published.source import PublishedSource
from weighhouse_protocol.text import seen

from weighhouse_imports.archives import offered
from weighhouse_imports.importer import NOTHING_TOLD, Importer, Recognition, Told
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused
from weighhouse_imports.registry import ImporterMissing, importer_named, importers

LEAST_CERTAINTY = 0.5
MOST_TITLE = 300
MOST_CELLS = MOST_NOTES = 10_000


@dataclass(frozen=True)
class Recognised:
    """A file, and what it was taken for."""

    file: str
    format: str
    certainty: float
    reason: str


@dataclass(frozen=True)
class Preview:
    """What came out of files, before anything of it is kept."""

    results: PublishedResults | None
    """None: nothing was read. Files that were refused left nothing in it."""
    recognised: tuple[Recognised, ...] = ()
    refused: tuple[ImportNote, ...] = ()

    @property
    def notes(self) -> tuple[ImportNote, ...]:
        """All there is to say: what was refused first, then of what was read."""
        return (*self.refused, *(self.results.notes if self.results else ()))


def read_paths(
    paths: Sequence[Path], format_name: str | None = None, told: Told = NOTHING_TOLD
) -> Preview:
    """Read files, folders and archives.

    :param format_name: of all of them; None: each is recognised.
    :raises ImporterMissing: when nobody reads that format.
    """
    try:
        found = offered(paths)
    except Refused as refused:
        return Preview(None, refused=(refused.note(),))
    return read_files(found.files, format_name, told, found.refused)


def read_files(
    files: Sequence[ImportFile],
    format_name: str | None = None,
    told: Told = NOTHING_TOLD,
    refused: Sequence[ImportNote] = (),
) -> Preview:
    """Read files that are opened: what is kept of each group is whole, or nothing.

    :param format_name: of all of them; None: each is recognised.
    :param refused: what was not even opened.
    :raises ImporterMissing: when nobody reads that format.
    """
    left = list(refused)
    recognised: list[Recognised] = []
    kinds: dict[str, list[tuple[ImportFile, str]]] = {}
    for file in sorted(files, key=lambda one: one.name):
        try:
            kind = _kind_of(file, format_name)
        except Refused as problem:
            left.append(problem.note())
            continue
        recognised.append(kind)
        kinds.setdefault(file.folder, []).append((file, kind.format))
    read: list[PublishedResults] = []
    for within in kinds.values():
        for importer, group in _groups(within):
            try:
                read.append(_read(importer, group, told))
            except Refused as problem:
                left.append(problem.note())
    results = _joined(read, told) if read else None
    return Preview(results, tuple(recognised), tuple(left[:MOST_NOTES]))


def _read(importer: Importer, group: Sequence[ImportFile], told: Told) -> PublishedResults:
    try:
        return importer.read(group, told)
    except Refused as refused:
        if not refused.file:
            refused.file = group[0].name
        raise
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = f"says what cannot be: {place}: {first['msg']}"
        raise Refused(reason, group[0].name) from error
    except (OSError, RecursionError) as error:
        raise Refused(f"cannot be read: {error}", group[0].name) from error


def recognise(file: ImportFile) -> Recognised:
    """Which importer a file is for.

    :raises Refused: when none knows it, or it is empty.
    """
    if not file.size or not file.head.strip():
        raise Refused("is empty", file.name)
    best: tuple[float, str, Recognition] | None = None
    for name, importer in importers().items():
        found = importer.recognises(file.head, file.name)
        if found and found.certainty >= LEAST_CERTAINTY:
            this = (found.certainty, name, found)
            best = this if best is None or this[0] > best[0] else best
    if best is None:
        reason = (
            "is of no format that is known; name it by its format if it is one of "
            f"{', '.join(sorted(importers()))}, or leave it out"
        )
        raise Refused(reason, file.name)
    return Recognised(file.name, best[1], best[0], best[2].reason)


def _kind_of(file: ImportFile, format_name: str | None) -> Recognised:
    if format_name is None:
        return recognise(file)
    importer_named(format_name)
    if not file.size:
        raise Refused("is empty", file.name)
    return Recognised(file.name, format_name, 1.0, "named by who imports it")


def _groups(
    within: Sequence[tuple[ImportFile, str]],
) -> list[tuple[Importer, list[ImportFile]]]:
    """Files of one folder by their importer; those that another takes along go with its own."""
    kinds: dict[str, list[ImportFile]] = {}
    for file, kind in within:
        kinds.setdefault(kind, []).append(file)
    for kind in sorted(kinds, key=lambda one: -len(importer_named(one).manifest.takes_along)):
        for other in importer_named(kind).manifest.takes_along:
            if kind in kinds and other in kinds and other != kind:
                kinds[kind] += kinds.pop(other)
    return [(importer_named(kind), files) for kind, files in kinds.items()]


def _joined(read: Sequence[PublishedResults], told: Told) -> PublishedResults:
    if len(read) == 1 and not told.title:
        return read[0]
    sides: dict[str, PublishedSide] = {}
    cells: list[PublishedCell] = []
    notes: list[ImportNote] = []
    for results in read:
        names: dict[str, str] = {}
        for side in results.sides:
            name = side.name
            number = 2
            while name in sides and sides[name].model_copy(update={"name": side.name}) != side:
                name = f"{side.name[:58]}-{number}"
                number += 1
            sides[name] = side.model_copy(update={"name": name})
            names[side.name] = name
        cells += (cell.model_copy(update={"side": names[cell.side]}) for cell in results.cells)
        notes += results.notes
    first = read[0].source
    tools = dict.fromkeys(one.source.tool for one in read if one.source.tool)
    title = seen(told.title)[:MOST_TITLE] or first.title
    source = PublishedSource(
        **{**first.model_dump(), "title": title, "tool": ", ".join(tools)[:MOST_TITLE]}
    )
    try:
        return PublishedResults(
            source=source,
            sides=tuple(sides.values()),
            cells=tuple(cells[:MOST_CELLS]),
            notes=tuple(notes[:MOST_NOTES]),
        )
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        raise Refused(f"together they are too much: {first_error['msg']}; import fewer") from error


__all__ = ["ImporterMissing", "Preview", "Recognised", "read_files", "read_paths", "recognise"]
