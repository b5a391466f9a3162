"""How many digits of a figure are shown."""

import pytest
from weighhouse_protocol.digits import number


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (0.5, "0.5"), (0.0417, "0.0417"), (10.44, "10.4"), (99.96, "100"),
     (17158.2, "17,158"),
     (-0.25, "-0.25")],
)  # fmt: skip
def test_no_rate_is_shown_as_none(value: float, shown: str) -> None:
    assert number(value) == shown
