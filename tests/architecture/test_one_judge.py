"""What the platform accepts an agent takes, and the other way round: one judge, asked by both."""

import ast
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from weighhouse_agent.attempt.compatibility import check_compatible
from weighhouse_backend.experiments.manifest_checks import MOST_ERRORS, check
from weighhouse_backend.experiments.size_checks import size_errors
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.parameters import declared
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.registry import discover
from weighhouse_testing.tree import text_of, tracked

PROTOCOL = "weighhouse_protocol"
JUDGES = frozenset({"value_problems", "fault_problem", "unmet"})
"""What holds a part of a document against a manifest."""
MAY_ASK = {
    "judging/weighhouse_judging/fairness/equalization.py": "proposes values that fit a parameter",
    "judging/weighhouse_judging/bench/scenarios.py": "a calibration's goal that is not met",
    "plugins/sdk/weighhouse_sdk/testkit/parameter_cover.py": "values that meet a rule or break it",
}
"""A file outside of the protocol that asks one by itself: the reason."""
OWN_WORD = "plugins/sdk/weighhouse_sdk/lifecycle.py"
"""Where plugins' `check_target` is written once."""


def sources() -> Iterator[tuple[str, ast.AST]]:
    for name in tracked(".py"):
        if "/tests/" not in f"/{name}" and not name.startswith("protocol/"):
            for node in ast.walk(ast.parse(text_of(name))):
                yield name, node


def test_nobody_else_holds_a_target_against_a_manifest() -> None:
    asking, overriding = set(), set()
    for name, node in sources():
        if isinstance(node, ast.Attribute):
            layout = ast.unparse(node).endswith("topology.problem")
            asks = node.attr in JUDGES or layout
        else:
            ours = isinstance(node, ast.ImportFrom) and str(node.module).startswith(PROTOCOL)
            asks = ours and any(each.name in JUDGES for each in node.names)
        if asks:
            asking.add(name)
        if isinstance(node, ast.FunctionDef) and node.name == "check_target":
            overriding.add(name)
    assert asking == MAY_ASK.keys(), "weighhouse_protocol.compatibility judges; a manifest says it"
    assert overriding == {OWN_WORD}, "what a system cannot do is a requirement in its plugin.toml"


# Targets of all kinds, for every system that ships

SHIPPED = {name: found for name, found in discover()[0].items() if name != "scale"}
MANIFESTS = {name: found.manifest for name, found in SHIPPED.items()}
SYSTEMS = sorted(name for name, found in SHIPPED.items() if isinstance(found, Plugin))
TOOLS = sorted(MANIFESTS.keys() - set(SYSTEMS))
FEWEST = 20
NEAR = (-1, 0, 1, 48)
"""Steps from the ends of a number's range; 48 is seldom a power of two away."""


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values at the ends of what a parameter may be, just beyond them, and of other types."""
    found: list[Any] = [True, False, 0, 1.5, "nonsense", "", schema.get("default", 0)]
    found += [*schema.get("enum", ()), *schema.get("examples", ())]
    for end in ("minimum", "maximum"):
        if end in schema:
            found += [schema[end] + step for step in NEAR]
    return st.sampled_from(found)


def chosen(schema: dict[str, object], *others: str) -> st.SearchStrategy[dict[str, Any]]:
    """Some values of what a schema declares, and of names that it does not."""
    known = {**declared(schema), **{name: {"type": "string"} for name in others}}
    pairs = [st.tuples(st.just(name), values_of(each)) for name, each in known.items()]
    return st.lists(st.one_of(pairs), max_size=3).map(dict)


OPERATIONS = ("read", "update", "insert", "scan", "read_modify_write", "delete")
OPEN = {"model": "open", "rate_per_second": 10, "connections": 1}
OF_TARGETS: dict[str, list[Any]] = {
    "endpoints": [
        [],
        ["127.0.0.1"],
        ["tls://h:1"],
        ["tcp://127.0.0.1:1"],
        ["tcp://10.0.0.1:1", "tcp://h:2"],
    ],
    "topology": [
        {"nodes": nodes, "replication_factor": copies}
        for nodes in (1, 2, 3, 4, 6, 70)
        for copies in (1, 2, 3)
    ],
    "image": ["", "docker.io/other:1"],
    "limits": [{"memory_mebibytes": 4096}, {"cpus": 1.5}, {"memory_mebibytes": 64, "cpus": 1}],
    "credentials": [None, "staging"],
    "tool": TOOLS,
}
"""Part of a target → what it may be, whatever the system."""
OF_DOCUMENTS: dict[str, list[Any]] = {
    "workloads": [
        [{"name": "w", "record_count": 1, "operations": {operation: 1.0}, **more}]
        for operation in OPERATIONS
        for more in ({}, {"ttl_seconds": 60}, {"keys_per_read": 10}, {"field_count": 3})
    ],
    "load_levels": [
        [OPEN],
        [{**OPEN, "operation_rates": {"read": 5, "scan": 5}}],
        [{"model": "closed", "clients": 1, "think_time_us": 5}],
        [{"model": "closed", "clients": 1, "pipeline": 4}],
    ],
    "faults": [
        [{"at_seconds": 1, "verb": "kill"}],
        [{"at_seconds": 1, "verb": "remove"}],
        [{"at_seconds": 1, "verb": "network", "network": {"partition": True}}],
    ],
    "placement": [{"drivers": {"machines": 2}}],
}
"""The same of an experiment."""
OWN_PARTS = ("edition", "parameters", "driver_options")
"""Parts of a target that its system's manifest declares."""


