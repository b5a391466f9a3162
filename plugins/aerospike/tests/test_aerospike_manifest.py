"""What a node would refuse is refused by the manifest first, in its words."""

import pytest
from weighhouse_plugin_aerospike import PLUGIN
from weighhouse_protocol.target import Target
from weighhouse_sdk.capacity import capacity


def target(**changed: object) -> Target:
    return Target.model_validate({"name": "t", "system": "aerospike"} | changed)


@pytest.mark.parametrize(
    ("changed", "because"),
    [
        ({"parameters": {"commit_to_device": True}}, "does not start with `commit-to-device`"),
        ({"parameters": {"strong_consistency": True}}, "does not start with `strong-consistency`"),
        ({"driver_options": {"durable_delete": True}}, "refuses every delete"),
    ],
)
def test_what_is_of_the_enterprise_edition_is_refused_under_another(
    changed: dict[str, object], because: str
) -> None:
    (unmet,) = PLUGIN.manifest.unmet(target(**changed))
    assert because in unmet.requirement.because
    assert (unmet.parameter, unmet.value) == ("edition", "community")
    assert PLUGIN.manifest.unmet(target(**changed, edition="enterprise")) == []


@pytest.mark.parametrize(
    "parameters",
    [
        {"read_page_cache": True},
        {"storage": "memory_and_files", "read_page_cache": True},
        {"storage": "memory_and_files", "post_write_cache_mebibytes": 64},
    ],
)
def test_what_is_of_files_alone_is_refused_where_records_are_in_memory(
    parameters: dict[str, object],
) -> None:
    (unmet,) = PLUGIN.manifest.unmet(target(parameters=parameters))
    assert "of records in files alone" in unmet.requirement.because
    assert PLUGIN.manifest.unmet(target(parameters=parameters | {"storage": "files"})) == []


def test_the_size_of_a_write_is_of_all_that_is_written_to_files() -> None:
    parameters = {"flush_size_bytes": 4096}
    (unmet,) = PLUGIN.manifest.unmet(target(parameters=parameters))
    assert "of records that are written to files" in unmet.requirement.because
    for storage in ("memory_and_files", "files"):
        written = target(parameters=parameters | {"storage": storage})
        assert PLUGIN.manifest.unmet(written) == []


def test_connections_are_no_more_than_files_that_may_be_open() -> None:
    wanted = target(parameters={"proto_fd_max": 20_000})
    (unmet,) = PLUGIN.manifest.unmet(wanted, {"machine:open_files": 19_999})
    assert unmet.parameter == "proto_fd_max"
    assert PLUGIN.manifest.unmet(wanted, {"machine:open_files": 20_000}) == []
    contained = wanted.model_copy(update={"deployment": "docker"})
    assert PLUGIN.manifest.unmet(contained, capacity(contained)) == []


def test_records_that_expire_need_somebody_who_looks_for_them() -> None:
    expires = {"workload:expires": True}
    (unmet,) = PLUGIN.manifest.unmet(target(), expires)
    assert (unmet.parameter, unmet.wanted) == (
        "nsup_period_seconds", "at least 1, as workload:expires is true",
    )  # fmt: skip
    looking = target(parameters={"nsup_period_seconds": 60})
    assert PLUGIN.manifest.unmet(looking, expires) == []
    assert PLUGIN.manifest.unmet(target(), {"workload:expires": False}) == []
