"""Which programs really ran."""

from typing import Literal

from weighhouse_protocol.base import Count, Label, Report

ProgramRole = Literal["system", "driver", "tool"]


class ProgramRan(Report):
    """A program of a run, by what is in its files: equal digests are one program."""

    role: ProgramRole
    name: Label
    """Of its executable, without its folder."""
    sha256: Label
    """Of its executable."""
    build_id: Label = ""
    """As its linker noted it; empty: it did not."""
    parts: Count = 0
    """Libraries that it has mapped, and archives of classes that it holds open."""
    parts_sha256: Label = ""
    """Of their digests, sorted; empty: there are none, or they were not looked at."""
