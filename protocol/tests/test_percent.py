"""Shares and changes as people read them."""

import pytest
from weighhouse_protocol.percent import percent, signed_percent
from weighhouse_protocol.text import in_one_line


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0.1234, 1, "12.3\u2009%"),
        (1.0, 0, "100\u2009%"),
        (0.00419, 2, "0.42\u2009%"),
        (0.07, None, "7\u2009%"),
        (0.125, None, "12.5\u2009%"),
        (0.0, 0, "0\u2009%"),
        (-0.05, 0, "\u22125\u2009%"),
    ],
)
def test_a_share(share, decimals, text):
    assert percent(share, decimals) == text


@pytest.mark.parametrize(
    ("relative", "text"),
    [
        (0.052, "+5.2\u2009%"),
        (-0.1018, "\u221210.2\u2009%"),
        (-0.0004, "0\u2009%"),
        (0.0, "0\u2009%"),
        (12.5, "+1250.0\u2009%"),
    ],
)
def test_a_change(relative, text):
    assert signed_percent(relative) == text


def test_a_line_keeps_thin_spaces():
    assert in_one_line("fell by\r\n 9.5\u2009%,\u2028\ttwice\x85") == "fell by 9.5\u2009%, twice"
