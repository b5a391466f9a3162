"""Folders of studies: those that ship are whole, and a wrong one says where and how to mend it."""

from pathlib import Path

import pytest
from weighhouse_backend.experiments.estimates import campaign_seconds
from weighhouse_backend.experiments.templates import read_templates
from weighhouse_backend.studies.folders import read_studies, read_study
from weighhouse_judging.studies.claims import judge_claims
from weighhouse_protocol.yaml_document import DocumentError

from backend.tests.studies.folder import CLAIMS, SIDES, document, write_study

SHIPPED = Path(__file__).resolve().parents[3] / "experiments"
NAMES = sorted(path.parent.name for path in SHIPPED.glob("studies/*/study.yaml"))
MINUTES_OF_A_SMALL_STUDY = 10
# What arithmetic says of the printed figures alone, whoever runs the study.
IMPOSSIBLE = {
    "redis-aerospike-dragonfly": {
        "aerospike-near-linear", "redis-scales-less",
        "redis-latency-grows", "latencies-in-milliseconds", "aerospike-varies-least",
        "best-when-writing", "inserts-double-the-data", "dragonfly-varies-most",
        "dragonfly-better-when-balanced", "redis-slower-when-balanced",
    },
    "key-value-architectures": {"memcached-mean-like-redis"},
    "dragonfly-memtier": {
        "dragonfly-c6gn-write", "dragonfly-c6gn-read", "dragonfly-c6gn-pipelined",
        "dragonfly-c7gn-write", "dragonfly-c7gn-read", "dragonfly-c6in-read",
        "table-agrees-with-summary",
    },
    "all-eight": set(),  # nobody printed anything
    "aerospike-cassandra": {
        "aerospike-is-steady", "aerospike-writes-as-in-the-raw-data",
        "cassandra-writes-as-in-the-raw-data",
    },
}  # fmt: skip


def test_all_that_ship_can_be_read():
    assert sorted(one.study.name for one in read_studies(SHIPPED)) == NAMES
    assert set(IMPOSSIBLE) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_study_says_who_paid_and_how_to_run_it(name):
    folder = SHIPPED / "studies" / name
    found = read_study(folder)
    assert found.study.name == name
    assert (folder / "README.md").is_file()
    slugs = [one.slug for several in found.experiments.values() for one in several]
    assert len(slugs) == len(set(slugs))
    everyone = {side.name for side in found.study.sides}
    for scale, several in found.experiments.items():
        measured = {target.name for one in several for target in one.targets}
        assert measured == everyone, f"{scale}: a side is dropped without a word"


@pytest.mark.parametrize("name", NAMES)
def test_a_small_scale_ends_within_ten_minutes(name):
    found = read_study(SHIPPED / "studies" / name)
    seconds = 0.0
    for experiment in found.experiments["small"]:
        kept = tuple(one for one in experiment.targets if one.name in found.targets("small"))
        if kept:
            seconds += campaign_seconds(experiment.model_copy(update={"targets": kept}))
    assert 0 < seconds <= 60 * MINUTES_OF_A_SMALL_STUDY


@pytest.mark.parametrize("name", sorted(IMPOSSIBLE))
def test_arithmetic_finds_what_contradicts_itself_and_nothing_else(name):
    found = read_study(SHIPPED / "studies" / name)
    published = {
        (one.side, one.workload, one.load, one.figure, one.setting): one.read
        for one in found.study.published
    }
    results = judge_claims(found.claims.claims, published, {}, "small")
    wrong = {one.claim.id for one in results if one.verdict == "cannot_be_true_as_printed"}
    assert wrong == IMPOSSIBLE[name]


def test_studies_are_no_templates(tmp_path):
    write_study(tmp_path)
    assert read_templates(tmp_path) == []


def test_a_study_that_cannot_be_read_leaves_the_others(tmp_path):
    write_study(tmp_path, "whole")
    broken = write_study(tmp_path, "broken")
    (broken / "claims.yaml").write_text("claims: [", encoding="utf-8")
    assert [one.study.name for one in read_studies(tmp_path)] == ["whole"]
    assert read_studies(None) == []


@pytest.mark.parametrize(
    ("changes", "where", "what"),
    [
        ({"study": {"sponsor": "x"}}, "study.yaml: sponsor", "unknown key"),
        ({"claims": [CLAIMS[0] | {"tests": [{"kind": "order", "of": [{"figure": "p98"}] * 2}]}]},
         "claims.yaml: claims[0]", "not known"),
        ({"claims": [CLAIMS[0] | {"tests": [{"kind": "range", "at_most": 1, "of": {
            "side": "redis", "workload": "balanced", "load": "5 clients"}}]}]},
         "claims.yaml: redis-first", "redis, balanced, 5 clients"),
        ({"study": {"sides": SIDES[:2], "published": []}}, "small/tiny-small: targets", "garnet"),
        ({"small": document("tiny-small") | {"repetitions": 0}}, "small/one.yaml", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(tmp_path, changes, where, what):
    folder = write_study(tmp_path, **changes)
    with pytest.raises(DocumentError) as refused:
        read_study(folder)
    assert any(
        one.path.startswith(where) and what in one.message for one in refused.value.errors
    ), refused.value.errors


def test_a_scale_without_an_experiment_is_refused(tmp_path):
    folder = write_study(tmp_path)
    (folder / "published/one.yaml").unlink()
    with pytest.raises(DocumentError, match="published/: holds no experiment"):
        read_study(folder)
