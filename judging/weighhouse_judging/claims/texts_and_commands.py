"""A command line that a source quotes, held against what the source says beside it. Pure."""

import re
from collections.abc import Iterator

from weighhouse_protocol.published.cells import PublishedCell

from weighhouse_judging.claims.commands import QuotedCommand
from weighhouse_judging.claims.remarks import Remark, RemarkKind
from weighhouse_judging.claims.text import Text, label_of
from weighhouse_judging.studies.terms import place_words

OF_A_TIME, OF_A_RATE = 0.1, 0.01
"""By how much of itself a printed time or rate may differ from what was asked for."""
_READS = re.compile(r"\b(read[- ]?only|reads? only|gets?)\b", re.IGNORECASE)
_WRITES = re.compile(r"\b(write[- ]?only|writes? only|sets?|insert[- ]?only|update[- ]?only)\b",
                     re.IGNORECASE)  # fmt: skip


def commands(text: Text) -> Iterator[Remark]:
    """What each quoted command asks for, beside what its cell says."""
    for at, command in text.commands.items():
        cell = text.results.cells[at]
        yield from _numbers(text, cell, command)
        yield from _operations(text, cell, command)


def _numbers(text: Text, cell: PublishedCell, command: QuotedCommand) -> Iterator[Remark]:
    load = cell.load
    for name, said, within in (
        ("clients", load.clients, 0.0),
        ("pipeline", load.pipeline, 0.0),
        ("rate", load.rate, OF_A_RATE),
        ("seconds", cell.seconds, OF_A_TIME),
    ):
        asked = getattr(command, name)
        if said is None or asked is None:
            continue
        wrong = abs(said - asked) > within * asked
        how = command.words_of(name)
        words = f"{name}: {said:,.10g} in the text, {asked:,.10g} by the command"
        yield _remark(text, cell, f"{words}{f' ({how})' if how else ''}.", wrong=wrong)


def _operations(text: Text, cell: PublishedCell, command: QuotedCommand) -> Iterator[Remark]:
    reads, writes = bool(_READS.search(cell.workload)), bool(_WRITES.search(cell.workload))
    if reads == writes or command.read_share is None or command.write_share is None:
        return
    kind, share = ("read", command.read_share) if reads else ("write", command.write_share)
    other = "writes" if reads else "reads"
    words = f"{cell.workload!r} in the text; {command.words_of('write_share')} sends "
    told = f"{share:.3g} of {kind}s" if share not in {0.0, 1.0} else (
        f"{kind}s alone" if share else f"{other} alone"
    )  # fmt: skip
    yield _remark(text, cell, f"{words}{told}.", wrong=share < 1.0)


def _remark(text: Text, cell: PublishedCell, reason: str, *, wrong: bool) -> Remark:
    kind: RemarkKind = "contradiction" if wrong else "sound"
    where = place_words(cell.side, cell.workload, label_of(cell.load), text.names)
    place = next((one.place for one in cell.figures if one.place), "")
    return Remark("command", kind, f"the command of {where}", place, reason)
