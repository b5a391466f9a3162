"""An agent to be killed: deploys and drives for a long time, and says how far it is.

`python -m weighhouse_sdk.testkit.crashing_agent PLUGIN TARGET ORDER DIRECTORY`, target and order as
JSON.
"""

import sys
from pathlib import Path

from weighhouse_protocol.driver import DriverOrder
from weighhouse_protocol.target import Target

from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.registry import load_plugin


def main(plugin_id: str, target: str, order: str, directory: str) -> None:
    """Go through a run; one line for each of the driver's events."""
    plugin = load_plugin(plugin_id)
    context = Context.open(Target.model_validate_json(target), Path(directory))
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    document = DriverOrder.model_validate_json(order)
    reached = document.target.model_copy(update={"endpoints": plugin.endpoints(deployed)})
    document = document.model_copy(update={"target": reached})
    with DriverRun(plugin.manifest.driver.id, document, context) as run:
        for event in run.events():
            sys.stdout.write(f"{event.event} {getattr(event, 'phase', '')}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
