"""Which states of the database's tables this program knows, as its migrations name them."""

import re
from dataclasses import dataclass
from pathlib import Path

NAMED = re.compile(r"""^(revision|down_revision) = ["']([^"']+)["']$""", re.MULTILINE)


@dataclass(frozen=True)
class Revisions:
    """The migrations of a folder."""

    known: frozenset[str]
    """All of them, by their names."""
    head: str
    """That of the tables that this program wants: the one that no other follows."""


def revisions_of(directory: Path) -> Revisions:
    """Read them as text: a program that only asks does not keep Alembic and every migration loaded.

    :param directory: `migrations/`.
    :raises ValueError: when there is not one that all others lead to.
    """
    known, followed = set[str](), set[str]()
    for file in (directory / "versions").glob("*.py"):
        named = dict(NAMED.findall(file.read_text(encoding="utf-8")))
        known.add(named["revision"])
        followed.add(named.get("down_revision", ""))
    heads = known - followed
    if len(heads) != 1:
        raise ValueError(f"{directory} leads to {sorted(heads)}, not to one state")
    return Revisions(frozenset(known), heads.pop())
