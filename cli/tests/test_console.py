"""What the commands say in words."""

import pytest
from weighhouse_cli.console import duration, progress_line
from weighhouse_cli.skeleton import SkeletonRefused, write_skeleton


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "unknown"), (0, "0 s"), (59.4, "59 s"), (60, "1 min 00 s"), (305, "5 min 05 s")],
)
def test_a_length_of_time(seconds, words):
    assert duration(seconds) == words


def test_a_campaigns_progress_in_a_line():
    campaign = {
        "status": "running",
        "runs": {"total": 90, "completed": 10, "failed": 2, "cancelled": 0},
        "seconds_left": 250,
    }
    assert progress_line(campaign) == ("running: 12 of 90 runs, 2 failed, about 4 min 10 s left")


@pytest.mark.parametrize("name", ["", "Etcd", "1st", "../up", "a-b"])
def test_a_plugin_with_an_impossible_name_is_refused(name, tmp_path):
    with pytest.raises(SkeletonRefused, match="name"):
        write_skeleton(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_plugin_that_is_there_is_left_alone(tmp_path):
    write_skeleton("etcd", tmp_path)
    with pytest.raises(SkeletonRefused, match="already"):
        write_skeleton("etcd", tmp_path)
