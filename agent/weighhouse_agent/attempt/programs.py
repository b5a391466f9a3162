"""Which programs really run in an attempt, and which plugins lead them."""

import contextlib
from collections.abc import Iterable

from weighhouse_protocol.programs import ProgramRan
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.machine.program_identity import program_in, program_of
from weighhouse_sdk.registry import entry_of, package_of
from weighhouse_sdk.toolrun.tool import Tool
from weighhouse_sdk.wheels.digests import digest_in_place, digest_installed

MOST = 100


def programs_of(
    deployed: Deployed | None,
    run: DriverRun | None,
    tool: Tool | None,
    options: HostOptions,
    plugins: Iterable[str] = (),
) -> tuple[ProgramRan, ...]:
    """Of the system's nodes here, each program once, of the driver, and of the tool that makes the
    load in its place, and the plugins; those that do not let themselves be seen are left out.

    :param plugins: identifiers of those that take part.
    """
    nodes = () if deployed is None else deployed.nodes
    found = [program_of(node.body.pid, "system") for node in nodes if not node.down]
    if run is not None:
        found.append(program_of(run.pid, "driver"))
    if run is not None and tool is not None:
        try:
            found.append(program_in(tool.find_versions(options)[0].executable, "tool"))
        except PluginError:
            found.append(None)
    found += [plugin_here(each) for each in plugins]
    return tuple(dict.fromkeys(each for each in found if each is not None))[:MOST]


def plugin_here(plugin_id: str) -> ProgramRan | None:
    """An installed plugin by what is in its files, as policies name it; installed in place, by
    those of its package. None when they cannot be read.
    """
    with contextlib.suppress(PluginError, OSError):
        entry = entry_of(plugin_id)
        package = package_of(entry)
        if entry.dist is None or package is None:
            return None
        in_place = '"editable"' in (entry.dist.read_text("direct_url.json") or "")
        found = digest_in_place(package) if in_place else digest_installed(entry.dist, package)
        return ProgramRan(
            role="plugin", name=entry.dist.name, sha256=found.digest, parts=found.files
        )
    return None
