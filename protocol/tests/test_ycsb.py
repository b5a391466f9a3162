"""YCSB's property files: syntax, meaning, defaults, and what is said of the rest."""

import pytest
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.ycsb import YcsbError, translate

LEAST = "recordcount=1000\noperationcount=1000\n"
EVERYTHING = """
fieldcount=3
fieldlength=50
minfieldlength=5
fieldnameprefix=f
fieldlengthdistribution=zipfian
readallfields=false
readallfieldsbyname=true
writeallfields=true
requestdistribution=hotspot
hotspotdatafraction=0.1
hotspotopnfraction=0.9
exponential.percentile=90
exponential.frac=0.5
minscanlength=2
maxscanlength=20
scanlengthdistribution=zipfian
insertorder=ordered
zeropadding=12
insertstart=100
insertcount=300
core_workload_insertion_retry_limit=2
deleteproportion=0.5
threadcount=8
maxexecutiontime=60
"""


def problems(text: str) -> dict[str, str]:
    with pytest.raises(YcsbError) as caught:
        translate([("w", text)])
    return {one.property: one.message for one in caught.value.problems}


def test_defaults_are_ycsbs() -> None:
    found = translate([("w", LEAST)])
    workload = found.workload
    assert workload.operations.model_dump(exclude_defaults=True) == {"read": 0.95, "update": 0.05}
    assert workload.request_distribution == "uniform"
    assert (workload.field_count, workload.field_length, workload.max_scan_length) == (
        10,
        100,
        1000,
    )
    assert workload.insert_retry_limit == 0
    assert found.load == ClosedLoad(clients=1)
    assert (found.measure_operations, found.measure_seconds) == (1000, 3600.0)
    assert not found.notes


def test_a_share_that_is_not_given_keeps_its_default_and_all_are_normalised() -> None:
    found = translate([("w", LEAST + "readproportion=0.5\nscanproportion=0.45\n")])
    shares = found.workload.operations
    assert (shares.read, shares.scan, shares.update) == (0.5, 0.45, 0.05)
    assert [note.property for note in found.notes] == ["updateproportion"]
    found = translate([("w", LEAST + "readproportion=3\nupdateproportion=1\n")])
    assert found.workload.operations.read == 0.75
    assert "add up to 4" in found.notes[0].message


def test_every_property_of_the_core_workload_has_its_meaning() -> None:
    text = LEAST + EVERYTHING
    found = translate([("w", text)])
    workload = found.workload
    assert workload.model_dump(include={
        "field_count", "field_length", "min_field_length", "field_name_prefix",
        "field_length_distribution", "read_all_fields", "read_fields_by_name", "write_all_fields",
        "request_distribution", "hotspot_data_fraction", "hotspot_operation_fraction",
        "exponential_percentile", "exponential_fraction", "min_scan_length", "max_scan_length",
        "scan_length_distribution", "insert_order", "zero_padding", "insert_start", "insert_count",
        "insert_retry_limit",
    }) == {
        "field_count": 3, "field_length": 50, "min_field_length": 5, "field_name_prefix": "f",
        "field_length_distribution": "zipfian", "read_all_fields": False,
        "read_fields_by_name": True, "write_all_fields": True, "request_distribution": "hotspot",
        "hotspot_data_fraction": 0.1, "hotspot_operation_fraction": 0.9,
        "exponential_percentile": 90.0, "exponential_fraction": 0.5, "min_scan_length": 2,
        "max_scan_length": 20, "scan_length_distribution": "zipfian", "insert_order": "ordered",
        "zero_padding": 12, "insert_start": 100, "insert_count": 300, "insert_retry_limit": 2,
    }  # fmt: skip
    assert found.threads == 8
    assert found.measure_seconds == 60.0
    assert translate([("w", LEAST + "insertorder=random")]).workload.insert_order == "ordered"
    growing = translate([("w", LEAST + "requestdistribution=uniform-growing")])
    assert growing.workload.request_distribution == "uniform_growing"


def test_later_files_and_overrides_win() -> None:
    found = translate([("a", LEAST), ("b.properties", "recordcount=5")], {"recordcount": "7"})
    assert found.workload.record_count == 7
    assert found.workload.name == "b"


def test_a_target_is_an_open_loop_and_integrity_a_verification() -> None:
    found = translate([("w", LEAST + "target=500\nthreadcount=16\ndataintegrity=true\n")])
    assert found.load == OpenLoad(model="open", rate_per_second=500, connections=16)
    assert found.workload.verify_fraction == 1.0
    assert {note.property for note in found.notes} == {"target", "dataintegrity"}


def test_lengths_may_come_from_a_histogram_beside_the_file() -> None:
    text = LEAST + "fieldlengthdistribution=histogram\nfieldlengthhistogram=hist.txt\n"
    beside = {"hist.txt": "BlockSize\t10\n0\t3\n4\t1\n7\t0\n"}.get
    found = translate([("w", text)], beside=beside)
    assert found.workload.field_length_histogram == ((10, 3.0), (50, 1.0))
    assert "'hist.txt' is not there" in problems(text)["fieldlengthhistogram"]


