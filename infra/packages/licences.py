"""The licences of what others wrote and a driver's executable has in it: the crates that are linked
into it, Rust's own library, and libraries that lie beside it.

Nothing of it is kept by hand but what `LIBRARIES` names: the crates are those that Cargo resolves
for the locked versions, and their texts lie in Cargo's own copies of their sources.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

FILE = "THIRD-PARTY-LICENCES.txt"
LIBRARIES: Mapping[str, str] = {
    "weighhouse-driver-rocksdb": "plugins/rocksdb/driver/librocksdb-licences.txt"
}
"""Programs → what is said of libraries that come as they were built elsewhere, without texts."""
_NAMED = re.compile(r"(un)?(licen[cs]e|copying|notice|copyright)", re.IGNORECASE)
_CODE = frozenset({".c", ".cc", ".h", ".py", ".rs"})
_GNU = re.compile(r"GNU (AFFERO |LESSER )?GENERAL PUBLIC LICENSE", re.IGNORECASE)
"""Of these, what is linked gives a choice of another one, which is the one that is taken."""
_RULE = "=" * 100


@dataclass(frozen=True, slots=True)
class Material:
    """Something of others in one version, with what it says of its licence."""

    name: str
    licence: str
    """An SPDX expression."""
    source: str
    """Where it is from."""
    texts: tuple[str, ...]
    """Licences and notices, as its files have them."""


def write(root: Path, programs: Path, names: Iterable[str]) -> dict[str, Path]:
    """Write the licences for each executable, into a folder of its own below the executables'.

    :param root: of the clone, with `Cargo.lock`.
    :param programs: the folder with the executables.
    :returns: executables → their folders, each with `FILE`.
    """
    found = {}
    linked = crates(root)
    rust = of_rust(root)
    for name in names:
        folder = programs / "licences" / name
        folder.mkdir(parents=True, exist_ok=True)
        library = LIBRARIES.get(name)
        own = (root / library).read_text("utf-8") if library else ""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, delete=False) as file:
            file.write(document(name, [*linked[name], *rust], own))
        Path(file.name).chmod(0o644)
        Path(file.name).replace(folder / FILE)
        found[name] = folder
    return found


def document(program: str, materials: Sequence[Material], more: str = "") -> str:
    """All licences in one text, each of them once.

    :param more: is put behind them as it is.
    """
    of_text: dict[str, list[str]] = {}
    words: dict[str, str] = {}
    for one in materials:
        for text in one.texts:
            key = _sense(text)
            words.setdefault(key, text.strip())
            of_text.setdefault(key, []).append(one.name)
    listed = "\n".join(f"{one.name}  {one.licence}  {one.source}".rstrip() for one in materials)
    parts = [f"What others wrote, and {program} has in it, with their licences.\n\n{listed}"]
    silent = [one.name for one in materials if not one.texts]
    if silent:
        parts.append(
            "These bring no text of their licence; the texts of those that are named stand below: "
            + ", ".join(silent)
        )
    parts += [f"{', '.join(dict.fromkeys(who))}\n\n{words[key]}" for key, who in of_text.items()]
    return f"\n\n{_RULE}\n\n".join([*parts, more.strip()] if more else parts) + "\n"


def _sense(text: str) -> str:
    """What two texts have in common that say the same: their words, and of the Apache License not
    the advice behind its terms that nobody filled in.
    """
    words = " ".join(text.split())
    terms, end, advice = words.partition("END OF TERMS AND CONDITIONS")
    unfilled = not advice or "[yyyy]" in advice or "{yyyy}" in advice
    return (terms + end).lower() if unfilled else words


def crates(root: Path) -> dict[str, list[Material]]:
    """Executables of the workspace → the crates of others that are linked into each.

    What only builds them, or only tests them, is not in them; nor are macros, which run in the
    compiler.
    """
    machine = f"{os.uname().machine}-unknown-linux-gnu"
    told = _told(root, "cargo", "metadata", "--format-version=1", "--locked",
                 f"--filter-platform={machine}")  # fmt: skip
    resolved: dict[str, Any] = json.loads(told)
    packages = {one["id"]: one for one in resolved["packages"]}
    needs = {
        node["id"]: [
            one["pkg"]
            for one in node["deps"]
            if any(kind["kind"] is None for kind in one["dep_kinds"])
            and not _has_target(packages[one["pkg"]], "proc-macro")
        ]
        for node in resolved["resolve"]["nodes"]
    }
    materials: dict[str, Material] = {}

    def material(crate: Mapping[str, Any]) -> Material:
        return materials.setdefault(crate["id"], _material(crate))

    return {
        one["name"]: [
            material(packages[each])
            for each in sorted(
                _reached(one["id"], needs), key=lambda each: (packages[each]["name"], each)
            )
            if packages[each]["source"] is not None
        ]
        for one in packages.values()
        if one["source"] is None and _has_target(one, "bin")
    }


def _reached(start: str, needs: Mapping[str, Sequence[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += needs[one]
    return seen


def _has_target(crate: Mapping[str, Any], kind: str) -> bool:
    return any(kind in target["kind"] for target in crate["targets"])


def _material(crate: Mapping[str, Any]) -> Material:
    return Material(
        f"{crate['name']} {crate['version']}",
        (crate["license"] or "").replace("/", " OR "),
        crate["repository"] or "",
        tuple(_texts(Path(crate["manifest_path"]).parent)),
    )


def _texts(folder: Path) -> Iterator[str]:
    """A crate's licences and notices, those of what it has of others in folders of theirs, too."""
    for file in sorted(folder.rglob("*")):
        if _NAMED.match(file.name) and file.suffix not in _CODE and file.is_file():
            text = file.read_text("utf-8", errors="replace")
            if not _GNU.search(text[:400]):
                yield text


def of_rust(root: Path) -> list[Material]:
    """Rust's own library and what it is made of, as the toolchain's notices tell."""
    version = _told(root, "rustc", "--version").split()[1]
    place = Path(_told(root, "rustc", "--print", "sysroot").strip()) / "share" / "doc" / "rust"
    notices = place / "COPYRIGHT-library.html"
    reader = _Notices()
    if notices.is_file():
        reader.feed(notices.read_text("utf-8"))
    library = Material(
        f"Rust's standard library {version}, Copyright (c) The Rust Project Contributors",
        "MIT OR Apache-2.0", "https://github.com/rust-lang/rust", (),
    )  # fmt: skip
    return [library, *(Material(name, "", "", tuple(texts)) for name, texts in reader.found)]


class _Notices(HTMLParser):
    """Reads the page of notices: a heading for each crate, and a block for each of its files."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []
        self._inside = ""

    def handle_starttag(
        self,
        tag: str,
        attrs: list[tuple[str, str | None]],  # noqa: ARG002 - the name is HTMLParser's
    ) -> None:
        if tag in {"h3", "pre"}:
            self._inside = tag
            if tag == "h3":
                self.found.append(("", []))
            elif self.found:
                self.found[-1][1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if not self._inside or not self.found:
            return
        name, texts = self.found[-1]
        if self._inside == "h3":
            self.found[-1] = (f"{name}{data}".strip("📦 \n"), texts)
        else:
            texts[-1] += data


def _told(root: Path, *command: str) -> str:
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is missing: with it the licences of what drivers link are listed")
    if done.returncode != 0:
        sys.exit(f"`{' '.join(command[:2])}` ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout
