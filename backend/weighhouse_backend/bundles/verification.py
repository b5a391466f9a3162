"""The whole of checking a bundle: bytes, signature, figures."""

from dataclasses import dataclass
from typing import BinaryIO

from weighhouse_protocol.bundles.archive import BundleError

from weighhouse_backend.bundles.opened import Opened, opened
from weighhouse_backend.bundles.recomputation import Again, worked_out_again


@dataclass(frozen=True)
class Verified:
    """A bundle whose bytes are as they were signed, worked out again."""

    bundle: Opened
    again: Again

    @property
    def differs(self) -> list[str]:
        """What is told otherwise than it comes to; empty: all of it holds."""
        return self.again.found.differs


def verified(file: BinaryIO) -> Verified:
    """Check a bundle.

    :param file: at its begin; it stays the caller's.
    :raises BundleError: when a byte of it is not as it was signed, or it cannot be read.
    """
    try:
        bundle = opened(file)
        return Verified(bundle, worked_out_again(bundle))
    except (RecursionError, OverflowError, MemoryError) as error:
        raise BundleError(f"it cannot be read: {error or type(error).__name__}") from error
