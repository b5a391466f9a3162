"""What can go wrong when the platform starts, and how to mend it."""


class PlatformError(Exception):
    """The platform cannot start or go on; the message says why and what would mend it."""


class BinaryMissing(PlatformError):
    """A program is not on this machine."""

    def __init__(self, program: str, package: str) -> None:
        """:param package: the Debian package that brings it."""
        super().__init__(
            f"{program} is missing: install the Debian package {package} "
            f"(apt-get install {package}), or bring along what needs no root: "
            "pip install 'weighhouse[embedded]'"
        )


class PortTaken(PlatformError):
    """Somebody listens on the port that was asked for."""

    def __init__(self, port: int) -> None:
        """:param port: of 127.0.0.1."""
        super().__init__(
            f"port {port} of 127.0.0.1 is taken by another program; choose another, "
            f"for example `--port {port + 1}`"
        )


class DirectoryInUse(PlatformError):
    """Another platform runs on the same data directory."""


class PartFailed(PlatformError):
    """A part did not come up; carries the end of its log."""

    def __init__(self, name: str, reason: str, log_lines: list[str]) -> None:
        """:param log_lines: the last lines of the part's log."""
        tail = "\n".join(f"  {name}: {line}" for line in log_lines)
        super().__init__(f"{name} {reason}" + (f"; its log ends with\n{tail}" if tail else ""))
