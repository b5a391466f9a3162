"""Cells, sides and places: the same whatever they are called, and told apart by name of field."""

import pytest
from weighhouse_judging.identity.cells import DriverSeen, cell_identity
from weighhouse_judging.identity.digests import Identity, differences
from weighhouse_judging.identity.places import kind_differences, place_differences, place_of
from weighhouse_judging.identity.sides import Side, family, settings_of, side_identity, subject
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target

RESP = [DriverSeen("resp", "0.2.0", 1)]


def cell(drivers: list[DriverSeen] = RESP, level: int = 0, **changes: object) -> Identity:
    document = Experiment.model_validate(
        {
            "slug": "some",
            "name": "Some",
            "targets": [{"name": "redis", "system": "redis"}],
            "workloads": [{"name": "reads", "record_count": 1000}],
            "load_levels": [{"model": "closed", "clients": 4}],
            **changes,
        }
    )
    return cell_identity(document, document.workloads[0], document.load_levels[level], drivers)


@pytest.mark.parametrize(
    ("changes", "field", "before", "after"),
    [
        ({"workloads": [{"name": "reads", "record_count": 10_000_000}]},
         "workload.record_count", "1000", "10000000"),
        ({"workloads": [{"name": "reads", "operations": {"read": 1}}]},
         "workload.operations.read", "0.95", "1"),
        ({"phases": {"measure_seconds": 600}}, "phases.measure_seconds", "30", "600"),
        ({"load_levels": [{"model": "closed", "clients": 4, "think_time_us": 9}]},
         "load_level.think_time_us", "0", "9"),
        ({"scenario": "fault", "faults": [{"verb": "kill", "at_seconds": 5}]},
         "scenario", "fixed", "fault"),
        ({"drivers": [DriverSeen("resp", "0.2.0", 2)]}, "driver.threads", "1", "2"),
        ({"drivers": [DriverSeen("resp", "0.3.0", 1)]}, "driver.version", "0.2.0", "0.3.0"),
        ({"drivers": []}, "driver.version", "0.2.0", "not known"),
    ],
)  # fmt: skip
def test_another_measurement_is_another_cell_and_the_field_is_named(changes, field, before, after):
    found = {change.field: change for change in differences(cell(), cell(**changes))}
    assert (found[field].before, found[field].after) == (before, after)


def test_a_cell_is_the_same_by_another_name():
    renamed = [{"name": "other", "description": "words", "record_count": 1000}]
    assert cell(workloads=renamed).digest == cell().digest
    assert differences(cell(workloads=renamed), cell()) == []


def test_what_is_asked_of_sides_and_tries_is_no_part_of_the_cell():
    changed = cell(
        repetitions=9, targets=[{"name": "redis", "system": "redis", "parameters": {"hz": 50}}]
    )
    assert changed.digest == cell().digest


def test_levels_of_one_number_of_clients_are_two_cells():
    levels = [{"model": "closed", "clients": 4}, {"model": "closed", "clients": 4, "pipeline": 10}]
    plain, deep = (cell(load_levels=levels, level=level) for level in (0, 1))
    assert [str(one) for one in differences(plain, deep)] == ["load_level.pipeline 1 → 10"]


def test_fields_that_come_later_leave_identities_as_they_are():
    """Only what was set is hashed: this digest has to outlive every version."""
    assert cell().digest == "818c95d2b709b5a4fee83d811aa498ac"


def linked(*order: str, of: str, **link: object) -> Identity:
    """A workload as a link of a chain, or without one."""
    document = Experiment.model_validate(
        {
            "slug": "some",
            "name": "Some",
            "targets": [{"name": "redis", "system": "redis"}],
            "workloads": [
                {"name": name, "operations": {"read": 1.0 - share, "update": share}}
                for name, share in (("reads", 0.0), ("writes", 1.0), ("both", 0.5))
                if name in order or not order
            ],
            "load_levels": [{"model": "closed", "clients": 4}],
            "phases": {"chain": [{"measure": name, **link} for name in order]},
        }
    )
    workload = next(one for one in document.workloads if one.name == of)
    return cell_identity(document, workload, document.load_levels[0], RESP)


def test_what_was_measured_before_on_the_same_data_is_part_of_a_cell():
    alone = linked(of="reads")
    after = linked("writes", "reads", of="reads")
    assert after.digest != alone.digest
    fields = {change.field: change.after for change in differences(alone, after)}
    assert fields["before[0].workload.operations.update"] == "1"
    assert fields["before[0].phases.measure_seconds"] == "30"
    other_order = linked("both", "writes", "reads", of="reads")
    assert linked("writes", "both", "reads", of="reads").digest != other_order.digest
    longer = linked("writes", "reads", of="reads", measure_seconds=31)
    assert "before[0].phases.measure_seconds" in {
        change.field for change in differences(after, longer)
    }


def test_the_first_of_a_chain_is_what_it_is_alone_and_what_follows_is_no_part_of_it():
    assert linked("reads", "writes", of="reads").digest == linked(of="reads").digest
    assert differences(linked(of="reads"), linked("reads", "both", of="reads")) == []
    short = linked("writes", "reads", of="reads")
    assert linked("writes", "reads", "both", of="reads").digest == short.digest


