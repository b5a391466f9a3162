"""Which latencies a histogram holds."""

from typing import Literal

HistogramKind = Literal["response", "service", "asked"]
"""Of the successes from due to done, or from sent to done (open loops alone); or of everything that
was asked, from due to done."""
