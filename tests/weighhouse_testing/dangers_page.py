"""Writes docs/dangers.md: of each system what an experiment never sets, and why.

`python -m weighhouse_testing.dangers_page` writes it from the manifests.
"""

from collections.abc import Iterator

from weighhouse_protocol.configuration.tables import Reasons
from weighhouse_protocol.manifest import Manifest
from weighhouse_sdk.registry import discover

from weighhouse_testing.tree import REPOSITORY

PAGE = REPOSITORY / "docs" / "dangers.md"
HEAD = """# What an experiment never sets

Written by `make gen` from the plugins' manifests; do not change it by hand. What each system's
settings may do that no benchmark is for, by its own names. `*` stands for anything, all below a
name is meant with it, and so is every spelling: capitals, dashes for underscores, and the other
names that a system has for the same.

No policy of an agent allows them, and nothing that is written brings them in: they are refused
when an experiment is saved, from the editor, as YAML or over the API, left out when a
configuration file is read, and refused again by the agent. Tests try each name in some thirty
forms (other spellings, look-alike letters, line ends, quotes, dashes in front, `=` behind), in
files as well, and each harmless setting with some fifty values that are more than a word
(`backend/tests/experiments/test_dangers.py`, `agent/tests/test_own_settings.py`);
`tests/architecture/test_dangers.py` holds the names that a system itself knows against this
table. What is in neither this table nor the plugin's list of harmless ones, an agent takes only
where its operator names it
([configuration-files.md](configuration-files.md#settings-beside-parameters)).
"""


def systems() -> list[Manifest]:
    """Manifests of the systems that have a table, by name."""
    found = (each.manifest for each in discover()[0].values())
    return sorted((each for each in found if each.settings is not None), key=lambda one: one.name)


def page() -> str:
    """The whole page."""
    return HEAD + "".join(f"\n## {each.name}\n\n{''.join(_table(each))}" for each in systems())


def _table(manifest: Manifest) -> Iterator[str]:
    yield "| what it does | settings |\n| --- | --- |\n"
    if manifest.settings is not None:
        yield from _rows(manifest.settings.never)
        yield from _rows(manifest.settings.agent)
        other = {
            meant: [alias for alias, each in manifest.settings.aliases.items() if each == meant]
            for meant in sorted(set(manifest.settings.aliases.values()))
            if manifest.settings.why_never(meant) or manifest.settings.why_agent(meant)
        }
        if other:
            names = (
                f"`{name}`: {', '.join(f'`{one}`' for one in also)}" for name, also in other.items()
            )
            yield f"| *other names of these* | {'; '.join(names)} |\n"


def _rows(reasons: Reasons) -> Iterator[str]:
    for why, patterns in reasons.items():
        yield f"| {why} | {', '.join(f'`{each}`' for each in patterns)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
