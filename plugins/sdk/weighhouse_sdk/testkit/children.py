"""For tests: a process that lives as long as a block.

`with subprocess.Popen(…)` waits for its end without limit when the block is left: where the block
fails before it ends the process, the test hangs for ever.
"""

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def child(words: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process, and kill it when the block is left, however it is; no end comes of that
    when it has ended by itself.

    :param options: of `subprocess.Popen`.
    """
    with subprocess.Popen(words, **options) as process:
        try:
            yield process
        finally:
            process.kill()
