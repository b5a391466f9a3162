"""A program of a tool that counts to three in each phase; run by `test_held_tools`."""

import time
from collections.abc import Iterator
from pathlib import Path

from weighhouse_protocol.driver import OperationInterval, Recorded
from weighhouse_protocol.load import Phase
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.lifecycle import Installed
from weighhouse_sdk.registry import load_tool
from weighhouse_sdk.toolrun import program
from weighhouse_sdk.toolrun.tool import Tool
from weighhouse_sdk.toolrun.work import Slice, Work


class CountingTool(Tool):
    loads = "tool"

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        return (Installed(Path("/bin/true"), "1.0"),)

    def perform(self, phase: Phase, work: Work) -> Iterator[Slice]:
        now_us = time.time_ns() // 1000
        yield Slice(now_us, 1000, {"read": OperationInterval(ok=Recorded(count=3))})


if __name__ == "__main__":
    program.run(CountingTool(load_tool("ycsb").manifest))
