"""Exit codes, and the error that carries one."""

from enum import IntEnum


class Exit(IntEnum):
    """What the command's exit status means to a pipeline."""

    PASSED = 0
    REGRESSION = 1
    INCONCLUSIVE = 2
    INFRASTRUCTURE = 3
    INVALID = 4
    """Bad input, refused, blocked by disclosure, or a gate whose base is another measurement."""
    INTERRUPTED = 130
    """By a signal, before what was asked for was there; as shells say it of Ctrl-C."""


class CommandFailed(Exception):
    """A command ends with a message and an exit code; never with a traceback."""

    def __init__(self, code: Exit, message: str) -> None:
        """:param message: what went wrong, and how to mend it."""
        super().__init__(message)
        self.code = code
