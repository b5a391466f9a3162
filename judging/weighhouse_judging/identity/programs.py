"""Whether two sides that go by two versions are one program. Pure."""

from collections.abc import Iterable, Sequence

from weighhouse_protocol.programs import ProgramRan

SHOWN = 12
"""Digits of a digest that people read."""

ProgramKey = frozenset[tuple[str, str, str]]
"""Name, digest of the executable and of its parts, of each program of a system."""


def program_of_system(told: Iterable[Sequence[ProgramRan]]) -> ProgramKey | None:
    """What the system of some repeats was; None where one did not tell, or they were several.

    :param told: of each repeat the programs of all its roles.
    """
    keys = {
        frozenset(
            (one.name, one.sha256, one.parts_sha256) for one in repeat if one.role == "system"
        )
        for repeat in told
    }
    (key,) = keys if len(keys) == 1 else (frozenset[tuple[str, str, str]](),)
    return key or None


def in_words(key: ProgramKey) -> str:
    """`redis-server (sha256 4f0c…)`."""
    return ", ".join(f"{name} (sha256 {digest[:SHOWN]}…)" for name, digest, _ in sorted(key))
