"""Holds a plugin's settings against its system: files are translated and carried out, settings
beside parameters arrive, and what is dangerous is refused by every name that it has.
"""

# ruff: noqa: S101 - these are tests

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.settings import settings_errors
from weighhouse_protocol.configuration.grammars import ConfigurationRefused, text_of
from weighhouse_protocol.configuration.tables import Grammar, Settings
from weighhouse_protocol.configuration.translation import TargetFromFile, target_from
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target

from weighhouse_sdk.configuration import reported_names
from weighhouse_sdk.context import Context
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.machine.certificates import certify
from weighhouse_sdk.places import Place
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.wire import Address


def table_of(plugin: Plugin) -> Settings:
    """The plugin's settings; it has them."""
    table = plugin.manifest.settings
    assert table is not None, f"{plugin.manifest.id} has no [settings]"
    return table


def refused(plugin: Plugin, name: str, value: Scalar = 1) -> str:
    """What is said to a target with one setting; empty: it is taken."""
    target = Target.model_validate(
        {
            "name": "t",
            "system": plugin.manifest.id,
            "deployment": plugin.manifest.default_deployment,
            "settings": {name: value},
        }
    )
    return "; ".join(error.message for error in settings_errors(target, plugin.manifest))


def spellings(name: str) -> Iterator[str]:
    """A name as systems read it that tell neither case nor dashes apart."""
    yield from (name, name.upper(), name.title(), name.replace("-", "_"), name.replace("_", "-"))


def check_never(plugin: Plugin, dangerous: Iterable[str]) -> None:
    """Hold that names are never taken, in no spelling, and neither out of a file."""
    for name in dangerous:
        for each in spellings(name):
            said = refused(plugin, each)
            assert "is never taken" in said or "is set by the agent" in said, (each, said)


def check_given(plugin: Plugin, folder: Path) -> None:
    """Hold that each setting that the plugin lists changes what a server is started with: it stands
    on its command line, or in a file that it reads; of one inside the driver among its options.
    """
    table = plugin.manifest.settings
    taken = () if table is None else table.taken
    if not isinstance(plugin, ServerPlugin):
        manifest = plugin.manifest
        bare = Target(name="t", system=manifest.id, deployment=manifest.deployments[0])
        for name in taken:
            given = bare.model_copy(update={"settings": {name: 7}})
            assert plugin.driver_options(given) != plugin.driver_options(bare), name
        return
    plain = orders(plugin, folder, {})
    for name in taken:
        assert orders(plugin, folder, {name: 7}) != plain, name


def orders(
    plugin: ServerPlugin, folder: Path, settings: Mapping[str, Scalar], *, tls: bool = False
) -> tuple[tuple[str, ...], dict[str, str]]:
    """What a server is started with: its arguments, and the files in its directory.

    :param folder: made anew.
    :param tls: whether it is to speak TLS, under a certificate that is made for it.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shown = Credentials(tls_ca_file=certify(folder / "authority", ["127.0.0.1"])) if tls else None
    address = Address("127.0.0.1", 7999, shown, tls=tls)
    place = Place(1, "t", address, folder, (address,), peer_port=8999, settings=settings)
    plugin.prepare({}, place)
    files = {each.name: each.read_text("utf-8") for each in folder.iterdir() if each.is_file()}
    return tuple(plugin.arguments({}, place)), files


def check_listed(plugin: Plugin, dangerous: Iterable[str]) -> None:
    """Hold that names are on the lists of what is never taken or the agent's, in every spelling."""
    table = table_of(plugin)
    for name in dangerous:
        for each in spellings(name):
            assert table.why_never(each) or table.why_agent(each), each
        assert refused(plugin, name), name


def check_words(plugin: Plugin) -> None:
    """Hold that no value ends its word, and no name its line."""
    taken = table_of(plugin).taken[0]
    for value in (
        "a b",
        "a\nb",
        'a"',
        "a'",
        "a,b",
        "a;b",
        "a=b",
        "--x",
        "-x",
        "",
        "/etc",
        "{a",
        "a#",
    ):
        assert "single word" in refused(plugin, taken, value), value
    for name in (f"{taken} 1", f"{taken}\nx", f"--{taken}", f"{taken}=1", ""):
        assert refused(plugin, name), name


