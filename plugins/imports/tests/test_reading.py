"""Files, folders and archives: nothing leads out of them, nothing fills a machine."""

import tarfile
import zipfile
from pathlib import Path

import pytest
from weighhouse_imports import archives
from weighhouse_imports.formats.hdr_log import Stream
from weighhouse_imports.opened import of_bytes
from weighhouse_imports.reader import ImporterMissing, read_files, read_paths
from weighhouse_protocol.masks import masked_command
from weighhouse_protocol.published.cells import MOST_INTERVALS
from weighhouse_testing.large_imports import MOST_MEBIBYTES, REPEATED, room

SAMPLES = Path(__file__).parent / "samples"
LARGE_BYTES = 8 << 20
"""`python -m weighhouse_testing.large_imports 200` reads files as large as one likes."""


def test_an_archive_is_as_its_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("ycsb.txt", "pgbench.txt"):
            archive.write(SAMPLES / name, f"run/{name}")
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        archive.add(SAMPLES / "ycsb.txt", "run/ycsb.txt")
    for name, formats in (("all.zip", ["pgbench", "ycsb"]), ("all.tar.gz", ["ycsb"])):
        preview = read_paths([tmp_path / name])
        assert preview.refused == ()
        assert [one.format for one in preview.recognised] == formats
        assert preview.results is not None
        assert preview.results.cells[0].files[0].name.startswith(f"{name}!run/")


def test_what_leads_out_of_an_archive_is_left_there(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        for name in ("../../up.txt", "/etc/over.txt", "good/ycsb.txt"):
            archive.writestr(name, (SAMPLES / "ycsb.txt").read_bytes())
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    preview = read_paths([tmp_path / "evil.zip", tmp_path / "evil.tar"])
    assert [one.file for one in preview.recognised] == ["evil.zip!good/ycsb.txt"]
    assert all("leads out" in one.reason for one in preview.refused)
    assert len(preview.refused) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil.tar", "evil.zip"]


@pytest.mark.parametrize(("what", "said"), [("method", "not supported"), ("password", "password")])
def test_an_archive_that_python_cannot_unpack_is_refused(
    tmp_path: Path, what: str, said: str
) -> None:
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.write(SAMPLES / "ycsb.txt", "ycsb.txt")
    content = bytearray((tmp_path / "odd.zip").read_bytes())
    central = content.index(b"PK\x01\x02")
    for at in (0, central):
        flags = at + (6 if at == 0 else 8)
        if what == "password":
            content[flags] |= 1
        else:
            content[flags + 2] = 97  # WavPack
    (tmp_path / "odd.zip").write_bytes(content)
    preview = read_paths([tmp_path / "odd.zip"])
    assert preview.results is None
    (note,) = preview.refused
    assert said in note.reason


def test_an_archive_whose_packing_is_damaged_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.write(SAMPLES / "ycsb.txt", "ycsb.txt")
    content = (tmp_path / "lzma.zip").read_bytes()
    for place in range(40, 400, 30):
        damaged = bytearray(content)
        damaged[place : place + 4] = b"\xff\xff\xff\xff"
        (tmp_path / "lzma.zip").write_bytes(damaged)
        preview = read_paths([tmp_path / "lzma.zip"])
        assert preview.results is None
        assert preview.refused


def test_a_bomb_is_refused_before_it_fills_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "FREE_BYTES", 1 << 20)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", b"0" * (32 << 20))
    preview = read_paths([tmp_path / "bomb.zip"])
    assert preview.results is None
    assert "unpacks to more than" in preview.refused[0].reason
    monkeypatch.setattr(archives, "MOST_FILES", 3)
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(5):
            archive.writestr(f"{number}.txt", b"x")
    assert "more than 3 files" in read_paths([tmp_path / "many.zip"]).refused[0].reason


@pytest.mark.parametrize("data", [b"PK\x03\x04rubbish", b"\x1f\x8brubbish", b"\x1f\x8b"])
def test_a_broken_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "broken").write_bytes(data)
    (refused,) = read_paths([tmp_path / "broken"]).refused
    assert "the archive cannot be read" in refused.reason


def test_of_files_that_are_refused_nothing_is_kept() -> None:
    good = (SAMPLES / "pgbench.txt").read_bytes()
    bad = b"[OVERALL], RunTime(ms), 5\n[OVERALL], RunTime(ms), 6\n"
    preview = read_files([of_bytes("a/good", good), of_bytes("b/bad", bad)])
    assert [one.line for one in preview.refused] == [2]
    assert preview.results is not None
    assert all(file.name == "a/good" for cell in preview.results.cells for file in cell.files)


