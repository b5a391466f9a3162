"""What is never taken from an experiment is refused on every way in, of every system: when saved,
when looked at before, as YAML and as JSON, and out of a configuration file.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from weighhouse_backend.experiments.endpoints import router
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_protocol.compatibility.settings import settings_errors
from weighhouse_protocol.configuration.grammars import ConfigurationRefused
from weighhouse_protocol.configuration.tables import Settings, folded
from weighhouse_protocol.configuration.translation import target_from
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_sdk.registry import discover
from weighhouse_sdk.testkit.attacks import VALUES, dangers, file_with, forms
from weighhouse_testing.world import accept

MANIFESTS = {name: each.manifest for name, each in discover()[0].items()}
SYSTEMS = sorted(name for name, each in MANIFESTS.items() if each.settings is not None)
AT_ONCE = 100
"""Settings of one target that is tried; more than twice as many no target may have."""


@pytest.fixture(scope="module")
def client(make_client, session_factory, tenants):
    with unit_of_work(session_factory) as session:
        for tenant in tenants:
            known = [MANIFESTS[each] for each in SYSTEMS]
            accept(session, SystemClock(), tenant.organization_id, known)
    return make_client(router)


@pytest.fixture
def ours(tenants):
    return tenants[0].headers


def table_of(system: str) -> Settings:
    table = MANIFESTS[system].settings
    assert table is not None
    return table


def document(system: str, settings: dict[str, Any]) -> dict[str, Any]:
    manifest = MANIFESTS[system]
    target = {"name": "t", "system": system, "deployment": manifest.default_deployment}
    return {
        "slug": f"danger-{system}",
        "name": "Danger",
        "targets": [target | {"settings": settings}],
        "workloads": [{"name": "w", "operations": {"read": 1.0}}],
        "load_levels": [{"model": "closed", "clients": 1}],
        "phases": {"warmup_seconds": 1, "measure_seconds": 2},
    }


def batches(names: list[str]) -> Iterator[list[str]]:
    for first in range(0, len(names), AT_ONCE):
        yield names[first : first + AT_ONCE]


def passed(system: str, settings: dict[str, Any]) -> set[str]:
    """Settings that nothing is said against."""
    target = Target.model_validate(document(system, settings)["targets"][0])
    wrong = {error.path for error in settings_errors(target, MANIFESTS[system])}
    return {name for name in settings if f"settings.{name[:100]}" not in wrong}


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_form_of_each_dangerous_name_is_refused(system: str) -> None:
    names = [form for name, _ in dangers(table_of(system)) for form in forms(name)]
    names = list(dict.fromkeys(name for name in names if len(name) <= AT_ONCE))
    assert len(names) > len(list(dangers(table_of(system))))
    got_through = set().union(*(passed(system, dict.fromkeys(some, 1)) for some in batches(names)))
    assert got_through == set()


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_value_of_a_listed_setting_is_more_than_its_word(system: str) -> None:
    table = table_of(system)
    for value in VALUES:
        if not table.taken:
            break
        some = list(table.taken[:AT_ONCE])
        assert passed(system, dict.fromkeys(some, value)) == set(), repr(value)


@pytest.mark.parametrize("system", SYSTEMS)
def test_out_of_a_file_comes_no_dangerous_setting(system: str) -> None:
    manifest, table = MANIFESTS[system], table_of(system)
    tried = 0
    for name, _ in dangers(table):
        for form in (name, name.upper(), name.replace("-", "_"), f"{name}.x"):
            for value in ("1", "x", '"x y"', "/etc/passwd"):
                tried += not gives(manifest, file_with(table.grammar, {form: value}), name)
    assert tried


def gives(manifest: Manifest, text: str, dangerous: str) -> bool:
    """Whether a file is read; it is held that it comes to nothing that may not be."""
    try:
        found = target_from(text, manifest)
    except ConfigurationRefused:
        return False
    assert manifest.settings is not None
    for name in found.settings:
        assert manifest.settings.is_taken(name), (dangerous, text)
        assert folded(name) != folded(dangerous), (dangerous, text)
    return bool(found.settings)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_target_with_one_is_refused_however_it_is_sent(client, ours, system: str) -> None:
    table = table_of(system)
    name = next(iter(table.never.values()))[0].replace("*", "x")
    raw = document(system, {name: "x"})
    bodies = [{"document": raw}, {"yaml": yaml.safe_dump(raw)}]
    for body in bodies:
        saved = client.post("/api/v1/experiments", json=body, headers=ours)
        assert saved.status_code == 422, saved.text
        assert f"settings.{name}" in saved.text
        looked_at = client.post("/api/v1/experiments/validate", json=body, headers=ours)
        assert f"settings.{name}" in looked_at.text
    text = file_with(table.grammar, {name: "hush"})
    body = {"file": "x", "system": system, "text": text}
    read = client.post("/api/v1/experiments/target-from-file", json=body, headers=ours)
    assert read.status_code == 422 or not read.json()["settings"]
    assert "hush" not in read.text