def test_what_cannot_be_carried_out_is_refused_by_name() -> None:
    assert "2147483647" in problems("operationcount=5")["recordcount"]
    assert "has to end" in problems("recordcount=5")["operationcount"]
    assert "no whole number" in problems(LEAST + "fieldcount=many")["fieldcount"]
    assert "one of" in problems(LEAST + "requestdistribution=zipf")["requestdistribution"]
    wrong = problems(LEAST + "workload=site.ycsb.workloads.RestWorkload")
    assert "not carried out" in wrong["workload"]
    assert "minscanlength" in str(problems(LEAST + "minscanlength=0"))
    assert "above 0" in problems(LEAST + "readproportion=0\nupdateproportion=0")["readproportion"]


def test_notes_say_what_has_no_effect_and_what_was_perhaps_meant() -> None:
    found = translate([("w", LEAST + "exporter=x\nredis.host=h\nrecordcuont=5\n")])
    by_name = {note.property: note for note in found.notes}
    assert (by_name["exporter"].severity, by_name["exporter"].line) == ("note", 3)
    assert "of the target, and a workload has none" in by_name["redis.host"].message
    assert by_name["recordcuont"].severity == "caution"
    assert "did you mean recordcount?" in by_name["recordcuont"].message


def test_numbers_words_and_flags_are_javas() -> None:
    assert "Java keeps blanks" in problems("operationcount=5\nrecordcount=1000 \n")["recordcount"]
    for wrong in ("1_000", "0x10", "1e3", ""):
        assert (
            "no whole number" in problems(f"operationcount=5\nrecordcount={wrong}")["recordcount"]
        )
    for wrong in ("nan", "inf", "1_0", "0x1p3"):
        assert "no number" in problems(f"{LEAST}readproportion={wrong}")["readproportion"]
    found = translate([("w", LEAST + "readproportion=0.5d \nupdateproportion=.5\nfieldcount=+3\n")])
    assert (found.workload.operations.read, found.workload.field_count) == (0.5, 3)
    # Whatever is not `true` is false, a blank behind it included.
    for text, meant in (("TRUE", True), ("true ", False), ("yes", False)):
        found = translate([("w", f"{LEAST}writeallfields={text}\n")])
        assert found.workload.write_all_fields is meant
    assert "not one of" in problems(LEAST + "requestdistribution=zipfian \n")["requestdistribution"]


def test_what_would_be_cut_is_refused() -> None:
    assert "20000 is not within" in problems(LEAST + "threadcount=20000\n")["threadcount"]
    assert "0 is not within" in problems(LEAST + "threadcount=0\n")["threadcount"]
    assert "fieldnameprefix" in problems(LEAST + "fieldnameprefix=a b\n")
    drawn = "dataintegrity=true\nfieldlengthdistribution=uniform\n"
    assert "YCSB refuses it" in problems(LEAST + drawn)["dataintegrity"]


def test_scans_of_one_length_and_what_other_ycsbs_read() -> None:
    found = translate([("w", LEAST + "scanlengthdistribution=constant\nmaxscanlength=50\n")])
    workload = found.workload
    assert (workload.min_scan_length, workload.max_scan_length) == (50, 50)
    assert [note.severity for note in found.notes] == ["caution"]
    found = translate([("w", LEAST + "keyprefix=bench:\nbatch.size=1\n")])
    assert found.workload.key_prefix == "bench:"
    assert {note.property for note in found.notes} == {"keyprefix", "batch.size"}
    for name, ours in (
        ("keylength=20", "zeropadding"), ("warmuptime=5", "phases.warmup_seconds"),
        ("batch.size=50", "keys_per_read"), ("dropdata=true", "ever removed"),
    ):  # fmt: skip
        assert ours in problems(f"{LEAST}{name}\n")[name.partition("=")[0]]


def test_another_zipfian_constant_is_drawn_by_ycsbs_generator_or_refused() -> None:
    zipfian = LEAST + "requestdistribution=zipfian\nzipfianconstant="
    assert translate([("w", zipfian + "0.7\n")]).workload.zipfian_constant == 0.7
    own = translate([("w", zipfian + "0.99\n")]).workload
    assert "zipfian_constant" not in own.model_dump(mode="json")
    for beyond in ("1", "1.2", "0"):
        assert "`zipf_theta`" in problems(f"{zipfian}{beyond}\n")["zipfianconstant"]
    latest = LEAST + "requestdistribution=latest\nzipfianconstant=0.5\n"
    assert "leave it out" in problems(latest)["zipfianconstant"]
    uniform = translate([("w", LEAST + "zipfianconstant=0.5\n")])
    assert "no effect" in uniform.notes[0].message


def test_notes_are_told_of_what_is_refused_too_and_all_with_their_lines() -> None:
    with pytest.raises(YcsbError) as caught:
        translate([("a", "exporter=x\nrecordcount=5\n\nzeropadding=y\n")], {"fieldcount": "z"})
    assert [(note.property, note.file, note.line) for note in caught.value.notes] == [
        ("exporter", "a", 1)
    ]
    found = {one.property: (one.file, one.line) for one in caught.value.problems}
    assert found == {
        "zeropadding": ("a", 4),
        "fieldcount": ("-p", None),
        "operationcount": ("", None),
    }
    assert str(caught.value.problems[0]).startswith("-p: fieldcount: 'z'")


def test_what_somebody_asks_to_leave_out_is_left_out_and_told() -> None:
    text = LEAST + "zeropadding=x\ndb.url=jdbc:x\ndb.user=u\n"
    assert set(problems(text)) == {"zeropadding"}
    found = translate([("w", text)], leave_out=["zeropadding", "db.*"])
    assert [note.property for note in found.notes] == ["zeropadding", "db.url", "db.user"]
