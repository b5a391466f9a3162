"""A file that is read while it is written: what is slow to take it holds up no transaction.

A transaction that is held open for as long as somebody far away takes to read would keep the
database from clearing anything away. So the rows go to a file without a name at the speed of the
database, and the answer out of it at that of the network.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from threading import Condition, Thread

PIECE_BYTES = 256 * 1024


class Left(OSError):
    """Nobody reads any more."""


class Spool:
    """Bytes on their way out. Written by one thread, read by another."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with the spool
        self._changed = Condition()
        self._written = 0
        self._is_over = False
        self._is_left = False
        self._error: BaseException | None = None

    def write(self, piece: bytes, /) -> int:
        """Take bytes; how many.

        :raises Left: when nobody reads any more.
        :raises OSError: when the disk is full.
        """
        if self._is_left:
            raise Left
        view = memoryview(piece)
        while view:
            view = view[self._file.write(view) :]
        with self._changed:
            self._written += len(piece)
            self._changed.notify_all()
        return len(piece)

    def flush(self) -> None:
        """There is nothing to do: who archives asks for it."""

    def fill(self, write: Callable[["Spool"], None], done: Callable[[], None]) -> None:
        """Have a thread write it.

        :param write: all of it.
        :param done: afterwards, whatever came of it.
        """

        def work() -> None:
            error: BaseException | None = None
            try:
                write(self)
            except BaseException as caught:  # noqa: BLE001 - its reader is told
                error = caught
            finally:
                done()
                with self._changed:
                    self._is_over, self._error = True, error
                    self._changed.notify_all()
                    if self._is_left:
                        self._file.close()

        Thread(target=work, name="export", daemon=True).start()

    def begun(self) -> None:
        """Wait for the first bytes.

        :raises Exception: what kept them from being written.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._written > 0 or self._is_over)
            if self._written == 0 and self._error is not None:
                raise self._error

    def pieces(self) -> Iterator[bytes]:
        """All of it, as it comes.

        :raises Exception: what ended the writing early: then the answer must not look complete.
        """
        read = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._written > read or self._is_over)  # noqa: B023
                if self._written <= read:
                    if self._error is not None:
                        raise self._error
                    return
            piece = os.pread(self._file.fileno(), PIECE_BYTES, read)
            read += len(piece)
            yield piece

    def leave(self) -> None:
        """Nobody reads any more; the writer hears of it with its next bytes."""
        with self._changed:
            if not self._is_left:
                self._is_left = True
                if self._is_over:
                    self._file.close()
