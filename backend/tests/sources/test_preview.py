"""Files are read by a program of its own: what is understood is shown, and nothing is kept."""

import io
import json
import tarfile

import pytest

ADDRESS = "/api/v1/published-sources"
LOG = """\
YCSB Client 0.17.0
[OVERALL], RunTime(ms), 10000
[OVERALL], Throughput(ops/sec), 25000.0
[READ], Operations, 250000
[READ], AverageLatency(us), 310.5
[READ], MinLatency(us), 80
[READ], MaxLatency(us), 9001
[READ], 95thPercentileLatency(us), 640
[READ], 99thPercentileLatency(us), 1201
[READ], Return=OK, 250000
"""


def preview(laboratory, content, headers=None, **query):
    return laboratory.client.post(
        f"{ADDRESS}/preview", content=content, params=query,
        headers=laboratory.headers if headers is None else headers,
    )  # fmt: skip


def archive(**files):
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w", format=tarfile.USTAR_FORMAT) as made:
        for name, text in files.items():
            info = tarfile.TarInfo(f"{name}.log")
            info.size = len(text)
            made.addfile(info, io.BytesIO(text.encode()))
    return kept.getvalue()


def figures(found):
    return {
        (one["figure"], one["operation"]): one["value"]
        for cell in found["results"]["cells"]
        for one in cell["figures"]
    }


def test_a_log_is_understood_and_what_was_shown_may_be_kept(laboratory):
    before = laboratory.get("/published-sources")["items"]
    answer = preview(laboratory, LOG.encode(), name="run.log")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["understood"] is True
    assert figures(found)["throughput", "all"] == pytest.approx(25_000)
    assert figures(found)["p99_us", "READ"] == pytest.approx(1_201)
    assert laboratory.get("/published-sources")["items"] == before
    document = found["results"]
    document["source"]["title"] = "A log of ours, from before"
    kept = laboratory.client.post(ADDRESS, content=json.dumps(document), headers=laboratory.headers)
    assert kept.status_code == 201, kept.text


def test_of_an_archive_each_file_is_read_or_refused_by_name(laboratory):
    answer = preview(laboratory, archive(first=LOG, other="nothing that is known\n"), name="a.tar")
    found = answer.json()
    assert figures(found)["throughput", "all"] == pytest.approx(25_000)
    (note,) = [one for one in found["notes"] if one["level"] == "refused"]
    assert "other.log" in note["file"]
    assert "no format that is known" in note["reason"]


@pytest.mark.parametrize("content", [b"", b"\0" * 4096, b"PK\x03\x04 broken", b"[" * 100_000])
def test_what_is_no_result_is_said_to_be_none(laboratory, content):
    answer = preview(laboratory, content, name="../../etc/passwd")
    assert answer.status_code == 200, answer.text
    assert answer.json()["results"] is None
    assert answer.json()["notes"]
    assert "etc" not in answer.json()["notes"][0]["file"].partition("passwd")[0]


def test_a_format_that_nobody_reads_is_refused(laboratory):
    found = preview(laboratory, LOG.encode(), format="nobody").json()
    assert (found["results"], found["understood"]) == (None, False)
    assert "'nobody' is no format" in found["notes"][0]["reason"]


def test_nothing_is_begun_for_strangers(laboratory):
    answer = preview(laboratory, LOG.encode(), headers={"Authorization": "Bearer nobody"})
    assert answer.status_code == 401
