"""A platform is taken along while it works, and set up elsewhere; nothing is missing."""

import hashlib
import io
import json
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from weighhouse_backend.files.directory import ArtifactDirectory
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions
from weighhouse_testing.command import weighhouse
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.fixtures import plain
from weighhouse_testing.platform import SHORT_TIMINGS, SOON_GIVEN_UP, RunningPlatform
from weighhouse_testing.waits import until


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup, and what was known of its platform when it was taken."""

    taken_of: RunningPlatform
    file: Path
    measured: str
    under_way: str
    told: dict[str, Any]
    cookies: dict[str, str]
    agents: list[str]
    left: str
    """Address of a file that a run left."""
    taken_at: float
    """When its agent was last heard of, as far as it tells, by the monotonic clock."""


CONTENT = b"what a run left"
VOLATILE = {"as_of", "generated_at", "now", "link", "url"}
"""What an answer says of the moment or the place it was asked at."""


@contextmanager
def platform_in(directory: Path) -> Iterator[RunningPlatform]:
    short = SHORT_TIMINGS | {f"WEIGHHOUSE_{name}": value for name, value in SOON_GIVEN_UP.items()}
    options = PlatformOptions(directory=directory, port=free_port(), durable=False, settings=short)
    with Platform(options) as inner:
        yield RunningPlatform(inner)


def figures(platform: RunningPlatform, campaign_id: str) -> dict[str, Any]:
    """All that is told of a campaign's measurements."""
    cells = platform.campaign(campaign_id)["cells"]
    runs = [run["id"] for cell in cells for run in cell["runs"]]
    found = {"campaign": cells}
    for run in runs:
        for path in (f"/runs/{run}", f"/runs/{run}/series", f"/runs/{run}/gauges"):
            found[path] = platform.request("GET", path)
    assert len(found) == 1 + 3 * len(runs)
    return dict(json.loads(json.dumps(found), object_hook=_lasting))


def _lasting(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in VOLATILE}


def leave_file(platform: RunningPlatform, campaign_id: str) -> str:
    """Store a file as if a run had left it; its address."""
    run = platform.campaign(campaign_id)["cells"][0]["runs"][0]["id"]
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    with psycopg.connect(plain(platform.inner.owner_database_url)) as connection:
        row = connection.execute(
            """
            INSERT INTO artifacts (attempt_id, member, sha256, project_id, name, media_type,
                                   size_bytes, created_at)
            SELECT a.id, 0, %s, c.project_id, 'notes.txt', 'text/plain', %s, now()
            FROM attempts a JOIN runs r ON r.id = a.run_id JOIN campaigns c ON c.id = r.campaign_id
            WHERE r.id = %s RETURNING project_id""",
            [sha256, len(CONTENT), run],
        ).fetchone()
    assert row is not None
    store = ArtifactDirectory(platform.inner.directory.folder("artifacts"))
    store.write(row[0], sha256, io.BytesIO(CONTENT))
    return f"/runs/{run}/artifacts/{sha256}"


