"""Was what was read in a cache because the load had just written it? A check of a run. Pure."""

from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.observation import RunObservation
from weighhouse_judging.findings.words import bytes_in_words

MOST_TIMES = 4
"""Of records this many times the memory a quarter at most is in it: most reads ask the disk,
whatever was cached before."""


def caches_unsaid(run: RunObservation) -> Finding | None:
    """Reads that may go to disk, where nobody said what the caches held before."""
    if run.caches is not None or not (run.reads and run.reads_disk):
        return None
    memory = min(
        (each for each in (run.memory_limit_bytes, run.machine_memory_bytes) if each), default=None
    )
    data = _bytes_of_node(run)
    if data is not None and memory is not None and data > MOST_TIMES * memory:
        return None
    if run.data == "keep":
        words = (
            "Whether caches were cold or warm before the measurement is not known: the records "
            "were there before, on a system whose reads may go to disk."
        )
    else:
        size = "Records" if data is None else f"Records of {bytes_in_words(data)} on each node"
        words = (
            f"{size} were read through caches that the load had filled: the system keeps records "
            "on disk, and such reads may never ask it. Say `caches: warm` if that is what is to be "
            "measured, else `restarted` or `dropped`."
        )
    numbers: dict[str, Number] = {"data_bytes": data, "memory_bytes": memory, "data": run.data}
    return checks.CACHES_UNSAID.found("caution", words, numbers)


def _bytes_of_node(run: RunObservation) -> int | None:
    """Values of the records that are asked for, all copies, on each node."""
    if run.record_bytes is None or run.records_asked is None:
        return None
    return run.record_bytes * run.records_asked * run.copies // max(1, run.nodes)