@st.composite
def documents(draw: st.DrawFn, manifest: Manifest) -> dict[str, Any]:
    """An experiment of one target that a system can do, but for up to three parts of it."""
    way = draw(st.sampled_from([*manifest.deployments, *manifest.deployments, "in_process"]))
    parts = st.sampled_from([*OF_TARGETS, *OF_DOCUMENTS, *OWN_PARTS])
    varied = draw(st.lists(parts, max_size=3, unique=True))
    target = {
        "name": "t",
        "system": manifest.id,
        "deployment": way,
        "endpoints": ["tcp://127.0.0.1:1"] if way == "external" else [],
    }
    found = {
        "slug": "one",
        "name": "One",
        "workloads": [{"name": "w", "record_count": 1, "operations": {"read": 1.0}}],
        "load_levels": [{"model": "closed", "clients": 1}],
        "faults": [],
        "placement": {},
    }
    for part in varied:
        if part in OF_TARGETS:
            target[part] = draw(st.sampled_from(OF_TARGETS[part]))
        elif part in OF_DOCUMENTS:
            found[part] = draw(st.sampled_from(OF_DOCUMENTS[part]))
    if "edition" in varied:
        known = [one.id for one in manifest.known_editions]
        target["edition"] = draw(st.sampled_from(["unheard-of", *known]))
    if "parameters" in varied:
        target["parameters"] = draw(chosen(manifest.parameters, "unknown"))
    if "driver_options" in varied:
        target["driver_options"] = draw(chosen(manifest.driver.options, "unknown", "ca_file"))
    scenario = "fault" if found["faults"] else "fixed"
    return {**found, "targets": [target], "scenario": scenario}


def accepted_by_the_platform(document: dict[str, Any]) -> bool | None:
    """Whether the experiment may be saved; None: it is none, whatever its plugins can do."""
    try:
        experiment = Experiment.model_validate(document)
    except ValidationError:
        return None
    errors = check(experiment, MANIFESTS)
    assert len(errors) < MOST_ERRORS
    # How many records there will be is the experiment's to say, and nobody's whom an order reaches.
    return not set(errors) - set(size_errors(experiment, MANIFESTS))


def taken_by_the_agent(document: dict[str, Any]) -> bool:
    """Whether a machine that lacks nothing begins with it."""
    order = AttemptOrder.model_validate(
        {
            "attempt_id": UUID(int=1),
            "run_id": UUID(int=2),
            "campaign_id": UUID(int=3),
            "fence": 1,
            "attempt_token": "-",
            "target": document["targets"][0],
            "workload": document["workloads"][0],
            "load": document["load_levels"][0],
            "phases": [{"kind": "measure", "duration_seconds": 60}],
            "interval_seconds": 1,
            "seed": 1,
            "limit_seconds": 100,
            "faults": document["faults"],
            "gang": [
                {"index": index, "agent_name": "a", "roles": ["driver"], "address": "10.0.0.1"}
                for index in range(2 if document["placement"] else 0)
            ],
        }
    )
    plugin = SHIPPED[order.target.system]
    assert isinstance(plugin, Plugin)
    tool = None if order.target.tool is None else MANIFESTS[order.target.tool]
    try:
        check_compatible(order, order.target, plugin.manifest, tool, {})
        plugin.check_target(order.target, {})
    except TargetInvalid:
        return False
    return True


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_one_accepts_the_other_takes(system: str) -> None:
    seen: dict[bool, int] = {True: 0, False: 0}

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(documents(MANIFESTS[system]))
    def judged(document: dict[str, Any]) -> None:
        accepted = accepted_by_the_platform(document)
        if accepted is not None:
            seen[accepted] += 1
            assert taken_by_the_agent(document) == accepted

    judged()
    assert min(seen.values()) > FEWEST, "some fit, and some do not"
