"""What must stand beside a number."""

import datetime

from weighhouse_backend.disclosure.statements import disclaimers_for, disclosure_sheet
from weighhouse_protocol.experiment import Disclosure, SystemDisclosure
from weighhouse_protocol.manifest import (
    BenchmarkClause,
    Manifest,
    ManifestDisclaimer,
    ManifestDriver,
)


def manifest(name, policy="open"):
    return Manifest(
        id=name, version="1", name=name.title(), vendor="v", licence="l", architecture="a",
        colour="#000000", mark="●", operations=("read",), deployments=("process",),
        default_deployment="process", driver=ManifestDriver(id="resp"),
        benchmark_clause=BenchmarkClause(
            policy=policy, text="clause", source="licence", checked_on=datetime.date(2026, 11, 20)
        ),
        disclaimers=(ManifestDisclaimer(id="d", title="t", text="x"),),
    )  # fmt: skip


def test_the_gravest_statement_comes_first():
    found = disclaimers_for(
        [manifest("a"), manifest("b", "prohibited")], Disclosure(caveats=("c",))
    )
    assert [one.severity for one in found] == ["bar", "note", "note", "note"]
    assert found[0].system_id == "b"
    assert found[-1].kind == "person"


def test_a_sponsor_is_named_and_nobody_is_none():
    paid = disclaimers_for([], Disclosure(sponsor="Vendor Inc."))
    assert [one.kind for one in paid] == ["sponsor"]
    assert "Vendor Inc." in paid[0].title
    assert disclaimers_for([], Disclosure(sponsor="nobody")) == []


def test_completeness_counts_what_was_answered():
    manifests = {"a": manifest("a")}
    assert disclosure_sheet(None, manifests).completeness == 0
    whole = Disclosure(
        sponsor="nobody", method_author="us", affiliations="none",
        systems=(SystemDisclosure(system="a", configured_by="us", tuning="neutral_default"),),
    )  # fmt: skip
    assert disclosure_sheet(whole, manifests).completeness == 1


def test_the_strictest_policy_decides():
    manifests = {
        "a": manifest("a"),
        "b": manifest("b", "consent_required"),
        "c": manifest("c", "unknown"),
    }
    assert disclosure_sheet(None, manifests).publication == "consent_required"