def machine(**changes: object) -> MachineFacts:
    return MachineFacts.model_validate(
        {
            "hostname": "a", "machine_id": "1" * 32, "cpu_model": "EPYC", "cores": 4,
            "memory_bytes": 2**34, "kernel": "6.1", "operating_system": "Debian",
            "architecture": "x86_64", **changes,
        }
    )  # fmt: skip


def test_places_are_the_same_by_machine_and_alike_by_kind():
    here = place_of([[machine()], [machine()]])
    twin = place_of([[machine(hostname="b", machine_id="2" * 32)]])
    assert kind_differences(here, twin) == []
    assert twin.machines.digest != here.machines.digest
    other = place_of([[machine(cores=8, kernel="6.2")]])
    assert [str(one) for one in kind_differences(here, other)] == [
        "machine.cores 4 → 8", "machine.kernel 6.1 → 6.2",
    ]  # fmt: skip
    gang = place_of([[machine(), machine(machine_id="2" * 32)]])
    assert [str(one) for one in kind_differences(here, gang)] == ["machines.count 1 → 2"]
    unknown = place_of([[], []])
    assert kind_differences(here, unknown)[0].after == "not known"


def test_a_patched_machine_is_another_place_on_the_same_kind():
    here = place_of([[machine(kernel="6.1.90")]])
    patched = place_of([[machine(kernel="6.1.92", memory_bytes=2**34 - 20 * 4096)]])
    assert kind_differences(here, patched) == []
    assert [str(one) for one in place_differences(here, patched)] == ["kernel 6.1.90 → 6.1.92"]
    less = place_of([[machine(kernel="6.1.90", memory_bytes=int(2**34 * 0.99))]])
    assert [str(one) for one in place_differences(here, less)] == ["memory 16.0 GiB → 15.8 GiB"]
    smaller = place_of([[machine(kernel="6.1.92", memory_bytes=int(2**34 * 0.97))]])
    assert [one.field for one in kind_differences(here, smaller)] == ["machine.memory_bytes"]


def side(version: str = "7.0.15", settings: tuple[Setting, ...] = (), **target: object) -> Side:
    found = Target.model_validate({"name": "redis", "system": "redis", **target})
    return Side(found, [version, version], [settings, settings], ["tcp://127.0.0.1:6379"])


def fsync(value: str, **more: str) -> tuple[Setting, ...]:
    lines = [Setting(name="appendfsync", value=value, default="everysec", source="experiment")]
    return (*lines, *(Setting(name=name, value=one) for name, one in more.items()))


def test_a_new_version_is_the_subject_whatever_defaults_it_brings():
    before = side(settings=fsync("everysec", hz="10"))
    after = side("7.2.1", fsync("everysec", hz="20"))
    assert [str(one) for one in subject(before, after)] == ["redis 7.0.15 → 7.2.1"]
    assert [str(one) for one in subject(before, after, "Redis")] == ["Redis 7.0.15 → 7.2.1"]


def test_a_setting_is_the_subject():
    before, after = (
        side(settings=fsync("everysec", hz="10")),
        side(settings=fsync("always", hz="20")),
    )
    assert [str(one) for one in subject(before, after)] == [
        "appendfsync everysec → always", "hz 10 → 20",
    ]  # fmt: skip
    assert side_identity(before).digest != side_identity(after).digest


def test_topology_limits_and_deployment_are_confounders_and_make_another_family():
    before, after = side(), side(limits={"cpus": 1}, topology={"nodes": 3})
    changes = subject(before, after)
    assert {str(one) for one in changes if one.confounder} == {
        "limits.cpus none → 1", "topology.nodes 1 → 3",
    }  # fmt: skip
    assert family(before.target).digest != family(after.target).digest
    same = Target(name="redis", system="redis", version="7.2.1", parameters={"hz": 5})
    assert family(same).digest == family(before.target).digest


def test_ports_paths_and_what_differs_from_repeat_to_repeat_are_no_settings():
    def lines(pid: str) -> list[Setting]:
        return [
            Setting(name="port", value="6379", source="plugin"),
            Setting(name="dir", value="/data/x", source="plugin"),
            Setting(name="save", value="", source="plugin"),
            Setting(name="pid", value=pid),
        ]

    seen = Side(
        Target(name="r", system="redis"), ["7"], [lines("1"), lines("2")], ["tcp://127.0.0.1:6379"]
    )
    assert set(settings_of(seen)) == {"save"}


def test_what_a_side_was_asked_for_stands_in_where_it_tells_nothing():
    before, after = (
        Side(Target(name="r", system="x", parameters={"sync": value})) for value in (False, True)
    )
    assert [str(one) for one in subject(before, after)] == ["sync no → yes"]


def test_an_identity_names_no_change_for_equal_digests():
    assert differences(Identity("a", {"x": "1"}), Identity("a", {"x": "2"})) == []


def test_another_setting_beside_parameters_is_another_side():
    plain = Target(name="r", system="redis")
    more = plain.model_copy(update={"settings": {"maxclients": 20_000}})
    before, after = (side_identity(Side(each)) for each in (plain, more))
    assert before.digest != after.digest
    assert ["maxclients" in str(one) for one in differences(before, after)] == [True]
