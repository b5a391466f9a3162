"""The `weighhouse` command: what is installed decides which commands there are; errors become
exit codes.
"""

import sys
from importlib import import_module
from importlib.util import find_spec

from weighhouse_cli.console import ERROR
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.exits import CommandFailed, Exit

PLATFORM = "weighhouse_backend"


def main() -> None:
    """Entry point: exit codes are decided here alone."""
    try:
        commands = "remote" if find_spec(PLATFORM) is None else "whole"
        import_module(f"weighhouse_cli.{commands}").app()
    except CommandFailed as failure:
        ERROR.print(str(failure), style="red", soft_wrap=True)
        sys.exit(failure.code)
    except PlatformError as failure:
        ERROR.print(str(failure), style="red", soft_wrap=True)
        sys.exit(Exit.INFRASTRUCTURE)
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
