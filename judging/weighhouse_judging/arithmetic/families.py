"""Many differences looked at together: p-values adjusted for the number of looks. Pure."""

from collections.abc import Sequence

import numpy as np
import scipy


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment, in the order given.

    Whatever the dependence among them: the chance that *any* true "no difference" is called one at
    level α stays below α. Source: Holm (1979), Scandinavian Journal of Statistics 6. (scipy has
    none; it has the false discovery rate, below.)
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    looks = np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * looks))
    return [float(value) for value in adjusted]


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Benjamini & Yekutieli's adjustment, in the order given.

    Whatever the dependence: of what is called different at level α, a share of at most α is not, on
    average. Source: Benjamini & Yekutieli (2001), Annals of Statistics 29; by scipy. Kept for the
    bench, which sets it beside Holm's.
    """
    if not p_values:
        return []
    adjusted = scipy.stats.false_discovery_control(
        np.asarray(p_values, dtype=np.float64), method="by"
    )
    return [float(value) for value in adjusted]
