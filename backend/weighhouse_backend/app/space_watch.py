"""Whether the disk below the platform's own files has room."""

import os
from pathlib import Path

from weighhouse_backend.kit.conditions import NO_SPACE, Conditions
from weighhouse_backend.kit.logs import LINES
from weighhouse_backend.kit.outages import IN_FILES

MEBIBYTE = 1 << 20
AGAIN = 1.25
"""So many times what is to be spare is free before there is room again: else a disk at the edge
would be told to be full and well by turns."""
LOG = "log"
TRIED = '{"event": "line_tried", "level": "warning"}\n'


class SpaceWatch:
    """Looks at the directory of artefacts, and at what became of log lines."""

    def __init__(self, directory: Path, spare_mebibytes: int, conditions: Conditions) -> None:
        """:param directory: need not be there yet.
        :param spare_mebibytes: less free is called no space.
        """
        self._directory = directory
        self._spare = spare_mebibytes
        self._conditions = conditions
        self._full, self._written = LINES.full, LINES.written

    def look(self) -> None:
        """Look once; says what it found to the conditions."""
        wanted = self._spare * (AGAIN if self._conditions.holds(NO_SPACE, IN_FILES) else 1)
        if self._free() < wanted * MEBIBYTE:
            words = f"less than {wanted:g} MiB are free on the disk of the platform's files"
            self._conditions.begin(NO_SPACE, words, IN_FILES)
        else:
            self._conditions.end(NO_SPACE, IN_FILES)
        self._look_at_log()

    def _look_at_log(self) -> None:
        if self._conditions.holds(NO_SPACE, LOG):
            LINES.write(TRIED)  # else nobody would see that lines are written again
        if LINES.full > self._full:
            self._conditions.begin(NO_SPACE, "lines of the backend's log cannot be written", LOG)
        elif LINES.written > self._written:
            self._conditions.end(NO_SPACE, LOG)
        self._full, self._written = LINES.full, LINES.written

    def _free(self) -> int:
        place = self._directory
        while not place.exists() and place != place.parent:
            place = place.parent
        found = os.statvfs(place)
        return found.f_bavail * found.f_frsize
