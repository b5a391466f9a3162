"""A manifest is data of somebody else's: what is refused of it names field and limit."""

import tomllib
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError
from weighhouse_protocol import parameters, patterns
from weighhouse_protocol.manifest import Manifest, load_manifest
from weighhouse_protocol.offered import MOST_CHARACTERS, MOST_VALUES, refusal
from weighhouse_protocol.order import SessionOpening
from weighhouse_protocol.parameters import value_problems
from weighhouse_protocol.patterns import MOST_PLACES, PatternRefused, check_pattern, matches

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(ROOT.glob("plugins/*/weighhouse_plugin_*/plugin.toml"))


def document(**more: Any) -> dict[str, Any]:
    """A manifest as an agent sends it."""
    return {
        "id": "theirs",
        "version": "1",
        "name": "Theirs",
        "vendor": "V",
        "licence": "L",
        "architecture": "A",
        "colour": "#000000",
        "mark": "o",
        "operations": ["read"],
        "deployments": ["process"],
        "driver": {"id": "d"},
        "benchmark_clause": {
            "policy": "open", "text": "t", "source": "https://example.com/l",
            "checked_on": "2026-11-20",
        },
        **more,
    }  # fmt: skip


def one(**schema: Any) -> dict[str, Any]:
    """The schema of a single parameter `a`."""
    return {"parameters": {"type": "object", "properties": {"a": schema}}}


