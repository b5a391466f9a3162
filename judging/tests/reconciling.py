"""Runs whose client asked a thousand reads, and what the server counted of them."""

from dataclasses import replace

from weighhouse_judging.findings.counted import Asked, Reconciled, Row
from weighhouse_judging.findings.observation import RunObservation

from .observations import SOUND

ALL = Asked(found=1000)


def counted(
    client: Asked = ALL, served: int = 1000, misses: int = 0, **strangers: int
) -> RunObservation:
    """A sound run.

    :param misses: of the thousand keys that the server looked for.
    """
    told = Reconciled(
        source="INFO",
        rows=(Row("reads", ("read",), ("get",), client, served),),
        strangers=strangers,
        hits=served - misses,
        misses=misses,
        reads="reads",
    )
    return replace(SOUND, reconciled=told)
