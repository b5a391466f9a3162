"""Which programs really ran, and which plugins led them."""

from typing import Literal

from weighhouse_protocol.base import Count, Label, Report

ProgramRole = Literal["system", "driver", "tool", "plugin"]


class ProgramRan(Report):
    """A program of a run, by what is in its files: equal digests are one program."""

    role: ProgramRole
    name: Label
    """Of its executable, without its folder; of a plugin, of its distribution."""
    sha256: Label
    """Of its executable; of a plugin, of its files, as policies name it."""
    build_id: Label = ""
    """As its linker noted it; empty: it did not."""
    parts: Count = 0
    """Libraries that it has mapped, and archives of classes that it holds open; of a plugin, its
    files."""
    parts_sha256: Label = ""
    """Of their digests, sorted; empty: there are none, or they were not looked at."""