def translated(plugin: Plugin, text: str) -> TargetFromFile:
    """A file's text as a target of the plugin's system."""
    return target_from(text, plugin.manifest)


def left_of(found: TargetFromFile) -> dict[tuple[int, str], str]:
    """The lines that are not in a target: number and name → why."""
    return {(one.line, one.name): one.reason for one in found.left}


def check_not_taken(plugin: Plugin, text: str, line: int, said: str) -> None:
    """Hold that of a file nothing is taken, for a line of it that is named."""
    with pytest.raises(ConfigurationRefused) as error:
        translated(plugin, text)
    first = error.value.faults[0]
    assert (first.line, said in first.message) == (line, True), first


COMMENTS: Mapping[Grammar, str] = {
    "directives": "# was: include /etc/more.conf",
    "arguments": "# was: --port=1",
    "yaml": "# was: {",
    "sections": "# was: }",
    "ini": "; was: [DBOptions]",
}
"""A line that says nothing."""


def check_kinds_of_lines(plugin: Plugin, text: str, comment: str = "") -> None:
    """Hold that a file comes to the same however an editor left it: with a mark of byte order,
    ends of lines of another system or none at the end, blanks behind, empty lines and comments.

    :param text: a file with a setting of the plugin's on a line of its own.
    """
    wanted = translated(plugin, text)
    assert wanted.taken
    lines = text.splitlines()
    noted = comment or COMMENTS[table_of(plugin).grammar]
    ways = {
        "mark": "\ufeff" + text,
        "CRLF": "\r\n".join([*lines, ""]),
        "both": "\ufeff" + "\r\n".join(lines),
        "no end": text.rstrip("\n"),
        "blanks": "\n".join(f"{line} \t " if line else "" for line in lines),
    }
    for name, way in ways.items():
        assert translated(plugin, way) == wanted, name
        assert text_of(way.encode()).removeprefix("\ufeff") == way.removeprefix("\ufeff")
    further = translated(plugin, f"\n{noted}\n\n{text}\n{noted}\n")
    assert (further.parameters, further.settings) == (wanted.parameters, wanted.settings)
    assert {one.line - 3 for one in further.taken} == {one.line for one in wanted.taken}
    for broken, line in ((text.encode() + b"x \xff\n", len(lines) + 1), (text.encode("utf-16"), 1)):
        with pytest.raises(ConfigurationRefused, match="UTF-8") as error:
            text_of(broken)
        assert error.value.faults[0].line == line
    check_not_taken(plugin, f"{text}\0", text.count("\n") + 1, "NUL")


@contextmanager
def running(
    plugin: Plugin, folder: Path, document: Mapping[str, object]
) -> Iterator[dict[str, Setting]]:
    """The effective configuration of a system that was set up as a target says, while it runs."""
    target = Target.model_validate({"deployment": plugin.manifest.default_deployment, **document})
    plugin.check_target(target)
    context = Context.open(target, folder)
    try:
        deployed = plugin.deploy(context)
        plugin.wait_ready(context, deployed)
        yield {each.name: each for each in plugin.describe(context, deployed).settings}
        plugin.stop(context, deployed)
    finally:
        plugin.clean_up(context)


def check_said_no(plugin: Plugin, folder: Path, settings: Mapping[str, Scalar], words: str) -> None:
    """Hold that a setting which the system refuses ends the start with the system's own words, and
    that nobody waited for it to become ready.
    """
    document = {"name": "t", "system": plugin.manifest.id, "settings": dict(settings)}
    with pytest.raises(PluginError) as error, running(plugin, folder, document):
        pass
    said = error.value.failure().message
    assert words in said, said
    assert "was not ready" not in said


def check_read_back(
    plugin: Plugin, folder: Path, settings: Mapping[str, Scalar], told: Mapping[str, str]
) -> None:
    """Hold that settings beside parameters are what the running system reports.

    :param told: setting → what the system says of it.
    """
    document = {"name": "t", "system": plugin.manifest.id, "settings": dict(settings)}
    names = reported_names(plugin.manifest, settings)
    with running(plugin, folder, document) as found:
        assert {name: found[names[name]].value for name in settings} == told
        assert {found[names[name]].source for name in settings} == {"experiment"}
        assert all(found[names[name]].default not in (None, told[name]) for name in settings)
