"""From reports to figures: merged without loss, once, and out of the winning attempt alone."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.measurements.packed_intervals import Outcome, StoredInterval
from weighhouse_backend.measurements.samples import SampleService
from weighhouse_backend.measurements.summaries import sum_phases
from weighhouse_judging.arithmetic.histograms import Histogram

from .laboratory import experiment, steady
from .reports import (
    ended,
    histogram,
    interval,
    latencies,
    numbered,
    raw,
    recorded,
    whole_run,
)


def plain(slug, **changes):
    """One target, one repetition."""
    targets = [{"name": "redis", "system": "redis"}]
    return experiment(slug, targets=targets, repetitions=1, **changes)


@pytest.fixture(scope="module")
def run(laboratory):
    """A settled run of 3 s at 200 operations a second."""
    laboratory.carry_out(plain("settled"), lambda order: whole_run(seed=7))
    listed = laboratory.get("/runs")["items"]
    return laboratory.get(f"/runs/{listed[0]['id']}")


def test_figures_come_out_of_the_merged_histogram(run):
    values = [
        latency
        for second in range(3)
        for kind in (0, 50)
        for latency in latencies(700 + second + kind, 100)
    ]
    whole = Histogram.merged([raw(histogram(values))])
    everything = run["summary"]["operations"]["all"]
    assert everything["ok"] == 600
    for name, quantile in (("p50_us", 0.5), ("p99_us", 0.99), ("p999_us", 0.999)):
        assert everything[name] == pytest.approx(whole.quantiles_us([quantile])[0])
    assert everything["mean_us"] == pytest.approx(whole.mean_us)
    assert everything["max_us"] == pytest.approx(whole.max_us)


def test_warm_up_and_load_stay_out_of_the_measured_figures(run):
    summary = run["summary"]
    assert summary["duration_seconds"] == 3.0
    assert summary["throughput"] == 200.0
    assert set(summary["operations"]) == {"read", "update", "all"}
    assert summary["load"]["ok"] == 50
    assert summary["load_model"] == "closed"
    assert summary["driver"]["cpu_percent"] == pytest.approx(40.0)
    assert summary["driver"]["client_bound"] is False


def test_a_run_tells_its_facts(run):
    assert run["status"] == "completed"
    assert run["environment"]["cpu_model"] == "Some CPU"
    assert run["target"]["version"] == "7.0.15"
    assert run["target"]["memory"] == {
        "before_bytes": 5_000_000, "after_load_bytes": 10_000_000, "after_bytes": 10_001_000,
    }  # fmt: skip
    assert [item["label"] for item in run["timeline"]] == [
        "deploy", "load", "warmup", "measure", "server stopped",
    ]  # fmt: skip
    assert run["agent"]["name"] == "laboratory"
    assert len(run["attempts"]) == 1


def test_a_run_tells_how_to_reproduce_it(run, laboratory):
    checked = laboratory.client.post(
        "/api/v1/experiments/validate", json={"yaml": run["reproduce"]["yaml"]},
        headers=laboratory.headers,
    ).json()  # fmt: skip
    assert checked["valid"], checked
    document = checked["document"]
    assert [target["name"] for target in document["targets"]] == ["redis"]
    assert [target["version"] for target in document["targets"]] == ["7.0.15"], "what ran"
    assert document["repetitions"] == run["repetition"]
    assert document["seed"] is not None
    assert run["reproduce"]["command"].startswith("weighhouse run ")


def test_series_cover_all_phases_on_one_axis(run, laboratory):
    series = laboratory.get(f"/runs/{run['id']}/series")
    assert [phase["kind"] for phase in series["phases"]] == ["load", "warmup", "measure"]
    assert series["phases"][2] == {"kind": "measure", "start_seconds": 2.0, "end_seconds": 5.0}
    assert [(mark["kind"], mark["label"]) for mark in series["marks"]] == [
        ("stopped", "server stopped")
    ]
    assert 0 < series["marks"][0]["at_seconds"] < 1
    line = series["operations"]["all"]
    assert line["t"] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert line["throughput"] == [50.0, 10.0, 200.0, 200.0, 200.0]
    assert set(series["operations"]) == {"insert", "read", "update", "all"}
    assert len(series["resources"]["t"]) == 3
    assert series["resources"]["cpu_percent"] == [40.0, 41.0, 42.0]


def test_samples_are_merged_to_as_many_steps_as_are_drawn(run, laboratory):
    (attempt,) = run["attempts"]
    with laboratory.sessions() as session:
        sampling = SampleService(session)
        steps = sampling.steps(UUID(attempt["id"]), 2)
        whole = sampling.steps(UUID(attempt["id"]), 1)
    (two,), (one,) = steps.values(), whole.values()
    assert [step.figures["cpu_percent"].mean for step in two] == [40.5, 42.0]
    assert [step.figures["cpu_percent"].mean for step in one] == [41.0]


def test_fewer_points_are_merged_windows_not_averages(laboratory):
    """A second with ten slow operations among a thousand quick ones, merged with a quick second."""
    quick, slow = [100_000] * 1000, [100_000] * 990 + [50_000_000] * 10
    events = numbered([
        {"kind": "interval", "interval": interval(n, {"read": {"ok": recorded(values)}})}
        for n, values in enumerate([quick, slow] * 10)
    ])  # fmt: skip
    laboratory.carry_out(plain("windows"), lambda order: events)
    run_id = laboratory.get("/runs")["items"][0]["id"]
    line = laboratory.get(f"/runs/{run_id}/series", points=10)["operations"]["all"]
    assert len(line["t"]) == 10
    assert line["throughput"] == [1000.0] * 10
    assert line["p99_us"] == pytest.approx([100.0] * 10, rel=0.001)
    fine = laboratory.get(f"/runs/{run_id}/series", points=20)["operations"]["all"]
    assert fine["p999_us"][1] == pytest.approx(50_000, rel=0.001)


def test_a_second_without_answers_is_no_gap_to_draw_across(laboratory):
    answered = {"read": {"ok": recorded([100_000] * 50)}}
    events = numbered([
        {"kind": "interval", "interval": interval(n, operations)}
        for n, operations in enumerate([answered, {}, {}, answered])
    ])  # fmt: skip
    laboratory.carry_out(plain("silence"), lambda order: events)
    run_id = laboratory.get("/runs")["items"][0]["id"]
    line = laboratory.get(f"/runs/{run_id}/series")["operations"]["read"]
    assert line["t"] == [0.0, 1.0, 2.0, 3.0]
    assert line["throughput"] == [50.0, 0.0, 0.0, 50.0]
    assert line["p99_us"][1:3] == [None, None]


def test_the_spectrum_rises_to_the_largest(run, laboratory):
    points = laboratory.get(f"/runs/{run['id']}/spectrum")["operations"]["all"]
    values = [point["value_us"] for point in points]
    assert values == sorted(values)
    assert points[-1]["quantile"] == 1.0
    assert points[-1]["count"] == 600
    assert points[-1]["value_us"] == run["summary"]["operations"]["all"]["max_us"]
    assert all(point["count"] >= point["quantile"] * 600 - 1e-6 for point in points)


def test_the_heat_map_counts_every_success(run, laboratory):
    heat = laboratory.get(f"/runs/{run['id']}/heatmap")
    assert len(heat["counts"]) == len(heat["t"]) == 5
    assert all(len(row) == len(heat["buckets_us"]) for row in heat["counts"])
    assert sum(map(sum, heat["counts"])) == 50 + 10 + 600
    assert heat["buckets_us"] == sorted(heat["buckets_us"])


def test_settling_again_changes_nothing(run, laboratory):
    before = laboratory.get(f"/runs/{run['id']}")
    laboratory.settle(run["id"])
    assert laboratory.get(f"/runs/{run['id']}") == before


def test_two_workers_settling_one_run_at_once_give_one_result(laboratory):
    laboratory.campaign(plain("twice"))
    order = laboratory.begin()
    events = whole_run(seed=9)
    laboratory.send(order, events)
    laboratory.complete(order, len(events))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: laboratory.settle(order["run_id"]), range(4)))
    run = laboratory.get(f"/runs/{order['run_id']}")
    assert run["status"] == "completed"
    assert run["summary"]["operations"]["all"]["ok"] == 600


def test_another_tenant_sees_nothing_of_a_run(run, laboratory, tenants):
    for path in ("", "/series", "/spectrum", "/heatmap", "/logs/driver"):
        answer = laboratory.client.get(
            f"/api/v1/runs/{run['id']}{path}", headers=tenants[1].headers
        )
        assert answer.status_code == 404, path
    theirs = laboratory.client.get("/api/v1/runs", headers=tenants[1].headers).json()
    assert theirs["items"] == []
    address = f"/api/v1/runs?campaign_id={run['campaign_id']}"
    assert laboratory.client.get(address, headers=tenants[1].headers).json()["items"] == []


def test_nobody_reads_without_a_token(run, laboratory):
    assert laboratory.client.get(f"/api/v1/runs/{run['id']}").status_code == 401


def test_a_run_without_a_measured_interval_fails_with_a_reason(laboratory):
    events = [event for event in whole_run() if event.get("interval", {}).get("phase") != "measure"]
    renumbered = [{**event, "sequence": place} for place, event in enumerate(events)]
    laboratory.carry_out(plain("nothing"), lambda order: renumbered)
    failed = laboratory.get(f"/runs/{laboratory.get('/runs')['items'][0]['id']}")
    assert failed["status"] == "failed"
    assert failed["failure"]["kind"] == "driver"
    assert "no interval" in failed["failure"]["message"]
    assert failed["summary"] is None


def test_a_histogram_that_cannot_be_read_fails_the_run(laboratory):
    broken = interval(0, {"read": {"ok": {"count": 1, "response": "AAAA"}}})
    events = numbered([{"kind": "interval", "interval": broken}])
    laboratory.carry_out(plain("broken"), lambda order: events)
    failed = laboratory.get(f"/runs/{laboratory.get('/runs')['items'][0]['id']}")
    assert failed["status"] == "failed"
    assert "cannot be read" in failed["failure"]["message"]


REPLICA = "-READONLY You can't write against a read only replica."


def failing(share: float, *, of: str, kind: str = "refused") -> list[dict]:
    """A run in which so large a share of a phase's 200 operations fails."""
    bad = round(200 * share)
    operation = "insert" if of == "load" else "update"
    one: dict = {"errors": {kind: recorded([10_000] * bad)}}
    if bad < 200:
        one["ok"] = recorded([50_000] * (200 - bad))
    said = {kind: {"at_us": 1, "words": REPLICA}}
    good = {"insert": {"ok": recorded([50_000] * 200)}}
    events = [
        {"kind": "interval", "interval": interval(0, {operation: one}, phase=of, index=0)},
        ended(of, {}, errors={kind: bad}, said=said),
    ]
    if of == "load":
        events.append({"kind": "interval", "interval": interval(1, good, index=1)})
    return numbered(events)


