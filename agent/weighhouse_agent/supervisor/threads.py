"""Threads that go on for as long as they are wanted: one that fails is begun again, and told of.

An agent whose heartbeats, uploads or looks at the disk had ended unseen would look well to itself,
and gone to the platform.
"""

import threading
from collections.abc import Callable

import structlog

LOG = structlog.get_logger("weighhouse_agent")
AGAIN_SECONDS = 1.0


def go_on(name: str, work: Callable[[], None], over: threading.Event) -> threading.Thread:
    """Have something done by a thread of its own; when it raises, once more, until `over` is set.

    :param work: returns when there is nothing more to do.
    """

    def carry() -> None:
        while True:
            try:
                work()
            except Exception:  # whatever it is, it is told
                LOG.exception("a fault of the agent; it is begun again", thread=name)
                if over.wait(AGAIN_SECONDS):
                    return
            else:
                return

    thread = threading.Thread(target=carry, name=name, daemon=True)
    thread.start()
    return thread
