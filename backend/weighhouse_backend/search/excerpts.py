"""Where a text has what was searched for. Pure."""

from collections.abc import Iterator, Sequence

from weighhouse_backend.search.schemas import PieceRead

BEFORE, LENGTH = 60, 180
"""Signs before the first match, and of an excerpt at most."""


def excerpt_of(said: str, terms: Sequence[str], *, inside: bool = False) -> list[PieceRead]:
    """The stretch of a text around its first match, in pieces; empty: it has none.

    :param terms: in small letters.
    :param inside: matches are within words, too, not at their beginnings alone.
    """
    text = " ".join(said.split())
    small = text.lower()
    if len(small) != len(text):  # a few letters have small ones of several signs
        small = text
    spans = sorted({span for term in terms for span in _spans(small, term, inside=inside)})
    if not spans:
        return []
    begin = max(0, spans[0][0] - BEFORE)
    if begin:
        begin = text.find(" ", begin, spans[0][0]) + 1 or begin
    end, at = begin + LENGTH, begin
    pieces = [PieceRead(text="… ", is_match=False)] if begin else []
    for first, last in spans:
        if first >= at and last <= end:
            pieces.append(PieceRead(text=text[at:first], is_match=False))
            pieces.append(PieceRead(text=text[first:last], is_match=True))
            at = last
    pieces.append(PieceRead(text=text[at:end], is_match=False))
    if end < len(text):
        pieces.append(PieceRead(text=" …", is_match=False))
    return [one for one in pieces if one.text]


def _spans(small: str, term: str, *, inside: bool) -> Iterator[tuple[int, int]]:
    at = small.find(term)
    while at >= 0:
        if inside or at == 0 or not small[at - 1].isalnum():
            yield at, at + len(term)
        at = small.find(term, at + len(term))