@pytest.mark.parametrize("of", ["load", "measure"])
@pytest.mark.parametrize(
    ("share", "status"),
    [(0.01, "completed"), (0.5, "completed"), (0.55, "failed"), (0.99, "failed"), (1, "failed")],
)
def test_what_failed_for_the_most_part_is_no_success(laboratory, of, share, status):
    slug = f"{of}-{round(share * 100)}"
    workloads = [{"name": "small", "record_count": 200, "operations": {"update": 1}}]
    campaign_id = laboratory.carry_out(
        plain(slug, workloads=workloads), lambda order: failing(share, of=of)
    )
    run = laboratory.get(f"/runs/{laboratory.get('/runs')['items'][0]['id']}")
    assert run["status"] == status
    gate = laboratory.get(f"/campaigns/{campaign_id}/gate")
    ((listed,),) = [cell["runs"] for cell in laboratory.get(f"/campaigns/{campaign_id}")["cells"]]
    if status == "completed":
        assert listed["throughput"] is not None
        assert gate["verdict"] == "no_baseline"
        return
    assert listed["throughput"] is None, "a failed run is a point of no series"
    assert run["failure"]["kind"] == "refused"
    assert REPLICA in run["failure"]["message"]
    bad = round(200 * share)
    told = f"{200 - bad} of 200 records were loaded" if of == "load" else f"{bad} of 200 operations"
    assert told in run["failure"]["message"]
    assert "replica" in run["failure"]["hint"]
    assert (gate["verdict"], gate["exit_code"]) == ("refused", 4)


