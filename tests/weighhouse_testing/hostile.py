"""What nobody in good faith sends: values, documents, schemas and bytes, to be sent anywhere."""

import copy
import functools
import gzip
import json
import random
import zlib
from collections.abc import Callable, Iterator
from typing import Any

NUMBERS: tuple[Any, ...] = (
    -1, 0, 2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 10**300,
    10**400, -(10**400), 1e-320, -0.0, 0.1 + 0.2, 1.5e308, -1.5e308, 1e19, 253402300800,
    253402300800 * 10**6, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
TEXTS: tuple[str, ...] = (
    "", " ", "\x00", "a\x00b", "\ud800", "x\udfffy", "\x1b[2J", "\r\nSet-Cookie: a=b", "\u202eabc",
    "a" * 300, "a" * 100_000, "\U0010ffff" * 70, "e\u0301" * 5000, "../../etc/passwd", "%00",
    "%s%n",     "${jndi:ldap://127.0.0.1/a}", "' OR 1=1 --", "javascript:alert(1)", "file:///etc/passwd",
    "http://127.0.0.1:1/", "unix:///run/x", "true", "null", "1e999", "９９９", "0x10", "-0",
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999+14:00", "2026-02-30", "P1Y",
    "a\nb", "valid\n", "redis\n", "e" * 63 + "\n", "ﬁ", "İ", "\ufeffx", "=cmd|' /C calc'!A0",
)  # fmt: skip
STRUCTURES: tuple[Any, ...] = (
    None, True, False, [], {}, [[]], [None], {"": None}, {"__proto__": {"a": 1}}, {"a\x00": 1},
    {"\ud800": 1}, {"$ref": "#"},
)  # fmt: skip
MANY = (200, 3000)
LARGE = 2000
DEPTHS = (40, 300)


def nested(depth: int, key: str | None = None) -> Any:
    """Lists, or objects, in one another."""
    made: Any = 0
    for _ in range(depth):
        made = [made] if key is None else {key: made}
    return made


def schemas(reach: str = "http://127.0.0.1:1/schema") -> list[dict[str, Any]]:
    """Schemas of a parameter that want something done.

    :param reach: an address that nobody should ask.
    """
    return [
        {"$ref": reach}, {"$ref": "file:///etc/passwd"}, {"$ref": "#"}, {"$ref": "#/$defs/none"},
        {"$dynamicRef": "#x"}, {"allOf": [{"$ref": reach}]}, {"$schema": reach},
        {"type": "string", "pattern": "^(a+)+$"}, {"type": "string", "pattern": "(a|aa)+$"},
        {"type": "string", "pattern": "("}, {"type": "string", "pattern": "a{1000}{1000}"},
        {"type": "string", "pattern": "(?=a)b|(.)\\1"}, {"type": "nonsense"}, {"type": 5},
        {"properties": 5}, {"enum": "x"}, {"enum": [[], {}]}, {"enum": list(range(20_000))},
        {"multipleOf": 0}, {"multipleOf": -1}, {"type": "integer", "minimum": "a"},
        {"minLength": -1}, {"maxLength": 10**30}, {"format": "regex"}, {"not": {"not": {}}},
        {"if": {"$ref": "#"}, "then": False}, {"patternProperties": {"(a+)+$": {}}},
        {"default": "a" * 200_000}, {"default": nested(200)}, {"title": "a" * 100_000},
        {"type": "integer", "default": 10**400}, {"type": "number", "minimum": float("inf")},
        {"anyOf": [{"type": "string"}] * 3000}, nested(300, "allOf"), nested(300, "not"),
        {"uniqueItems": True, "type": "array"}, {"unevaluatedProperties": {"$ref": "#"}},
    ]  # fmt: skip


def value(dice: random.Random) -> Any:
    """One hostile value."""
    kind = dice.random()
    if kind < 0.35:
        return dice.choice(NUMBERS)
    if kind < 0.7:
        return dice.choice(TEXTS)
    if kind < 0.9:
        return copy.deepcopy(dice.choice(STRUCTURES))
    if kind < 0.95:
        return nested(dice.choice(DEPTHS), dice.choice((None, "a", "allOf")))
    return [dice.choice(NUMBERS)] * dice.choice(MANY)


def places(document: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a document: every key and index, inner ones after outer ones."""
    inner: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(document, dict):
        inner = iter(document.items())
    elif isinstance(document, list):
        inner = iter(enumerate(document))
    for key, each in inner:
        yield (*at, key)
        yield from places(each, (*at, key))


def spoiled(document: Any, dice: random.Random) -> Any:
    """A document with something in it that does not belong there.

    :param document: what would be taken.
    """
    made = copy.deepcopy(document)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        found = list(places(made))
        if not found:
            return value(dice)
        if len(found) > LARGE:
            break  # what is many times many would be a test of who sends it
        place = dice.choice(found)
        holder = made
        for key in place[:-1]:
            holder = holder[key]
        _spoil(holder, place[-1], dice)
    return made


def _spoil(holder: Any, key: Any, dice: random.Random) -> None:
    kind = dice.random()
    if kind < 0.6:
        holder[key] = value(dice)
    elif kind < 0.7 and isinstance(holder, dict):
        del holder[key]
    elif kind < 0.8 and isinstance(holder, dict):
        holder[dice.choice(TEXTS)] = value(dice)
    elif kind < 0.9 and isinstance(holder, dict):
        holder |= {f"unknown-{n}": dice.choice(NUMBERS) for n in range(dice.choice(MANY))}
    elif isinstance(holder, list):
        holder += [copy.deepcopy(holder[key])] * dice.choice(MANY)
    else:
        holder[key] = [holder[key]] * 3


def encoded(document: Any) -> bytes:
    """As JSON with whatever Python can write: NaN, halves of surrogate pairs, all digits."""
    return json.dumps(document).encode()


def _twice(body: bytes) -> bytes:
    """With each of an object's keys once more."""
    return body[:-1] + b"," + body[1:] if body.startswith(b"{") and len(body) > 2 else body


@functools.cache
def _zipped(size: int) -> bytes:
    return gzip.compress(b" " * size, 9)


JSON = "application/json"
Wrapped = tuple[bytes, list[tuple[str, str]]]
WRAPPINGS: tuple[Callable[[bytes], Wrapped], ...] = (
    lambda body: (body, [("Content-Type", "text/plain")]),
    lambda body: (body, [("Content-Type", "application/x-www-form-urlencoded")]),
    lambda body: (body, [("Content-Type", "multipart/form-data; boundary=" + "x" * 5000)]),
    lambda body: (body, [("Content-Type", "application/json; charset=utf-16")]),
    lambda body: (body, [("Content-Type", JSON), ("Content-Type", "text/xml")]),
    lambda body: (body, [("Content-Type", "\xff/\xfe")]),
    lambda body: (body, []),
    lambda body: (body.decode().encode("utf-16"), [("Content-Type", JSON)]),
    lambda body: (b"\xef\xbb\xbf" + body, [("Content-Type", JSON)]),
    lambda body: (body[: len(body) // 2], [("Content-Type", JSON)]),
    lambda body: (body + body, [("Content-Type", JSON)]),
    lambda body: (_twice(body), [("Content-Type", JSON)]),
    lambda body: (body.replace(b'"', b"'"), [("Content-Type", JSON)]),
    lambda body: (b"\xff\xfe" + body, [("Content-Type", JSON)]),
    lambda _: (b"", [("Content-Type", JSON)]),
    lambda _: (b"[" * 100_000, [("Content-Type", JSON)]),
    lambda _: (b'{"a":' * 50_000, [("Content-Type", JSON)]),
    lambda _: (b"9" * 100_000, [("Content-Type", JSON)]),
    lambda _: (b'"' + b"\\ud800" * 10_000 + b'"', [("Content-Type", JSON)]),
    lambda _: (b"[" + b"0," * 500_000 + b"0]", [("Content-Type", JSON)]),
    lambda _: (b"{" + b",".join(b'"k%d":0' % n for n in range(90_000)) + b"}",
               [("Content-Type", JSON)]),
    lambda body: (gzip.compress(body), [("Content-Type", JSON), ("Content-Encoding", "gzip")]),
    lambda _: (_zipped(200 << 20), [("Content-Type", JSON), ("Content-Encoding", "gzip")]),
    lambda _: (_zipped(8 << 20)[:-9], [("Content-Type", JSON), ("Content-Encoding", "gzip")]),
    lambda body: (zlib.compress(body), [("Content-Type", JSON), ("Content-Encoding", "deflate")]),
    lambda body: (body, [("Content-Type", JSON), ("Content-Encoding", "gzip, gzip, gzip")]),
    lambda body: (body, [("Content-Type", JSON), ("Content-Encoding", "\xff")]),
    lambda body: (body, [("Content-Type", JSON), *[("X-Many", "x" * 100)] * 200]),
    lambda body: (body, [("Content-Type", JSON), ("Authorization", "Bearer " + "x" * 8000)]),
    lambda body: (body, [("Content-Type", JSON), ("Authorization", "Bearer \xff\x80")]),
    lambda body: (body, [("Content-Type", JSON), ("Cookie", "a=" * 3000)]),
    lambda body: (body, [("Content-Type", JSON), ("If-Match", '"' + "x" * 4000 + '"')]),
    lambda body: (body, [("Content-Type", JSON), ("Idempotency-Key", "x" * 5000)]),
)  # fmt: skip
"""What makes bytes and headers of a body, each in a way of its own."""


def wrapped(body: bytes, dice: random.Random) -> Wrapped:
    """A body as it is, or in something that it does not belong in; headers may stand twice."""
    if dice.random() < 0.75:
        return body, [("Content-Type", JSON)]
    return dice.choice(WRAPPINGS)(body)
