"""The importers that are installed: `pip install weighhouse-import-x` is all it takes."""

from functools import lru_cache
from importlib.metadata import entry_points

from weighhouse_imports.importer import API, Importer

GROUP = "weighhouse.importers"
"""Entry-point group: name = the format, value = the importer's instance."""


class ImporterMissing(ValueError):
    """No importer of a name is installed; says which are."""


def discover() -> tuple[dict[str, Importer], dict[str, str]]:
    """Every importer that is installed, by format; and what is wrong with those that cannot be
    used. A broken one takes no other with it.
    """
    found: dict[str, Importer] = {}
    broken: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        if entry.name in found:
            if entry.value != _value_of(found[entry.name]):
                broken[entry.name] = "brought by several packages; uninstall those not meant"
            continue
        try:
            importer = entry.load()
        except Exception as error:  # noqa: BLE001 - whatever somebody's package does as it loads
            broken[entry.name] = f"cannot be imported: {error!r}"
            continue
        if (problem := _problem(entry.name, importer)) is not None:
            broken[entry.name] = problem
        else:
            found[entry.name] = importer
    return found, broken


def _value_of(importer: Importer) -> str:
    return f"{type(importer).__module__}:IMPORTER"


def _problem(name: str, importer: object) -> str | None:
    if not isinstance(importer, Importer):
        return "is no importer: its entry point has to name an instance of Importer"
    if importer.manifest.api != API:
        return f"is written for API {importer.manifest.api} of importers; this one has {API}"
    if importer.manifest.name != name:
        return f"its manifest says `{importer.manifest.name}`"
    return None


@lru_cache(maxsize=1)
def importers() -> dict[str, Importer]:
    """Those that can be used, by format."""
    return discover()[0]


def importer_named(name: str) -> Importer:
    """One of them.

    :raises ImporterMissing: when it is not installed.
    """
    found = importers()
    if name not in found:
        message = f"{name!r} is no format; those there are: {', '.join(sorted(found))}"
        raise ImporterMissing(message)
    return found[name]
