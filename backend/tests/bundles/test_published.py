"""A bundle is read as a published source: previewed, kept, corrected, removed; refused when it does
not hold.
"""

import gzip
import io
import json
import tarfile
import zipfile

import pytest
from weighhouse_imports.archives import offered
from weighhouse_imports.reader import read_paths
from weighhouse_imports.registry import importer_named
from weighhouse_imports.testkit import ImporterConformance
from weighhouse_protocol.bundles.archive import entries

from .test_recomputation import rewritten

ADDRESS = "/api/v1/published-sources"
NAME = "theirs.bundle.tar"


def preview(laboratory, content, name=NAME):
    answer = laboratory.client.post(
        f"{ADDRESS}/preview", content=content, params={"name": name}, headers=laboratory.headers
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def sources(laboratory):
    return [one["source"]["title"] for one in laboratory.get("/published-sources")["items"]]


@pytest.fixture(scope="module")
def previewed(laboratory, bundle):
    return preview(laboratory, bundle.read_bytes())


def figures(cell):
    return {one["figure"]: one["value"] for one in cell["figures"]}


def test_what_it_holds_is_what_its_comparison_says(laboratory, campaign, previewed):
    assert previewed["understood"] is True
    assert previewed["notes"] == []
    assert previewed["findings"] == []
    results = previewed["results"]
    assert [one["system"] for one in results["sides"]] == ["redis", "memcached"]
    ours = laboratory.get("/comparisons", campaign=campaign)
    told = {one["side"].split("~")[1]: one["figures"] for one in ours["cells"]}
    assert {one["side"] for one in results["cells"]} == set(told)
    for cell in results["cells"]:
        assert cell["load"] == {
            "clients": 4, "pipeline": 1, "rate": None, "loop": "closed", "label": "4 clients",
        }  # fmt: skip
        assert cell["workload"] == "balanced"
        assert "Some CPU" in cell["machines"]
        assert set(cell["histograms"]) == {"read", "update"}
        medians = {name: one["median"] for name, one in told[cell["side"]].items()}
        assert figures(cell) == pytest.approx(medians)
    assert "sha256:" in results["source"]["authors"]


def test_what_was_given_to_some_may_not_be_shown_to_others(previewed):
    """The bundle is for the organization that it comes from, so its source has no licence."""
    assert previewed["results"]["source"]["licence"] == ""
    assert previewed["results"]["source"]["disclaimer"].startswith("For the organization")


def test_it_is_kept_corrected_with_both_versions_and_removed(laboratory, previewed):
    client, headers = laboratory.client, laboratory.headers
    title = "Measured elsewhere"
    assert title not in sources(laboratory)
    document = previewed["results"]
    document["source"]["title"] = title
    kept = client.post(ADDRESS, content=json.dumps(document), headers=headers)
    assert kept.status_code == 201, kept.text
    assert title in sources(laboratory)
    address = f"{ADDRESS}/{kept.json()['id']}"
    document["source"]["sponsor"] = "who sells one of them"
    corrected = client.post(
        f"{address}/versions", content=json.dumps(document), headers=headers,
        params={"because": "who paid was not told"},
    )  # fmt: skip
    assert corrected.status_code == 201, corrected.text
    for number, sponsor in ((1, ""), (2, "who sells one of them")):
        found = client.get(address, params={"number": number}, headers=headers).json()
        assert found["source"]["sponsor"] == sponsor
        assert [one["number"] for one in found["versions"]] == [2, 1]
    assert client.delete(address, headers=headers).status_code == 204
    assert title not in sources(laboratory)


def refused(found):
    assert found["results"] is None
    (note,) = found["notes"]
    assert note["level"] == "refused"
    assert note["file"] == NAME
    return note["reason"]


def test_one_that_was_tampered_with_is_refused_by_the_file_that_was(laboratory, bundle, changed):
    with bundle.open("rb") as file:
        found = {one.name: one for one in entries(file)}
    histograms = next(name for name in found if name.endswith("intervals.jsonl"))
    for name in ("comparison.json", histograms):
        damaged = changed(found[name].begin + found[name].size // 2)
        assert name in refused(preview(laboratory, damaged.read_bytes()))


def test_one_whose_first_header_was_changed_is_no_archive_of_files(changed):
    for place in (0, 100, 150, 300):
        found = read_paths([changed(place)])
        assert found.results is None
        assert [one.file for one in found.refused] == ["changed.bundle.tar"]


def test_one_that_lies_of_its_histograms_is_refused(laboratory, bundle):
    def slower(path, text):
        return text.replace(b'"p99_us":', b'"p99_us":1') if "summaries" in path else text

    said = refused(preview(laboratory, rewritten(bundle, slower).read()))
    assert "tells what its histograms do not" in said
    assert "p99_us is told as" in said


def packed_anew(bundle):
    """The same files in another tar, as one who changed one of them would make it."""
    kept = io.BytesIO()
    with tarfile.open(bundle) as old, tarfile.open(fileobj=kept, mode="w") as new:
        for one in old:
            one.mtime = 1
            new.addfile(one, old.extractfile(one))
    return kept.getvalue()


def test_one_that_was_packed_anew_leaves_nothing(bundle, tmp_path):
    """Its logs are of a format that is known; without its signature nobody takes them for its."""
    for name, content in (
        ("anew.tar", packed_anew(bundle)),
        ("anew.tar.gz", gzip.compress(packed_anew(bundle), 1)),
    ):
        (tmp_path / name).write_bytes(content)
        found = read_paths([tmp_path / name])
        assert found.results is None
        (note,) = found.refused
        assert (note.file, "packed anew" in note.reason) == (name, True)


def test_one_that_is_packed_as_a_file_is_one_file(bundle, tmp_path):
    (tmp_path / "theirs.bundle.tar.gz").write_bytes(gzip.compress(bundle.read_bytes(), 1))
    with zipfile.ZipFile(tmp_path / "theirs.zip", "w") as archive:
        archive.write(bundle, NAME)
    for path in tmp_path.iterdir():
        found = offered([path])
        assert found.refused == []
        assert [one.base for one in found.files] == [NAME]
        with found.files[0].open() as stream:
            assert stream.read() == bundle.read_bytes()


def test_two_are_two_sources(bundle, tmp_path):
    for name in ("a.tar", "b.tar"):
        (tmp_path / name).symlink_to(bundle)
    found = read_paths(sorted(tmp_path.iterdir()))
    assert found.results is None
    assert "one at a time" in found.refused[0].reason


class TestBundle(ImporterConformance):
    importer = importer_named("bundle")
    broken = 25

    @pytest.fixture(autouse=True)
    def _sample(self, bundle):
        type(self).samples = (bundle,)
