"""Which versions of agents a platform works with."""

import pytest
from weighhouse_protocol.updates import oldest, standing


@pytest.mark.parametrize(
    ("agent", "platform", "found"),
    [
        ("2.5.0", "2.5.0", "current"),
        ("2.5.1", "2.5.0", "current"),
        ("2.5.0", "2.5.3", "behind"),
        ("2.4.9", "2.5.0", "behind"),
        ("2.3.0", "2.5.9", "behind"),
        ("2.2.9", "2.5.0", "too_old"),
        ("1.9.0", "2.0.0", "too_old"),
        ("2.6.0", "2.5.9", "newer"),
        ("3.0.0", "2.9.0", "newer"),
        ("2.10.0", "2.9.0", "newer"),
        ("0.1.0.dev3", "0.1.0", "current"),
        ("", "0.1.0", "unknown"),
        ("later", "0.1.0", "unknown"),
        ("0", "0.1.0", "unknown"),
    ],
)
def test_the_last_two_minor_versions_work_on(agent, platform, found):
    assert standing(agent, platform) == found


def test_the_oldest_is_named():
    assert (oldest("2.5.1"), oldest("0.1.0"), oldest("later")) == ("2.3", "0.0", "")
