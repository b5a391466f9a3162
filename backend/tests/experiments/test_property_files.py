"""Property files of YCSB's over HTTP."""

PATH = "/api/v1/experiments/workload-from-file"
TEXT = """recordcount=2000
operationcount=500
threadcount=4
readproportion=0.5
updateproportion=0.5
requestdistribution=zipfian
exporter=x
redis.host=10.0.0.5
redis.timeout=900
"""


def test_a_property_file_becomes_a_workload_with_its_load_and_target(client, ours) -> None:
    body = {"file": "reads.properties", "text": TEXT, "systems": ["redis"]}

    found = client.post(PATH, json=body, headers=ours).json()

    assert found["workload"] == {
        "name": "reads", "record_count": 2000, "operations": {"read": 0.5, "update": 0.5},
        "request_distribution": "zipfian", "insert_retry_limit": 0,
    }  # fmt: skip
    assert found["load_level"] == {"model": "closed", "clients": 4}
    assert found["phases"] == {
        "load_clients": 4, "warmup_seconds": 0, "measure_seconds": 3600.0,
        "measure_operations": 500,
    }  # fmt: skip
    (target,) = found["targets"]
    assert (target["endpoints"], target["driver_options"]) == (
        ["tcp://10.0.0.5:6379"], {"timeout_ms": 900},
    )  # fmt: skip
    assert [(one["property"], one["severity"], one["line"]) for one in found["told"]] == [
        ("exporter", "note", 7), ("redis.host", "caution", 8),
    ]  # fmt: skip


def test_without_systems_options_of_bindings_are_told_and_not_taken(client, ours) -> None:
    found = client.post(PATH, json={"file": "w", "text": TEXT}, headers=ours).json()

    assert (found["targets"], found["workload"]["record_count"]) == ([], 2000)
    told = {one["property"]: one["message"] for one in found["told"]}
    assert told.keys() == {"exporter", "redis.host", "redis.timeout"}
    assert "a workload has none" in told["redis.host"]


def test_a_refused_file_has_its_problems_and_its_notes(client, ours) -> None:
    text = f"{TEXT}zeropadding=x\nredis.password=hush\n"
    body = {"file": "w", "text": text, "systems": ["redis"]}

    said = client.post(PATH, json=body, headers=ours)

    assert said.status_code == 200
    assert said.json()["workload"] is None
    told = {(one["property"], one["severity"], one["line"]) for one in said.json()["told"]}
    assert told >= {
        ("zeropadding", "problem", 10), ("redis.password", "problem", 11), ("exporter", "note", 7),
    }  # fmt: skip
    assert "hush" not in said.text
    mended = {**body, "leave_out": ["zeropadding"], "credentials": "bench"}
    (target,) = client.post(PATH, json=mended, headers=ours).json()["targets"]
    assert target["credentials"] == "bench"


def test_a_system_that_nobody_weighs_is_named(client, ours) -> None:
    body = {"file": "w", "text": TEXT, "systems": ["rediss"]}

    (told,) = client.post(PATH, json=body, headers=ours).json()["told"]

    assert told["severity"] == "problem"
    assert "did you mean 'redis'" in told["message"]
