"""A bundle is worked out again without a database, and holds to the byte."""

import hashlib
import io
import json
import os
import subprocess
import sys

import pytest
from weighhouse_backend.bundles.keys import BundleKey
from weighhouse_backend.bundles.opened import opened
from weighhouse_backend.bundles.recomputation import worked_out_again
from weighhouse_backend.bundles.verification import verified
from weighhouse_protocol.bundles.archive import (
    END,
    BundleError,
    entries,
    header,
    padding,
)
from weighhouse_protocol.bundles.manifest import (
    ENVELOPE,
    BundledFile,
    BundleManifest,
    canonical,
)

from .conftest import SECRET


def test_everything_comes_to_what_is_told(bundle):
    with bundle.open("rb") as file:
        again = worked_out_again(opened(file))
    assert again.found.differs == []
    assert again.found.left == []
    assert again.found.counts["runs"] == 10
    assert again.found.counts["verdicts"] == len(again.choice.sides) * 5
    assert all(again.found.counts[one] for one in ("figures", "findings", "intervals of figures"))


def test_the_same_campaign_comes_to_the_same_bytes(laboratory, campaign, bundle):
    answer = laboratory.client.get(
        f"/api/v1/campaigns/{campaign}/bundle", headers=laboratory.headers
    )
    file = io.BytesIO(answer.content)
    assert list(entries(file)) == places(bundle)
    assert answer.content == bundle.read_bytes()
    assert answer.headers["Content-Disposition"].endswith('.bundle.tar"')


def places(bundle):
    with bundle.open("rb") as file:
        return list(entries(file))


def test_a_byte_changed_in_any_file_is_found_and_the_file_is_named(bundle, changed):
    found = places(bundle)
    assert len(found) > 50
    for one in found:
        damaged = changed(one.begin + one.size // 2)
        with damaged.open("rb") as file, pytest.raises(BundleError) as refused:
            opened(file)
        assert one.name in str(refused.value)


def test_a_byte_changed_between_files_is_found(bundle, changed):
    first, second = places(bundle)[:2]
    end = bundle.stat().st_size - 1
    gap = first.begin + first.size
    for place in (0, 100, 156, 511, second.begin - 1, second.begin - 512, gap, end):
        with changed(place).open("rb") as file, pytest.raises(BundleError):
            opened(file)


@pytest.mark.parametrize("more", [b"x", bytes(512)])
def test_nothing_stands_behind_its_end(bundle, more):
    with pytest.raises(BundleError, match="no part of it"):
        opened(io.BytesIO(bundle.read_bytes() + more))


def rewritten(bundle, change, *, secret=SECRET):
    """A bundle whose owner changed what it tells, and signed it anew."""
    content = bundle.read_bytes()
    out, files, first = io.BytesIO(), [], None
    for one in places(bundle):
        if one.name == ENVELOPE:
            continue
        text = change(one.name, content[one.begin : one.begin + one.size])
        out.write(header(one.name, len(text)) + text + padding(len(text)))
        files.append(described(one.name, text))
        first = first or files[0].sha256
    with bundle.open("rb") as file:
        manifest = opened(file).manifest
    key = BundleKey.of(secret.encode())
    anew = BundleManifest(
        **{**manifest.model_dump(), "files": tuple(files), "public_key": key.public}
    )
    envelope = key.signed(anew).encoded()
    out.write(header(ENVELOPE, len(envelope)) + envelope + padding(len(envelope)) + END)
    out.seek(0)
    return out


def described(name, text):
    return BundledFile(path=name, bytes=len(text), sha256=hashlib.sha256(text).hexdigest())


def lied(name, edit):
    """Changes one file of JSON."""

    def change(path, text):
        if not path.endswith(name):
            return text
        document = json.loads(text)
        edit(document)
        return canonical(document) + b"\n"

    return change


def test_whoever_signs_what_is_not_so_is_found_out(bundle):
    def figure(comparison):
        comparison["cells"][0]["figures"]["throughput"]["median"] *= 1.5

    def verdict(comparison):
        told = comparison["differences"][0]
        told["verdict"] = "changed" if told["verdict"] != "changed" else "equivalent"

    for edit, place in ((figure, "figures.throughput.median"), (verdict, "verdict")):
        found = verified(rewritten(bundle, lied("comparison.json", edit)))
        assert len(found.differs) == 1
        assert place in found.differs[0]


def test_a_figure_that_is_no_longer_its_histograms_is_found(bundle):
    def slower(summaries):
        for one in summaries:
            one["p99_us"] = (one["p99_us"] or 0.0) + 1000.0

    found = verified(rewritten(bundle, lied("summaries.json", slower)))
    assert any("p99_us is told as" in one for one in found.differs)


def test_a_finding_left_out_is_found(bundle):
    def silent(facts):
        facts["findings"] = []

    found = verified(rewritten(bundle, lied("facts.json", silent)))
    assert any("is not told" in one for one in found.differs)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("runs.json", b"[]"),
        ("runs.json", b"{}"),
        ("cells.json", b"[null]"),
        ("campaign.json", b"{"),
        ("campaign.json", b'{"campaign": NaN}'),
        ("noise.json", b'{"floors": [1], "looked_at": 0}'),
        ("experiment.json", b"[" * 100_000),
    ],
)
def test_what_makes_no_sense_is_refused_or_differs(bundle, name, text):
    anew = rewritten(bundle, lambda path, was: text if path == name else was)
    try:
        held = not verified(anew).differs
    except BundleError:
        held = False
    assert not held


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a//b", "a/../b", "x" * 120, "a b", ""])
def test_no_file_of_a_bundle_is_called_so(name):
    with pytest.raises(BundleError):
        header(name, 1)


def test_nothing_secret_is_in_it(laboratory, bundle):
    content = bundle.read_bytes()
    for secret in (SECRET, laboratory.headers["Authorization"], laboratory.agent["Authorization"]):
        assert secret.removeprefix("Bearer ").encode() not in content
    url = laboratory.settings.database_url
    assert url.encode() not in content


def test_the_command_checks_it_where_there_is_no_platform(bundle, tmp_path):
    """In a process that could reach no database, no Redis and no platform."""
    here = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("WEIGHHOUSE_", "PG"))
    }
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('a connection was asked for')\n"
        "socket.socket.connect = refuse\n"
        "from weighhouse_cli.main import main\n"
        "main()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "verify", str(bundle), "--json"],
        env=here | {"WEIGHHOUSE_DATA_DIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["holds"] is True
    assert told["worked_out_again"]["runs"] == 10
    assert told["key_sha256"] == BundleKey.of(SECRET.encode()).sha256