def test_a_load_that_failed_otherwise_is_the_systems(laboratory):
    laboratory.carry_out(plain("slow-no"), lambda order: failing(1, of="load", kind="timeout"))
    run = laboratory.get(f"/runs/{laboratory.get('/runs')['items'][0]['id']}")
    assert (run["status"], run["failure"]["kind"]) == ("failed", "database")


def test_errors_and_missing_records_are_no_throughput(laboratory):
    operations = {
        "read": {
            "ok": recorded([100_000] * 80),
            "not_found": recorded([10_000] * 15),
            "errors": {"timeout": recorded([10**9] * 4), "connection": recorded([1000])},
        }
    }
    phase = ended("measure", {}, client_bound=True, client_bound_reasons=["cpu 99 %"])
    events = numbered([{"kind": "interval", "interval": interval(0, operations)}, phase])
    laboratory.carry_out(plain("errors"), lambda order: events)
    summary = laboratory.get("/runs")["items"][0]["summary"]
    read = summary["operations"]["read"]
    assert (read["ok"], read["not_found"], read["errors"]) == (80, 15, 5)
    assert read["throughput"] == 80.0
    assert read["errors_by_kind"] == {"timeout": 4, "connection": 1}
    assert read["max_us"] == pytest.approx(100, rel=0.001)
    # Beside it everything that was asked: 80 of 100 µs, 15 of 10 µs, 4 of a second, one of 1 µs.
    assert read["asked"]["max_us"] == pytest.approx(1e6, rel=0.001)
    assert read["asked"]["p50_us"] == pytest.approx(100, rel=0.001)
    assert read["asked"]["mean_us"] == pytest.approx((8000 + 150 + 4e6 + 1) / 100, rel=0.001)
    assert summary["driver"]["client_bound"] is True
    assert summary["driver"]["reasons"] == ["cpu 99 %"]


