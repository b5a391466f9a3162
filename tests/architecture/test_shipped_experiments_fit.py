"""Every experiment that ships fits into the stores it is for, at every scale of every study."""

from pathlib import Path
from typing import get_args

import pytest
from weighhouse_backend.experiments.manifest_checks import check
from weighhouse_backend.experiments.size_checks import eviction_warnings, size_errors
from weighhouse_cli.templates import Scenario, template
from weighhouse_protocol.manifest import Manifest, load_manifest
from weighhouse_protocol.yaml_document import experiment_from_yaml

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(
    path
    for path in (ROOT / "experiments").rglob("*.yaml")
    if path.name not in ("study.yaml", "claims.yaml", "text.yaml")
)
EVICTS = {"while-it-fills.yaml"}
"""Made to show what eviction does."""


@pytest.fixture(scope="module")
def manifests() -> dict[str, Manifest]:
    found = map(load_manifest, (ROOT / "plugins").glob("*/weighhouse_plugin_*/plugin.toml"))
    return {one.id: one for one in found}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_shipped_experiment_fits(path: Path, manifests: dict[str, Manifest]) -> None:
    experiment = experiment_from_yaml(path.read_text(encoding="utf-8"))
    assert list(check(experiment, manifests)) == []
    assert bool(list(eviction_warnings(experiment, manifests))) == (path.name in EVICTS)


@pytest.mark.parametrize("scenario", get_args(Scenario))
def test_what_the_command_begins_fits(scenario: Scenario, manifests: dict[str, Manifest]) -> None:
    experiment = experiment_from_yaml(template(scenario, "begun"))
    assert list(check(experiment, manifests)) == []
    assert list(eviction_warnings(experiment, manifests)) == []


def test_what_the_study_of_three_asks_does_not_fit_into_what_aerospike_ships(
    manifests: dict[str, Manifest],
) -> None:
    """Seen on a real one: full after 15 of 60 s; some 10 GiB are needed."""
    path = ROOT / "experiments/studies/redis-aerospike-dragonfly/published/clients.yaml"
    text = path.read_text(encoding="utf-8")
    without = text.replace(", parameters: {data_size_mebibytes: 12288}", "")
    assert without != text
    (error,) = size_errors(experiment_from_yaml(without), manifests)
    assert error.path == "targets[1].parameters.data_size_mebibytes"
    assert "(1,184 bytes a record in Aerospike)" in error.message
    assert "holds 2.8 GiB, 70\u2009% of 4 GiB" in error.message
    assert (error.expected or "").startswith("data_size_mebibytes: 10,509 or more")


def test_systems_in_memory_say_what_a_record_takes(manifests: dict[str, Manifest]) -> None:
    """And each says of what it was measured."""
    for name, one in manifests.items():
        properties = one.parameters.get("properties", {})
        assert isinstance(properties, dict)
        holds = any(each.get("x-holds") == "data" for each in properties.values())
        assert holds == (one.holding is not None), name
        assert one.holding is None or one.holding.source
