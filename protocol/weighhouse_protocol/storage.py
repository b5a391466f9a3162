"""Where a system keeps records and reads them from: rules of a manifest."""

from collections.abc import Iterator

from weighhouse_protocol.base import Document, Few
from weighhouse_protocol.fairness.rules import Conditions


class Storage(Document):
    """Whether records outlive a restart, and whether reads may go to disk.

    Each where all of one of its conditions holds; a condition without a fact always does.
    """

    over_restart: Few[Conditions] = ()
    """An orderly end keeps every record, and the next start has them again."""
    read_from_disk: Few[Conditions] = ()
    """Reads go to files: caches, the system's own or the operating system's, decide whether a disk
    is asked."""

    def facts(self) -> Iterator[str]:
        """Names of all that it looks at."""
        for each in (*self.over_restart, *self.read_from_disk):
            yield from each
