"""What is done for a document is bounded by a few limits, whatever is sent: work is counted."""

import difflib
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from weighhouse_protocol import yaml_document
from weighhouse_protocol.capacity import Steps
from weighhouse_protocol.document_errors import FieldError, listed, near
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.matrix import OwnPoints
from weighhouse_protocol.workload import Workload
from weighhouse_protocol.yaml_document import (
    MOST_CHARACTERS,
    MOST_ERRORS,
    MOST_GUESSES,
    DocumentError,
    experiment_from_yaml,
    load_yaml,
    parse_experiment,
    told,
)

EXPERIMENT = """\
slug: a
name: A
targets: [{name: one, system: redis}]
workloads: [{name: b}]
load_levels: [{model: closed, clients: 1}]
"""


def counted(monkeypatch: pytest.MonkeyPatch, holder: Any, name: str) -> list[object]:
    """Calls of something, each with its first argument."""
    calls: list[object] = []
    before: Callable[..., Any] = getattr(holder, name)

    def call(*arguments: Any, **named: Any) -> Any:
        calls.append(arguments[0] if arguments else None)
        return before(*arguments, **named)

    monkeypatch.setattr(holder, name, call)
    return calls


def test_of_many_thousands_of_faults_the_number_is_told() -> None:
    many = {f"k{n}": None for n in range(999)}
    with pytest.raises(DocumentError, match="has 35,") as raised:
        parse_experiment({"targets": [{"parameters": many}] * 9})
    assert len(raised.value.errors) == 1


def errors_of(text: str) -> list[FieldError]:
    with pytest.raises(DocumentError) as raised:
        experiment_from_yaml(text)
    return raised.value.errors


def test_unknown_keys_cost_one_schema_and_are_told_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    yaml_document._schema.cache_clear()
    schemas = counted(monkeypatch, Experiment, "model_json_schema")
    guesses = counted(monkeypatch, difflib, "get_close_matches")
    errors = errors_of(EXPERIMENT + "".join(f"target{n}: 1\n" for n in range(200)))
    assert len(schemas) == 1
    assert len(guesses) == MOST_GUESSES
    assert len(errors) == MOST_ERRORS + 1
    assert errors[0].message == "unknown key 'target0'; did you mean 'targets'?"
    assert errors[-1].message == "and 150 more that 50 errors leave out"


def test_keys_are_counted_before_anything_is_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    validated = counted(monkeypatch, Experiment, "model_validate")
    made = counted(monkeypatch, yaml_document._Loader, "construct_document")
    (error,) = errors_of("".join(f"k{n}: 1\n" for n in range(12_000)))
    assert error.expected == "at most 10,000 values once every anchor is written out"
    (error,) = errors_of("".join(f"k{n}: 1\n" for n in range(90_000)))
    assert error.expected == "at most 262,144 characters"
    (error,) = errors_of("".join(f"k{n}: 1\n" for n in range(2_000)))
    assert (error.message, error.expected) == ("a mapping has 2,000 keys", "at most 1,000")
    assert (validated, made) == ([], [])
    for document in ({str(n): 1 for n in range(90_000)}, {"targets": [0] * 90_000}):
        with pytest.raises(DocumentError, match=r"has 90,000 keys|too much in it"):
            parse_experiment(document)
    assert validated == []


LAUGHS = "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"{after}: &{after} {{<<: [{', '.join([f'*{before}'] * 9)}]}}\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "too much in it"),
        (MERGES, "too much in it"),
        ("a: &a [*a]", "too much in it"),
        ("a: &a {b: *a}", "too much in it"),
        ("[" * 100_000, "too deep"),
        ("a: " + "{a: " * 60 + "1" + "}" * 60, "too deep"),
        ("a: 1" + "0" * 100_000, "too many digits"),
        ("a: 0x" + "f" * 100_000, "too many digits"),
        ("a: 1" + ":59" * 60_000, "too many digits"),
        ("a: !!python/object:os.system {}", "tag"),
        ("a: !!binary aaaa", "tag"),
        ("a: !!set {a, b}", "tag"),
        ("a: 1\na: 2", "stands twice"),
        ("a: " + "x" * MOST_CHARACTERS, "characters"),
        ("? [a]\n: 1", "not valid YAML"),
        ("a: 2026-99-99", "not valid YAML"),
        ("k" * 200_000 + ": 1\n" + "k" * 10 + ": [", "not valid YAML"),
    ],
    ids=lambda text: text[:16],
)
def test_hostile_texts_are_refused_before_anything_is_made_of_them(text: str, said: str) -> None:
    with pytest.raises(DocumentError, match=said) as raised:
        load_yaml(text)
    (error,) = raised.value.errors
    assert len(error.message) < 400
    assert len(error.path) <= 200