def test_a_superseded_attempt_is_never_counted(laboratory):
    """The first attempt fails with half its intervals stored; the second gives the result."""
    campaign_id = laboratory.campaign(plain("superseded"))
    first = laboratory.begin()
    half = whole_run(seed=3, rate=1000)[:12]
    laboratory.send(first, half)
    failure = {"kind": "infrastructure", "message": "the machine went away"}
    laboratory.complete(first, len(half), outcome="failed", failure=failure)
    second = laboratory.begin()
    assert second["run_id"] == first["run_id"]
    assert second["fence"] == first["fence"] + 1
    events = whole_run(seed=4, rate=100)
    laboratory.send(second, events)
    laboratory.complete(second, len(events))
    laboratory.settle(second["run_id"])
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign_id))
    )
    run = laboratory.get(f"/runs/{second['run_id']}")
    assert run["summary"]["throughput"] == 100.0
    assert [attempt["status"] for attempt in run["attempts"]] == ["failed", "completed"]
    assert laboratory.get(f"/runs/{run['id']}/series")["operations"]["all"]["throughput"][2] == 100


def test_summing_does_not_depend_on_the_order_of_intervals():
    def made(number):
        return StoredInterval(
            "measure", 2, number * 1_000_000, 1_000_000,
            {"read": {"ok": Outcome(50, 0, raw(histogram(latencies(number, 50))))}},
        )  # fmt: skip

    forwards = sum_phases([made(number) for number in range(5)])["measure"]
    backwards = sum_phases([made(number) for number in reversed(range(5))])["measure"]
    assert forwards.duration_seconds == backwards.duration_seconds == 5.0
    left, right = forwards.everything().response.counts, backwards.everything().response.counts
    assert (left == right).all()


def test_a_whole_campaign_settles(laboratory):
    campaign_id = laboratory.carry_out(experiment("whole", repetitions=2), steady)
    campaign = laboratory.get(f"/campaigns/{campaign_id}")
    assert campaign["status"] == "completed"
    assert campaign["runs"]["completed"] == 4
    cells = campaign["cells"]
    assert all(run["throughput"] and run["p99_us"] for cell in cells for run in cell["runs"])


def test_a_run_that_only_succeeded_asked_for_nothing_else(run):
    everything = run["summary"]["operations"]["all"]
    asked = everything["asked"]
    assert asked == {name: everything[name] for name in asked}


def test_what_nobody_timed_leaves_the_latency_of_everything_unknown(laboratory):
    """A load tool that counts its errors without timing them."""
    operations = {"read": {"ok": recorded([100_000] * 80), "errors": {"timeout": {"count": 3}}}}
    events = numbered([{"kind": "interval", "interval": interval(0, operations)}])
    laboratory.carry_out(plain("untimed"), lambda order: events)
    read = laboratory.get("/runs")["items"][0]["summary"]["operations"]["read"]
    assert read["errors"] == 3
    assert read["asked"] is None


def test_the_course_of_a_run_is_told_with_its_stretches(laboratory):
    """Twenty seconds, ten at half speed, twenty: on the chart and in the finding alike."""
    rates = [40 + second % 3 for second in range(20)]
    rates += [20 + second % 2 for second in range(10)] + rates
    events = numbered([
        {"kind": "interval", "interval": interval(n, {"read": {"ok": recorded([100_000] * rate)}})}
        for n, rate in enumerate(rates)
    ])  # fmt: skip
    laboratory.carry_out(plain("halved"), lambda order: events)
    run_id = laboratory.get("/runs")["items"][0]["id"]
    course = laboratory.get(f"/runs/{run_id}/series")["course"]
    assert course["kind"] == "unsteady"
    assert course["sentence"].startswith("Unsteady: 3 stretches")
    spans = [(one["start_seconds"], one["end_seconds"]) for one in course["segments"]]
    assert spans == [(0.0, 20.0), (20.0, 30.0), (30.0, 50.0)]
    assert course["segments"][1]["throughput"] == pytest.approx(20.5)
    findings = {one["id"]: one for one in laboratory.get(f"/runs/{run_id}")["findings"]}
    assert findings["steady-state"]["message"] == course["sentence"]


def test_a_short_run_has_a_course_that_cannot_be_told(run, laboratory):
    course = laboratory.get(f"/runs/{run['id']}/series")["course"]
    assert (course["kind"], course["segments"]) == ("not_assessable", [])
