"""Every system that may be somebody else's says which rights it needs for what."""

import re

import pytest
from weighhouse_testing.tree import REPOSITORY

from .test_plugins import PLUGINS

SYSTEMS = sorted(
    path.parent.parent.name
    for path in PLUGINS.glob("*/weighhouse_plugin_*/plugin.toml")
    if re.search(r'^deployments = .*"external"', path.read_text(encoding="utf-8"), re.MULTILINE)
)
COMMANDS = ("SETUSER", "CREATE ROLE", "createUser")
"""What makes an account."""
VISITOR = PLUGINS / "sdk" / "weighhouse_sdk" / "testkit" / "rights_testing.py"
VERB = re.compile(r"\bplugin\.([a-z_]+)\(")
ASKS_NOTHING = {"driver_files", "fault", "reserve"}
"""Verbs that ask nothing of a server of somebody else's: it has no nodes to reserve or to break."""


def test_there_are_some() -> None:
    assert len(SYSTEMS) > 5


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_page_tells_rights_and_where_to_read_of_the_caveat(name: str) -> None:
    page = (REPOSITORY / "plugins" / name / "README.md").read_text(encoding="utf-8")
    section = page.partition("\n## Rights\n")[2].partition("\n## ")[0]
    assert "| where it is not |" in section
    assert "docs/findings/not-told.md" in section
    if any(each in section for each in COMMANDS):
        assert "\n### Measuring alone\n" in section
        assert "\n### Measuring, and describing\n" in section


def test_each_verb_that_an_agent_asks_of_a_plugin_is_one_whose_questions_are_refused() -> None:
    """Else questions could be asked that stand on no list of those that may be refused."""
    asked: set[str] = set()
    for path in (REPOSITORY / "agent" / "weighhouse_agent" / "attempt").rglob("*.py"):
        asked |= set(VERB.findall(path.read_text(encoding="utf-8")))
    assert {"deploy", "describe", "sample"} < asked
    tried = set(VERB.findall(VISITOR.read_text(encoding="utf-8")))
    assert asked - tried == ASKS_NOTHING
