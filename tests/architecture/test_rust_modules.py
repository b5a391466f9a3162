"""No module of a Rust crate needs one that needs it.

A module may need the ones around it (`super`), and a folder's `mod.rs` those in it: that is how a
folder is put together. What a `mod.rs` only passes on belongs to the module it comes from.
"""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath

from weighhouse_testing.tree import text_of, tracked

Module = tuple[str, ...]
USE = re.compile(r"\buse\s+([^;]+);")
INLINE = re.compile(r"\b(?:crate|super)(?:::\w+)+")
COMMENT = re.compile(r"//.*")
TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)


def _module(source: PurePosixPath) -> Module:
    parts = source.with_suffix("").parts
    return parts[:-1] if parts[-1] in {"lib", "main", "mod"} else parts


def _crates() -> dict[str, dict[Module, str]]:
    """The modules of each crate, and what they say outside of their tests."""
    crates: dict[str, dict[Module, str]] = {}
    for name in tracked(".rs"):
        crate, inside, source = name.partition("/src/")
        if inside and not source.startswith("bin/") and not source.endswith("tests.rs"):
            text = TESTS.sub("", COMMENT.sub("", text_of(name)))
            crates.setdefault(crate, {})[_module(PurePosixPath(source))] = text
    return crates


def _paths(tree: str, before: str = "") -> list[Module]:
    """`a::{b, c::{d, e}}` as a::b, a::c::d, a::c::e."""
    tree = tree.strip()
    head, opened, body = tree.partition("{")
    if not opened:
        path = re.sub(r"\s+as\s+\w+$", "", before + tree).replace(" ", "")
        return [tuple(part for part in path.split("::") if part)]
    found: list[Module] = []
    depth, start = 0, 0
    body = body.rstrip()[:-1] + ","
    for position, character in enumerate(body):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            if part := body[start:position].strip():
                found += _paths(part, before + head)
            start = position + 1
    return found


def _absolute(path: Module, module: Module, modules: dict[Module, str]) -> Module | None:
    """A path from the crate's root; none when it leads into another crate."""
    if path[0] == "crate":
        return path[1:]
    around = module
    if path[0] == "self":
        return (*around, *path[1:])
    if path[0] == "super":
        while path and path[0] == "super":
            around, path = around[:-1], path[1:]
        return (*around, *path)
    return (*module, *path) if (*module, path[0]) in modules else None


def _needs(modules: dict[Module, str]) -> dict[Module, set[Module]]:
    """What each module needs, as paths of modules that have the thing itself."""
    used: dict[Module, set[Module]] = {}
    for module, text in modules.items():
        paths = [path for use in USE.findall(text) for path in _paths(use)]
        paths += [tuple(path.split("::")) for path in INLINE.findall(text)]
        found = (_absolute(path, module, modules) for path in paths if path)
        used[module] = {path for path in found if path}

    def owner(path: Module) -> Module:
        """The module that a path leads to, past those that only pass it on."""
        length = next(n for n in range(len(path), -1, -1) if path[:n] in modules)
        module, rest = path[:length], path[length:]
        if rest:
            for passed in used[module]:
                inside = passed[: len(module)] == module and len(passed) > len(module) + 1
                if inside and passed[-1] == rest[0]:
                    return owner(passed)
        return module

    needs: dict[Module, set[Module]] = {}
    for module, paths in used.items():
        owners = {owner(path) for path in paths}
        # What is in its own folder, and itself.
        needs[module] = {one for one in owners if one[: len(module)] != module}
    return needs


def test_no_modules_of_a_crate_need_each_other():
    circles = []
    for crate, modules in _crates().items():
        try:
            TopologicalSorter(_needs(modules)).prepare()
        except CycleError as error:
            names = ["::".join(module) or "the root" for module in error.args[1]]
            circles.append(f"{crate}: {' needs '.join(reversed(names))}")
    assert not circles, "\n".join(circles)


def test_a_circle_is_found_and_a_folder_is_none():
    folder = {
        (): "mod net;",
        ("net",): "mod link; mod end; pub use link::Link; pub(crate) fn shared() {}",
        ("net", "link"): "use super::shared; use crate::net::end::{self, Socket};",
        ("net", "end"): "pub struct Socket;",
    }
    TopologicalSorter(_needs(folder)).prepare()
    circle = {**folder, ("net", "end"): "fn now() { crate::net::Link::new() }"}
    assert _needs(circle)[("net", "end")] == {("net", "link")}
    assert _needs(circle)[("net", "link")] == {("net",), ("net", "end")}
