"""What others wrote is listed, its licences are held against those allowed, and nobody who did not
answer is taken for one that knows nothing.
"""

import json
import subprocess

import pytest
from supply import advisories, licences, listing
from supply.listing import Part


def of(*said: str, name: str = "thing", kind: str = "python") -> Part:
    return Part(kind, name, "1.0", said)


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("(MIT OR GPL-3.0-only) AND Apache-2.0", True),
        ("MIT AND GPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("AGPL-3.0-or-later", False),
        ("SSPL-1.0", False),
        ("a licence of my own", False),
        ("", False),
    ],
)
def test_an_expression_is_allowed_when_a_choice_of_it_is(expression: str, allowed: bool) -> None:
    assert licences.allows(expression) is allowed


def test_what_may_not_be_used_is_named() -> None:
    parts = [
        of("MIT"),
        of("License :: OSI Approved :: BSD License"),
        of("MIT", "License :: OSI Approved"),
        of("LGPL-3.0-only", name="psycopg"),
        of("LGPL-3.0-only", name="another"),
        of("MIT", "Proprietary", name="twofold"),
        of(name="silent", kind="npm"),
    ]
    assert list(licences.refused(parts)) == [
        "another 1.0 (python): LGPL-3.0-only",
        "twofold 1.0 (python): Proprietary",
        "silent 1.0 (npm): it does not say under which licence it is",
    ]


def test_the_environment_is_listed_without_ourselves() -> None:
    document = listing.python()
    assert document["bomFormat"] == "CycloneDX"
    found = {part.name for part in listing.parts("python", document)}
    assert {"fastapi", "celery", "psycopg"} <= found
    assert not any(name.startswith("weighhouse") for name in found)


def test_the_frontend_is_listed_with_its_licences() -> None:
    parts = listing.parts("npm", listing.npm())
    vue = next(part for part in parts if part.name == "vue")
    assert vue.licences == ("MIT",)
    assert any("/" in part.name for part in parts), "names of a scope are whole"


def test_crates_are_listed_with_their_sums_and_licences() -> None:
    document = listing.rust()
    serde = next(one for one in document["components"] if one["name"] == "serde")
    assert serde["purl"].startswith("pkg:cargo/serde@")
    assert serde["hashes"][0]["alg"] == "SHA-256"
    parts = listing.parts("rust", document)
    assert "MIT OR Apache-2.0" in {said for part in parts for said in part.licences}
    assert not any(part.name.startswith("weighhouse") for part in parts)


def test_a_tool_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "npm is missing" in advisories.npm().why


def answered(document: object, error: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], 1, json.dumps(document) if document else "", error)


def test_python_packages_that_nobody_knows_are_not_taken_for_sound() -> None:
    skipped = {"name": "a", "skip_reason": "not found"}
    sound = {"name": "b", "version": "1", "vulns": []}
    bad = {"name": "c", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
    answer = advisories.read_python(answered({"dependencies": [skipped, sound, bad]}))
    assert (answer.asked, answer.unasked, answer.whole) == (2, 1, False)
    assert answer.found == ["c 2: CVE-1 (mended in 3)"]
    assert advisories.read_python(answered({"dependencies": [sound]})).whole
    assert advisories.read_python(answered(None, "no route")).why == "no route"


def test_a_registry_that_refuses_has_not_answered() -> None:
    refused = advisories.read_npm(answered({"message": "405 Method Not Allowed"}))
    assert (refused.whole, refused.why) == (False, "405 Method Not Allowed")
    told = {
        "vulnerabilities": {"left-pad": {"range": "<2", "severity": "high"}},
        "metadata": {"dependencies": {"total": 7}},
    }
    answer = advisories.read_npm(answered(told))
    assert (answer.whole, answer.asked, answer.found) == (True, 7, ["left-pad <2: high"])


def test_crates_are_told_by_their_advisories() -> None:
    listed = [{"package": {"name": "x", "version": "1"}, "advisory": {"id": "RUSTSEC-1"}}]
    told = {"lockfile": {"dependency-count": 9}, "vulnerabilities": {"list": listed}}
    answer = advisories.read_rust(answered(told))
    assert (answer.whole, answer.asked, answer.found) == (True, 9, ["x 1: RUSTSEC-1"])
    assert not advisories.read_rust(answered(None)).whole
