"""Which programs really run in an attempt."""

from weighhouse_protocol.programs import ProgramRan
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.machine.program_identity import program_in, program_of
from weighhouse_sdk.toolrun.tool import Tool

MOST = 100


def programs_of(
    deployed: Deployed | None, run: DriverRun | None, tool: Tool | None, options: HostOptions
) -> tuple[ProgramRan, ...]:
    """Of the system's nodes here, each program once, of the driver, and of the tool that makes the
    load in its place; those that do not let themselves be seen are left out.
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
    return tuple(dict.fromkeys(each for each in found if each is not None))[:MOST]