def nested(depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(depth):
        found = {"properties": {"a": found}}
    return found


HUGE = 10**400
EDITION = {
    "id": "e", "name": "E", "licence": "L", "policy": "open", "text": "t",
    "source": "https://example.com/l", "checked_on": "2026-11-20",
}  # fmt: skip
HOSTILE: list[tuple[dict[str, Any], str, str]] = [
    # what is fetched or referred to
    (one(**{"$ref": "http://127.0.0.1:1/x"}), "parameters.properties.a: `$ref`", "write out"),
    (one(**{"$ref": "file:///etc/passwd"}), "parameters.properties.a: `$ref`", "write out"),
    (one(**{"$dynamicRef": "#a"}), "parameters.properties.a: `$dynamicRef`", "there are"),
    (one(**{"$id": "http://127.0.0.1:1/"}), "parameters.properties.a: `$id`", "there are"),
    ({"parameters": {"$schema": "http://127.0.0.1:1/"}}, "parameters: `$schema`", "there are"),
    ({"parameters": {"$defs": nested(3)}}, "parameters: `$defs`", "there are"),
    ({"driver": {"id": "d", "options": {"$ref": "http://127.0.0.1:1/x"}}},
     "driver.options: `$ref`", "write out"),
    # what asks for work without end
    (one(type="string", pattern="(?=(a+)+)b"), "parameters.properties.a: pattern", "ahead"),
    (one(type="string", pattern=r"(a+)\1"), "parameters.properties.a: pattern", "escapes are"),
    (one(type="string", pattern="(a{1000}){1000}"), "properties.a: pattern", f"{MOST_PLACES}"),
    (one(type="string", pattern="(" * 30 + "a" + "{9})" * 30), "a: pattern", f"{MOST_PLACES}"),
    (one(type="string", pattern="a" * 201), "parameters.properties.a.pattern", "200"),
    (one(type="string", pattern="a{1,2}{3}"), "parameters.properties.a: pattern", "repeats"),
    ({"parameters": {"properties": {f"a{n}": {"pattern": "x{400}"} for n in range(9)}}},
     "parameters: properties: their patterns", f"{2 * MOST_PLACES}"),
    (one(anyOf=[{"anyOf": [{}] * 9}] * 9), "parameters.properties.a: `anyOf`", "requirements"),
    (one(**{"not": nested(4)}), "parameters.properties.a: `not`", "requirements"),
    (one(format="regex"), "parameters.properties.a: `format`", "pattern"),
    (one(contentEncoding="base64"), "parameters.properties.a: `contentEncoding`", "there are"),
    (one(patternProperties={"(a+)+$": {}}), "`patternProperties`", "name each"),
    # what has no bounds
    ({"parameters": {"properties": {f"a{n}": {} for n in range(201)}}},
     "parameters.properties", "200"),
    ({"parameters": {"properties": {f"a{n}": {} for n in range(10_000)}}},
     "parameters.properties: a manifest has", f"{MOST_VALUES} values"),
    ({"parameters": nested(1000)}, "parameters.properties.a.properties", "12 levels"),
    (one(enum=list(range(1_000_000))), "parameters.properties.a.enum", f"{MOST_VALUES} values"),
    (one(enum=list(range(201))), "parameters.properties.a.enum", "200"),
    (one(enum=["a" * 301]), "parameters.properties.a.enum.0", "300 characters"),
    (one(**{f"x-{n}": 1 for n in range(201)}), "parameters.properties.a: has", "200"),
    (one(**{"x-" + "a" * 100: 1}), "parameters.properties.a", "no word"),
    (one(**{"x-own": {"a": {"b": {}}}}), "parameters.properties.a.x-own", "200 of them"),
    ({"parameters": {"properties": {"a" * 101: {}}}}, "parameters.properties", "100 characters"),
    ({"summary": "a" * (MOST_CHARACTERS + 1)}, "summary", f"{MOST_CHARACTERS} characters"),
    ({"aspects": {"a" * (MOST_CHARACTERS + 1): ""}}, "aspects", f"{MOST_CHARACTERS} characters"),
    ({"editions": [EDITION] * 101}, "editions", "100 items"),
    ({"disclaimers": [[[[[[[[[[[[["a"]]]]]]]]]]]]]}, "disclaimers.0.0", "12 levels"),
    # numbers that are none
    (one(type="integer", minimum=HUGE), "parameters.properties.a.minimum", "2⁶⁴"),
    (one(type="integer", default=-HUGE), "parameters.properties.a.default", "2⁶⁴"),
    (one(type="number", maximum=float("inf")), "parameters.properties.a.maximum", "2⁶⁴"),
    (one(type="number", multipleOf=float("nan")), "parameters.properties.a.multipleOf", "2⁶⁴"),
    (one(type="number", multipleOf=0), "parameters.properties.a.multipleOf", "0.000000001"),
    (one(type="integer", enum=[1, HUGE]), "parameters.properties.a.enum.1", "2⁶⁴"),
    (one(type="integer", **{"x-scale": 0}), "parameters.properties.a.x-scale", "1"),
    (one(**{"x-scale": HUGE}), "parameters.properties.a.x-scale", "18446744073709551616"),
    (one(**{"x-holds-percentage": 0}), "parameters.properties.a.x-holds-percentage", "0"),
    # what contradicts itself
    (one(type="integer", minimum=5, default=3), "properties.a: default", "minimum of 5"),
    (one(type="integer", minimum=5, maximum=3), "properties.a: minimum", "maximum, 3"),
    (one(type="string", pattern="[0-9]*", default="1\n"), "properties.a: default", "match"),
    (one(type="boolean", default=0), "properties.a: default", "'boolean'"),
    (one(enum=[1], default=True), "properties.a: default", "not one of: 1"),
    (one(type="integer", enum=["one"]), "properties.a: enum", "'integer'"),
    (one(type="integer", pattern="1"), "properties.a: pattern", "string"),
    (one(minimum="1"), "parameters.properties.a.minimum", "a number"),
    (one(type=["string", "null"]), "parameters.properties.a.type", "'boolean', 'integer'"),
    (one(default=None), "parameters.properties.a: `default`", "leave it out"),
    (one(**{"x-holds-times": "b"}), "properties.a.x-holds-times", "`b`"),
    ({"parameters": {"properties": {"a": True}}}, "parameters.properties.a", "dictionary"),
    ({"parameters": {"type": "array"}}, "parameters.type", "'object'"),
    ({"parameters": ["a"]}, "parameters", "dictionary"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "where", "limit"), HOSTILE, ids=[f"{where} {limit}" for _, where, limit in HOSTILE]
)
def test_what_is_refused_names_field_and_limit(
    more: dict[str, Any], where: str, limit: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        Manifest.model_validate(document(**more))

    told = refusal(caught.value)
    assert where in told
    assert limit in told
    assert "\n" not in told
    assert len(told) < 600


@pytest.mark.parametrize("path", SHIPPED, ids=[path.parts[-3] for path in SHIPPED])
def test_what_is_shipped_is_taken_as_it_is_written(path: Path) -> None:
    written = tomllib.loads(path.read_text(encoding="utf-8"))
    found = load_manifest(path)
    assert found.parameters == written.get("parameters", {})
    assert found.driver.options == written["driver"].get("options", {})
    assert found.model_dump(mode="json")["parameters"] == found.parameters


@pytest.mark.parametrize("letters", [25, 40, 60, 1000])
@pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|a)*b", "(a*)*(a*)*b", "^(([a-z])+.)+[A-Z]$"])
def test_patterns_that_hang_others_are_answered(pattern: str, letters: int) -> None:
    schema = {"type": "string", "pattern": pattern}
    Manifest.model_validate(document(**one(**schema)))
    assert value_problems(schema, "a" * letters + "!")


def test_no_pattern_of_a_stranger_reaches_an_engine_that_goes_back() -> None:
    """Python's own engine tries each choice again; neither module knows it, nor JSON Schema's."""
    for module in (parameters, patterns):
        assert not {"re", "jsonschema", "fnmatch"} & vars(module).keys()


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("^[0-9]*$", ["", "12"], ["1\n", "\n", "a1", "1a", "٣"]),
        ("[0-9]+", ["12"], ["a12", "12a", "12\n"]),
        (r"^$|^\S+( \S+){4}$", ["", "* * * * *", "*/5 1 2 3 4"], ["* * * *", "* * * * * "]),
        (r"a|b", ["a", "b"], ["ab", "ba"]),
        (r"[\]\\^-]", ["]", "\\", "^", "-"], ["[", "a"]),
        (r"[^/]{2}", ["ab", "üß", "\n\n"], ["a/", "a"]),
        (r"\(\d{2,3}\)", ["(12)", "(123)"], ["(1)", "12"]),
        (r"[a&&b]", ["a", "&", "b"], ["c", ""]),
        (r"[a-c\d_]+", ["a1_"], ["d", "-"]),
        (r".", ["a", "ü"], ["\n", ""]),
        (r"a{2,}", ["aa", "aaaa"], ["a"]),
        (r"(?:ab)?c", ["abc", "c"], ["ac"]),
    ],
)
def test_patterns_are_of_the_whole_value(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [text for text in yes if not matches(pattern, text)] == []
    assert [text for text in no if matches(pattern, text)] == []


@pytest.mark.parametrize(
    "pattern",
    ["(", ")", "[", "[]", "[^]", "a{", "a{,3}", "a{2,1}", "a{99999}", "*", "a**", "a*?", "\\",
     r"\p{L}", r"\b", "(?i)a", "(?P<n>a)", "(?<=a)b", "(?!a)", "[z-a]", r"[\D]", r"[a-\d]", "(?",
     "(a", "a{ 2}", "a{٢}", "{2}", "[\ud800]", r"\x41", r"\u0041"],
)  # fmt: skip
def test_what_is_no_pattern_here_is_refused_in_words(pattern: str) -> None:
    with pytest.raises(PatternRefused, match=r"^has "):
        check_pattern(pattern)


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        ({"type": "integer"}, HUGE, "2⁶⁴"),
        ({}, -HUGE, "2⁶⁴"),
        ({"type": "number"}, float("nan"), "2⁶⁴"),
        ({"type": "number"}, float("inf"), "2⁶⁴"),
        ({"type": "string"}, "a" * 1025, "1024"),
        ({"type": "string", "maxLength": 3}, "a" * 1000, "longer than 3 characters"),
        ({"type": "string", "minLength": 3}, "a", "shorter than 3 characters"),
        ({"type": "integer"}, 1.5, "'integer'"),
        ({"type": "number", "exclusiveMinimum": 1}, 1, "not greater than 1"),
        ({"type": "number", "exclusiveMaximum": 1}, 1.0, "not less than 1"),
        ({"type": "number", "multipleOf": 0.1}, 0.35, "not a multiple of 0.1"),
        ({"enum": [1]}, True, "not one of: 1"),
        ({"enum": ["a"]}, "b" * 1000, "not one of: a"),
    ],
)
def test_values_out_of_bounds_are_told_in_short(
    schema: dict[str, Any], value: Any, problem: str
) -> None:
    (told,) = value_problems(schema, value)
    assert problem in told
    assert len(told) < 150


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "number", "multipleOf": 0.1}, 0.3),
        ({"type": "integer"}, 2.0),
        ({"type": "integer", "maximum": 2**53 - 1}, 2**53 - 1),
        ({}, "anything"),
        ({"enum": [1, "b"]}, 1.0),
        ({"type": "string", "pattern": "^a$", "minLength": 1, "maxLength": 1}, "a"),
    ],
)
def test_values_within_bounds_are_taken(schema: dict[str, Any], value: Any) -> None:
    assert value_problems(schema, value) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a = " + b"[" * 5000, "too deep"),
        (b"#" * (MOST_CHARACTERS + 1), f"{MOST_CHARACTERS}"),
        (b"\xff", "decode"),
        (b"id = ", "Invalid value"),
    ],
)
def test_a_file_that_is_no_manifest_is_refused_in_words(
    content: bytes, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "plugin.toml"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=told) as caught:
        load_manifest(path)
    assert told in refusal(caught.value)


def test_what_is_broken_on_a_machine_is_sent_where_something_is() -> None:
    """Platforms of before refuse keys that they do not know."""
    facts = {
        "hostname": "h", "machine_id": "m", "cpu_model": "c", "cores": 1, "memory_bytes": 1,
        "kernel": "k", "operating_system": "o", "architecture": "a",
    }  # fmt: skip
    opening = {
        "instance_id": UUID(int=1), "process_id": UUID(int=2), "agent_version": "1",
        "manifests": [document()], "facts": facts, "policy": {},
    }  # fmt: skip
    assert '"broken"' not in SessionOpening.model_validate(opening).model_dump_json()
    told = SessionOpening.model_validate({**opening, "broken": {"a": "cannot be read"}})
    assert '"broken":{"a":"cannot be read"}' in told.model_dump_json()
