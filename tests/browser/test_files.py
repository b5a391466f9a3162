"""What a run's system wrote stands on the run's page, to be taken along."""

from pathlib import Path

from playwright.sync_api import expect
from weighhouse_testing.browser import Window, faults
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform


def test_a_runs_files_are_taken_along(
    window: Window, platform: RunningPlatform, tmp_path: Path
) -> None:
    started = platform.start_campaign(small_experiment("kept-files", "rocksdb", repetitions=1))
    campaign = platform.wait_for_campaign(started["id"])
    page = window()
    page.goto(f"/runs/{campaign['cells'][0]['runs'][0]['id']}")
    files = page.get_by_role("table", name="Files that this run left")
    expect(files.get_by_role("row").filter(has_text="OPTIONS-").first).to_be_visible()
    with page.expect_download() as taken:
        files.get_by_role("link", name="LOG", exact=True).click()
    assert taken.value.suggested_filename == "LOG"
    path = tmp_path / "LOG"
    taken.value.save_as(path)
    assert "RocksDB version" in path.read_text(encoding="utf-8")
    assert faults(page, "a run with files") == []
