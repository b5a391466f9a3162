"""What the commands print of published sources that were checked."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.text import Text
from weighhouse_judging.claims.remarks import REMARK_KINDS, Remark, RemarkKind
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_cli.console import OUT

WORDS: dict[RemarkKind, tuple[str, str]] = {
    "contradiction": ("cannot be true as printed", "magenta"),
    "doubt": ("misleads", "yellow"),
    "sound": ("sound", "green"),
    "not_checked": ("cannot be checked", "dim"),
}
SHOWN: tuple[RemarkKind, ...] = ("contradiction", "doubt")


def show_checked(
    path: Path, results: PublishedResults, remarks: Sequence[Remark], *, everything: bool
) -> None:
    """One source: what is wrong with it, then how much was looked at.

    :param everything: also what is sound, and what could not be checked.
    """
    source = results.source
    OUT.print(Text(source.title, style="bold"), soft_wrap=True)
    paid = f"; paid by: {source.sponsor}" if source.sponsor else ""
    OUT.print(Text(f"{source.authors or path.name}{paid}", style="dim"), soft_wrap=True)
    for one in remarks:
        if everything or one.kind in SHOWN:
            words, style = WORDS[one.kind]
            place = f" ({one.place})" if one.place else ""
            OUT.print(Text.assemble((f"{words}: ", style), f"{one.where}{place}"), soft_wrap=True)
            OUT.print(Text(f"    {one.reason}"), soft_wrap=True)
    OUT.print(Text(in_numbers(remarks)), soft_wrap=True)
    if source.disclaimer:
        OUT.print(Text(source.disclaimer, style="dim"), soft_wrap=True)


def in_numbers(remarks: Sequence[Remark]) -> str:
    """`looked at: 103; cannot be true as printed: 29 · misleads: 0 · …`."""
    count = Counter(one.kind for one in remarks)
    told = " · ".join(f"{WORDS[kind][0]}: {count[kind]}" for kind in REMARK_KINDS)
    return f"looked at: {len(remarks)}; {told}"


def as_document(path: Path, results: PublishedResults, remarks: Sequence[Remark]) -> dict[str, Any]:
    """The same for programs."""
    count = Counter(one.kind for one in remarks)
    return {
        "file": str(path),
        "title": results.source.title,
        "disclaimer": results.source.disclaimer,
        "counts": {kind: count[kind] for kind in REMARK_KINDS},
        "remarks": [asdict(one) for one in remarks],
    }
