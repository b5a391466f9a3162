"""What is wrong in a document: where, why, and what would be right. Pure.

Whatever is told back to its author is of bounded size, and so is the work for it.
"""

import dataclasses
import difflib
import itertools
from collections.abc import Collection, Iterable, Iterator

MOST_NAMES = 1_000
"""Names among which one is looked for that may have been meant."""
LONGEST_GUESSED = 64
MOST_LIKENED = 50_000
"""Letters of a name × letters of all that it may have meant: likening grows with both."""
NAMED = 40
"""Names that are listed of many."""
LONGEST_TOLD = 200
"""Characters of a name that an error repeats."""


@dataclasses.dataclass(frozen=True, slots=True)
class FieldError:
    """One thing wrong in a document."""

    path: str
    """Where, for example `targets[0].parameters.appendfsync`; empty for the whole document."""
    message: str
    """What is wrong."""
    expected: str = ""
    """What would be right."""
    line: int | None = None
    """Line in the YAML text, from 1, where known."""


def within(place: str, errors: Iterable[FieldError]) -> Iterator[FieldError]:
    """The same errors of a part, as the whole document has them.

    :param place: of the part, for example `targets[0]`; empty: it is the whole.
    """
    for error in errors:
        path = ".".join(each for each in (place, error.path) if each)
        yield dataclasses.replace(error, path=path)


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that may have been meant; None: none is near, or looking would take long."""
    if len(name) > LONGEST_GUESSED:
        return None
    close = difflib.get_close_matches(name, list(itertools.islice(known, MOST_NAMES)), n=1)
    return close[0] if close else None


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The end of a sentence that says what may have been meant; empty as `near` is None."""
    if len(name) * sum(map(len, known)) > MOST_LIKENED:
        return ""
    close = near(name, known)
    return f"; did you mean {close!r}?" if close else ""


def listed(names: Iterable[str]) -> str:
    """Names one after the other, the first of many."""
    found = list(names)
    more = f" and {len(found) - NAMED:,} others" if len(found) > NAMED else ""
    return ", ".join(each[:LONGEST_TOLD] for each in found[:NAMED]) + more


def one_of(names: Iterable[str], otherwise: str = "none") -> str:
    """What would be right where one of some names is.

    :param otherwise: where there is none.
    """
    return f"one of {said}" if (said := listed(names)) else otherwise
