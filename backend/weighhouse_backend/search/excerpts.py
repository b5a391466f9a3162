"""Where a text has what was searched for. Pure."""

import re
from collections.abc import Sequence

from weighhouse_backend.search.schemas import PieceRead

BEFORE, LENGTH = 60, 180
"""Signs before the first match, and of an excerpt at most."""


def excerpt_of(said: str, terms: Sequence[str], *, inside: bool = False) -> list[PieceRead]:
    """The stretch of a text around its first match, in pieces; empty: it has none.

    :param terms: in small letters.
    :param inside: matches are within words, too, not at their beginnings alone.
    """
    start = "" if inside else r"(?<![^\W_])"
    sought = re.compile(start + f"({'|'.join(map(re.escape, terms))})", re.IGNORECASE)
    text = " ".join(said.split())
    first = sought.search(text)
    if first is None:
        return []
    begin = max(0, first.start() - BEFORE)
    if begin:
        begin = text.find(" ", begin, first.start()) + 1 or begin
    shown = text[begin : begin + LENGTH]
    pieces: list[PieceRead] = []
    for n, piece in enumerate(sought.split(shown)):
        if piece:
            pieces.append(PieceRead(text=piece, is_match=n % 2 == 1))
    if begin:
        pieces.insert(0, PieceRead(text="… ", is_match=False))
    if begin + LENGTH < len(text):
        pieces.append(PieceRead(text=" …", is_match=False))
    return pieces
