"""The thresholds of a gate: the experiment's, unless whoever asks names others. Pure."""

from dataclasses import dataclass
from typing import Self

from weighhouse_protocol.experiment import Experiment


@dataclass(frozen=True)
class Asked:
    """Thresholds that somebody named, in percent; None: as the experiment says."""

    base_percent: float | None = None
    anchor_percent: float | None = None


AS_THE_EXPERIMENT = Asked()


@dataclass(frozen=True)
class Limits:
    """Practical thresholds of throughput, in percent."""

    base_percent: float
    """Of the loss against the base."""
    anchor_percent: float
    """Of the cumulative loss against the anchor."""

    @classmethod
    def of(cls, document: Experiment, asked: Asked = AS_THE_EXPERIMENT) -> Self:
        """What holds for a campaign: each threshold as asked, else as its experiment says.

        An anchor without a threshold of its own has the base's, whoever named that.
        """
        kept = document.thresholds
        base = asked.base_percent or kept.gate_percent
        return cls(base, asked.anchor_percent or kept.anchor_percent or base)
