"""What a system says and means stands in its plugin's manifest, and nowhere in the platform."""

import ast
import re
from collections.abc import Iterator

import pytest
from weighhouse_testing.systems_page import manifests
from weighhouse_testing.tree import text_of, tracked

PARTS = ("backend", "judging", "worker")
PLATFORM = tuple(f"{part}/weighhouse_{part}/" for part in PARTS)
INVENTED = "worker/weighhouse_worker/seeding/"
"""Campaigns for developers, which are of systems by name."""
OWN = {"redis", "mongo"}
"""What the platform itself is made of: it has a Redis of its own."""


def words() -> dict[str, str]:
    """What belongs to a system → which: its name, and what it says for errors."""
    found = {}
    for name, each in manifests().items():
        if each.kind == "system":
            found |= {text: name for text in (each.id, each.name) if text.lower() not in OWN}
            found |= {cause.word: name for cause in each.causes}
    return found


def named(name: str, text: str, known: dict[str, str]) -> Iterator[str]:
    """Strings of a module, documentation and examples aside, that hold a system's words."""
    tree = ast.parse(text)
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    examples = (one.value for one in ast.walk(tree)
                if isinstance(one, ast.keyword) and one.arg == "examples")  # fmt: skip
    told |= {id(node) for example in examples for node in ast.walk(example)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        for word, system in known.items() if id(node) not in told else ():
            if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", node.value):
                yield f"{name}:{node.lineno}: `{word}` of {system}"


def test_the_platform_names_no_system_and_reads_no_systems_words() -> None:
    known = words()
    assert len(known) > 20
    found = [
        line
        for name in tracked(".py")
        if name.startswith(PLATFORM) and not name.startswith(INVENTED)
        for line in named(name, text_of(name), known)
    ]
    assert not found, "\n".join([*found, "instead: a table of the plugin's manifest (`causes`, …)"])


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        ('HINTS = {"NOPERM": "x"}', "`NOPERM` of"),
        ('if "valkey" in text: pass', "`valkey` of valkey"),
        ('def f():\n    "as valkey does"\n', ""),
        ('NAME = "no_NOPERM_here"', ""),
    ],
)
def test_a_systems_words_are_seen(planted: str, seen: str) -> None:
    assert seen in " ".join(named("x.py", planted, words()))
    assert bool(seen) == bool(list(named("x.py", planted, words())))
