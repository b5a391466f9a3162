"""Finds what the platform reads beside its code: in the clone that this runs from, else in what was
installed. Nothing else of ours looks for files by where its own code lies.
"""

from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from weighhouse_sdk.registry import GROUP

from weighhouse_cli.embedded.errors import PlatformError

PACKAGE = "weighhouse_resources"
"""Brought by the wheel `weighhouse-resources`: a folder for each resource."""
IN_A_CLONE = {
    "docs": "docs",
    "experiments": "experiments",
    "frontend": "frontend/dist",
    "migrations": "migrations",
}
"""Resources, and where each lies in a clone. The wheel is made of the same table."""


def resource(name: str) -> Path:
    """The folder of a resource: `docs`, `experiments`, `frontend` or `migrations`.

    :raises PlatformError: when this is no clone, and the wheel that brings it is not installed.
    """
    place = IN_A_CLONE[name]
    root = clone()
    if root is not None:
        return root / place
    if find_spec(PACKAGE) is None:
        raise PlatformError(
            f"the platform's {name} are not here: install the package weighhouse, which brings "
            "them, or run it from a clone"
        )
    return code_of(PACKAGE) / name


def clone() -> Path | None:
    """The root of the clone that this code lies in; None: it was installed from wheels."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / IN_A_CLONE["migrations"] / "alembic.ini").is_file() else None


def code_of(package: str) -> Path:
    """The folder of an installed package; imports nothing.

    :raises ModuleNotFoundError: when it is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {package} is not installed", name=package)
    return Path(next(iter(spec.submodule_search_locations)))


def code_of_plugins() -> tuple[Path, ...]:
    """The folders of the plugins that are installed here."""
    packages = sorted({entry.module.partition(".")[0] for entry in entry_points(group=GROUP)})
    return tuple(code_of(package) for package in packages)
