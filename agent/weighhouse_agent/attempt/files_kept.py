"""Ends what an attempt left running, and keeps what tool and system wrote."""

import sys
from contextlib import suppress

from weighhouse_sdk.context import Context
from weighhouse_sdk.kept_files import keep_files
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.machine.remains import Leftover


def keep_what_they_wrote(plugin: Plugin, context: Context) -> tuple[Leftover, ...]:
    """End what still runs, and keep the files of tool and system; the attempt's log names what is
    not kept. Whatever the matter is with them, what comes after it is done.

    :returns: what still ran.
    :raises DeployFailed: when something would not go; then nothing is kept.
    """
    ended = context.remove_leftovers()
    try:
        missing = [f"{each.name}: {each.reason}" for each in keep_files(context, plugin.kept_files)]
    except Exception as error:  # noqa: BLE001 - as above
        missing = [f"files: {error!r}"]
    with suppress(OSError):  # the disk may be full
        for each in missing:
            print(f"not kept: {each}", file=sys.stderr, flush=True)  # noqa: T201 - its log
    return ended