def test_an_importer_may_be_named_and_has_to_be_there() -> None:
    file = of_bytes("x", (SAMPLES / "pgbench.txt").read_bytes())
    with pytest.raises(
        ImporterMissing, match="those there are: benchant, bundle, cassandra-stress"
    ):
        read_files([file], "nobody")
    assert "holds no" in read_files([file], "ycsb").refused[0].reason


def test_text_of_powershell_is_read() -> None:
    text = (SAMPLES / "pgbench.txt").read_text(encoding="utf-8")
    for encoding in ("utf-16", "utf-8-sig"):
        preview = read_files([of_bytes("x", text.replace("\n", "\r\n").encode(encoding))])
        assert preview.refused == ()
        assert preview.results is not None
        assert len(preview.results.cells) == 2


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("-p url=mongodb://me:geheim@host/db -s", "-p url=mongodb://me:…@host/db -s"),
        ("-p cassandra.password=geheim -threads 4", "-p cassandra.password=… -threads 4"),
        ("memtier_benchmark -a geheim -t 4", "memtier_benchmark -a … -t 4"),
        ("redis-benchmark --authenticate geheim -c 5", "redis-benchmark --authenticate … -c 5"),
        ("-mode native user=me password=geheim", "-mode native user=me password=…"),
        ("-P workloads/a -threads 4 -t", "-P workloads/a -threads 4 -t"),
    ],
)  # fmt: skip
def test_secrets_of_commands_are_masked(command: str, shown: str) -> None:
    assert masked_command(command) == shown


@pytest.mark.parametrize("sample", REPEATED)
def test_a_large_file_is_read_in_little_room(sample: str, tmp_path: Path) -> None:
    used, told = room(sample, LARGE_BYTES, tmp_path)
    assert used < MOST_MEBIBYTES, told
    assert "is of no format" not in told


def test_neighbours_of_a_long_histogram_log_are_joined_as_they_come() -> None:
    stream = Stream(1, begun=1_700_000_000.0)
    many = MOST_INTERVALS + 101
    for number in range(many):
        stream.keep(stream.begun + number, 1.0, 10, (1, 2, 3))
    assert len(stream.intervals) < MOST_INTERVALS
    assert stream.joined
    assert sum(count for _, _, count, _ in stream.intervals) == 10 * many
    assert sum(length for _, length, _, _ in stream.intervals) == many
    assert stream.intervals[-1] == (float(many), 1.0, 10, (1, 2, 3))
    assert stream.intervals[0][3] == (), "a percentile of two intervals is that of neither"
    assert not stream.left_out
    stream.keep(5.0, 1.0, 10, (1, 2, 3))
    assert stream.left_out, "it ended before it began"


def test_a_long_course_of_go_ycsb_is_thinned_and_loses_no_operation() -> None:
    many = 2 * MOST_INTERVALS + 11
    line = "READ   - Takes(s): {0}.0, Count: {1}, OPS: 10.0, Avg(us): 5, Max(us): 9\n"
    text = "".join(line.format(number, 10 * number) for number in range(1, many + 1))
    results = read_files([of_bytes("x", text.encode())]).results
    assert results is not None
    (cell,) = results.cells
    assert MOST_INTERVALS / 3 < len(cell.intervals) <= MOST_INTERVALS
    assert sum(one.operations or 0 for one in cell.intervals) == 10 * many
    assert cell.outcomes["READ"] == {"not told": 10 * many}
    assert any("neighbours were joined" in note.reason for note in results.notes)


def test_a_line_without_end_is_refused() -> None:
    data = b"[OVERALL], RunTime(ms), 5\n" + b"x" * (3 << 20)
    assert "no tool writes one" in read_files([of_bytes("x", data)]).refused[0].reason


def test_lines_beyond_what_is_kept_are_joined_as_they_come() -> None:
    head = "type total ops, op/s, pk/s, row/s, mean, med, .95, .99, .999, max, time, stderr,\n"
    line = "total, {0}, 10, 10, 10, 1.0, 0.9, 1.3, 1.3, 1.3, 1.3, {0}.0, -0.9,\n"
    text = head + "".join(line.format(number) for number in range(1, MOST_INTERVALS + 100))
    results = read_files([of_bytes("x", text.encode())]).results
    assert results is not None
    (cell,) = results.cells
    assert MOST_INTERVALS / 2 < len(cell.intervals) < MOST_INTERVALS
    assert sum(one.seconds or 0 for one in cell.intervals) == MOST_INTERVALS + 99
    assert any("neighbours were joined" in note.reason for note in results.notes)