def test_ordinary_anchors_merges_and_numbers_are_read() -> None:
    text = """\
    base: &base {appendfsync: always, days: 2026-11-26}
    one: {<<: *base, maxmemory: 1_000}
    two: [*base, *base, 1.5e+3, 0x1F, ~, true, 'x']
    """
    found = load_yaml(textwrap.dedent(text))
    assert found["one"] == {**found["base"], "maxmemory": 1000}
    assert found["two"][2:] == [1500.0, 31, None, True, "x"]


@pytest.mark.parametrize(
    "value", ["1.0e+400", ".nan", ".inf", "-.inf", "9" * 60, "2026-01-01", "[1]", "{a: 1}"]
)
def test_numbers_beyond_all_are_refused_by_name(value: str) -> None:
    errors = errors_of(EXPERIMENT.replace("clients: 1", f"clients: {value}"))
    # A list of which nothing could be read is told to be empty, too.
    assert {error.path for error in errors} - {"load_levels"} == {"load_levels[0].clients"}
    parameter = f"system: redis, parameters: {{maxmemory: {value}}}"
    errors = errors_of(EXPERIMENT.replace("system: redis", parameter))
    assert all(
        error.path.startswith("targets[0].parameters.maxmemory")
        for error in errors
        if error.path != "targets"
    )


def test_whole_numbers_of_json_are_bounded() -> None:
    with pytest.raises(DocumentError, match="a whole number is too large"):
        parse_experiment({"seed": 10**300})


def test_what_an_error_repeats_is_short() -> None:
    with pytest.raises(DocumentError) as raised:
        parse_experiment({**load_yaml(EXPERIMENT), "k" * 10_000: 1})
    errors = raised.value.errors
    assert len(errors[0].path) == 200
    assert len(errors[0].message) < 300
    assert near("k" * 10_000, ["kk"]) is None
    assert listed(str(n) for n in range(45)).endswith("38, 39 and 5 others")


def test_no_more_errors_are_made_than_told() -> None:
    made = 0

    def errors() -> Any:
        nonlocal made
        while True:
            made += 1
            yield FieldError("a", "b")

    found = told(errors())
    assert (len(found), made) == (MOST_ERRORS + 1, MOST_ERRORS + 1)
    assert found[-1].message == "and more that 50 errors leave out"
    assert len(told([FieldError("a", "b")] * 50)) == 50


def test_operating_points_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = counted(monkeypatch, OwnPoints, "load_of")
    names = [f"t{n}" for n in range(40)]
    experiment = Experiment.model_validate(
        {
            "slug": "a",
            "name": "A",
            "targets": [{"name": name, "system": "redis"} for name in names],
            "workloads": [{"name": f"w{n}"} for n in range(40)],
            "load_levels": [
                {
                    "model": "own",
                    "name": f"level {n}",
                    "points": [
                        {"target": name, "load": {"model": "closed", "clients": 1}}
                        for name in names
                    ],
                }
                for n in range(5)
            ],
        }
    )
    assert experiment.cells_count == 40 * 40 * 5
    assert looked == [], "each of 1,600 sides would look at each of 200 points"


def test_a_matrix_is_bounded_before_anything_is_worked_out_for_its_cells() -> None:
    document = {
        "slug": "a",
        "name": "A",
        "targets": [{"name": f"t{n}", "system": "redis"} for n in range(50)],
        "workloads": [{"name": f"w{n}"} for n in range(50)],
        "load_levels": [{"model": "closed", "clients": n} for n in range(1, 11)],
        "repetitions": 1000,
    }
    with pytest.raises(DocumentError, match="25,000 cells; a campaign has at most 10,000"):
        parse_experiment(document)


def test_sizes_grow_in_steps_and_lengths_are_summed_in_closed_form() -> None:
    with pytest.raises(ValueError, match=r"factor: 1, or from 1\.01 on"):
        Steps(least=1, factor=1.000_000_1)
    workload = Workload(
        name="w",
        field_length=1000,
        min_field_length=3,
        field_length_distribution="zipfian",
        field_count=1,
    )
    shares = [rank**-0.99 for rank in range(1, 999)]
    mean = sum((3 + rank) * share for rank, share in enumerate(shares)) / sum(shares)
    assert workload.record_bytes == round(mean)
    largest = workload.model_copy(update={"field_length": 1_000_000, "min_field_length": 1})
    assert 60_000 < largest.record_bytes < 75_000