def read_file(platform: RunningPlatform, path: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {platform.token}"}
    return httpx.get(f"{platform.url}/api/v1{path}", headers=headers, timeout=60)


def sign_in(platform: RunningPlatform) -> httpx.Client:
    client = httpx.Client(base_url=f"{platform.url}/api/v1", timeout=60)
    answer = client.post("/sessions", json={"email": platform.email, "password": platform.password})
    assert answer.status_code == 201, answer.text
    return client


@pytest.fixture(scope="module")
def base() -> Iterator[Path]:
    """A folder that PostgreSQL's own account may enter."""
    with tempfile.TemporaryDirectory(prefix="weighhouse-backup-", ignore_cleanup_errors=True) as at:
        Path(at).chmod(0o711)
        yield Path(at)


@pytest.fixture(scope="module")
def backup(base: Path) -> Backup:
    """A backup that was taken while runs were measured; its platform has been stopped."""
    data, file = base / "before", base / "whole.backup"
    with platform_in(data) as before:
        measured = before.start_campaign(small_experiment("measured"))["id"]
        assert before.wait_for_campaign(measured)["status"] == "completed"
        left = leave_file(before, measured)
        assert read_file(before, left).content == CONTENT
        told = figures(before, measured)
        cookies = dict(sign_in(before).cookies)
        agents = [one["id"] for one in before.request("GET", "/agents")["items"]]
        # Longer runs where the machine is so busy that they were over before the backup was.
        for seconds in (3, 15, 60):
            under_way = before.start_campaign(
                small_experiment(f"under-way-{seconds}", repetitions=3, measure_seconds=seconds)
            )["id"]
            until(
                "it is measuring",
                lambda one=under_way: before.campaign(one)["status"] == "running",
            )
            file.unlink(missing_ok=True)
            taken = weighhouse(before, "backup", str(file), "--data-dir", str(data), "--json")
            assert taken.returncode == 0, taken.stderr
            taken_at = time.monotonic()
            if before.campaign(under_way)["status"] == "running":
                break
        else:
            pytest.fail("no backup was taken under load")
        assert before.wait_for_campaign(under_way)["status"] == "completed", "which went on"
        again = weighhouse(before, "backup", str(file), "--data-dir", str(data))
        assert (again.returncode, "is there already" in again.stderr) == (3, True), again.stderr
        over = weighhouse(before, "restore", str(file), "--data-dir", str(data))
        assert (over.returncode, "is not empty" in over.stderr) == (3, True), over.stderr
    assert json.loads(taken.stdout)["bytes"] > len(CONTENT)
    return Backup(before, file, measured, under_way, told, cookies, agents, left, taken_at)


def test_taken_under_load_and_restored_it_goes_on(base: Path, backup: Backup) -> None:
    assert backup.file.stat().st_mode & 0o777 == 0o600
    elsewhere = base / "after"
    done = weighhouse(backup.taken_of, "restore", str(backup.file), "--data-dir", str(elsewhere))
    assert done.returncode == 0, done.stderr
    silence = float(SOON_GIVEN_UP["LOST_AFTER_SECONDS"])
    until("its agent counts as silent", lambda: time.monotonic() - backup.taken_at > silence)
    with platform_in(elsewhere) as after:
        assert figures(after, backup.measured) == backup.told
        assert read_file(after, backup.left).content == CONTENT
        with httpx.Client(base_url=after.url, cookies=backup.cookies) as signed_in:
            answer = signed_in.get("/api/v1/sessions/current")
        assert answer.status_code == 401, "logins end"
        sign_in(after)
        assert [one["id"] for one in after.request("GET", "/agents")["items"]] == backup.agents
        # What was under way at that moment is measured to its end, by the same agent.
        assert after.wait_for_campaign(backup.under_way)["status"] == "completed"
        fresh = after.start_campaign(small_experiment("fresh", repetitions=1))["id"]
        assert after.wait_for_campaign(fresh)["status"] == "completed"


def changed(backup: Backup, target: Path, **facts: Any) -> Path:
    """The backup, with another manifest."""
    with tarfile.open(backup.file) as old, tarfile.open(target, "w") as new:
        for info in old:
            content = old.extractfile(info)
            assert content is not None
            body = content.read()
            if info.name == "manifest.json":
                body = json.dumps(json.loads(body) | facts).encode()
                info.size = len(body)
            new.addfile(info, io.BytesIO(body))
    return target


def cut(backup: Backup, target: Path) -> Path:
    whole = backup.file.read_bytes()
    target.write_bytes(whole[: len(whole) * 2 // 3])
    return target


def tampered(backup: Backup, target: Path) -> Path:
    """One byte of the dump is another."""
    whole = bytearray(backup.file.read_bytes())
    place = whole.index(b"PGDMP") + 2000
    whole[place] ^= 1
    target.write_bytes(whole)
    return target


def newer(backup: Backup, target: Path) -> Path:
    return changed(backup, target, migration="9999", version="99.0")


def another_form(backup: Backup, target: Path) -> Path:
    return changed(backup, target, format=99, version="99.0")


def no_archive(_backup: Backup, target: Path) -> Path:
    target.write_text("nothing of the kind")
    return target


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (cut, "cannot be read as a backup"),
        (tampered, "database.dump is not what was written"),
        (newer, "migration 9999 (release 99.0), which this release does not know"),
        (another_form, "restore it with that release"),
        (no_archive, "cannot be read as a backup"),
    ],
)
def test_what_is_no_whole_backup_is_refused_and_leaves_nothing(
    base: Path,
    backup: Backup,
    spoil: Callable[[Backup, Path], Path],
    says: str,
) -> None:
    folder = base / spoil.__name__
    folder.mkdir(mode=0o711)
    file = spoil(backup, folder / "spoiled")
    done = weighhouse(backup.taken_of, "restore", str(file), "--data-dir", str(folder / "data"))
    assert done.returncode == 3
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert [one.name for one in folder.iterdir()] == ["spoiled"]


def test_where_no_platform_is_there_is_nothing_to_back_up(base: Path, backup: Backup) -> None:
    done = weighhouse(backup.taken_of, "backup", str(base / "x"), "--data-dir", str(base / "none"))
    assert (done.returncode, "no embedded platform" in done.stderr) == (3, True), done.stderr
    assert not (base / "x").exists()
    assert not (base / "none").exists()
