"""What must stand beside a number."""

import datetime

import pytest
from pydantic import ValidationError
from weighhouse_backend.disclosure.statements import Setup, disclaimers_for
from weighhouse_protocol.disclaimers import ManifestDisclaimer
from weighhouse_protocol.disclosure import Disclosure
from weighhouse_protocol.manifest import (
    BenchmarkClause,
    Manifest,
    ManifestDriver,
)
from weighhouse_protocol.target import Target


def manifest(name, policy="open", severity="note"):
    return Manifest(
        id=name, version="1", name=name.title(), vendor="v", licence="l", architecture="a",
        colour="#000000", mark="●", operations=("read",), deployments=("process",),
        default_deployment="process", driver=ManifestDriver(id="resp"),
        benchmark_clause=BenchmarkClause(
            policy=policy, text="clause", source="licence", checked_on=datetime.date(2026, 11, 20)
        ),
        disclaimers=(ManifestDisclaimer(id="d", title="t", text="x", severity=severity),),
    )  # fmt: skip


def test_the_gravest_statement_comes_first():
    found = disclaimers_for(
        [manifest("a"), manifest("b", severity="bar")], Disclosure(caveats=("c",))
    )
    assert [one.severity for one in found] == ["bar", "note", "note"]
    assert found[0].system_id == "b"
    assert found[-1].kind == "person"


CONDITIONS = {
    "always": {},
    "memory": {"parameters": {"storage": ("memory",)}},
    "files": {"parameters": {"storage": ("files", "both")}},
    "one": {"several_nodes": False},
    "copies": {"replicated": True},
    "crowded": {"deployments": ("process", "docker"), "shared_machine": True},
}


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        ({}, {"memory", "one"}),
        ({"parameters": {"storage": "files"}}, {"files", "one"}),
        ({"topology": {"nodes": 3}}, {"memory", "crowded"}),
        ({"topology": {"nodes": 3, "replication_factor": 2}}, {"memory", "copies", "crowded"}),
        ({"topology": {"nodes": 3}, "machines": 3}, {"memory"}),
        ({"topology": {"nodes": 3}, "machines": 2}, {"memory", "crowded"}),
        ({"topology": {"nodes": 1}, "machines": 3}, {"memory", "one"}),
        # Of servers of somebody else nothing is known, so nothing is left out for it.
        (
            {"deployment": "external", "endpoints": ("tcp://127.0.0.1:1",)},
            {"memory", "files", "one", "copies", "not-emptied"},
        ),
    ],
)
def test_a_statement_stands_beside_the_numbers_that_it_concerns(setup, said):
    machines = setup.pop("machines", 1)
    target = Target.model_validate({"name": "t", "system": "a", **setup})
    found = disclaimers_for([conditional()], None, [Setup(target, machines)])
    assert {one.id.removeprefix("a-") for one in found} == {"always", *said}


def test_of_several_setups_each_has_its_statements():
    plain = Target(name="t", system="a")
    files = Target(name="f", system="a", parameters={"storage": "files"})
    found = disclaimers_for([conditional()], None, [Setup(plain), Setup(files)])
    assert {one.id for one in found} == {"a-always", "a-memory", "a-files", "a-one"}
    everything = disclaimers_for([conditional()], None)
    assert {one.id for one in everything} == {f"a-{name}" for name in CONDITIONS}


def test_servers_that_are_not_emptied_are_named_once_and_theirs_alone():
    there = {"deployment": "external", "endpoints": ("tcp://127.0.0.1:1",)}
    setups = [
        Setup(Target.model_validate({"name": name, "system": "a", **there})) for name in ("x", "y")
    ]
    others = [manifest("a"), manifest("b")]
    found = disclaimers_for(others, None, [*setups, Setup(Target(name="z", system="b"))])
    [said] = [one for one in found if one.id.endswith("-not-emptied")]
    assert (said.system_id, said.severity) == ("a", "caution")
    assert "earlier repeats" in said.text
    assert len(said.title.split()) <= 8
    assert not [one for one in disclaimers_for(others, None) if "emptied" in one.id]


def test_a_condition_over_a_parameter_that_is_not_there_is_refused():
    wrong = {"id": "d", "title": "t", "text": "x", "when": {"parameters": {"nosuch": (1,)}}}
    with pytest.raises(ValidationError, match=r"disclaimers\.d\.when: no parameters: nosuch"):
        Manifest.model_validate({**manifest("a").model_dump(), "disclaimers": (wrong,)})


def conditional():
    return Manifest.model_validate(
        {
            **manifest("a").model_dump(),
            "deployments": ("process", "external"),
            "parameters": {"properties": {"storage": {"default": "memory"}}},
            "disclaimers": [
                {"id": name, "title": "t", "text": "x", "when": when}
                for name, when in CONDITIONS.items()
            ],
        }
    )


def test_a_sponsor_is_named_and_nobody_is_none():
    paid = disclaimers_for([], Disclosure(sponsor="Vendor Inc."))
    assert [one.kind for one in paid] == ["sponsor"]
    assert "Vendor Inc." in paid[0].title
    assert disclaimers_for([], Disclosure(sponsor="nobody")) == []
