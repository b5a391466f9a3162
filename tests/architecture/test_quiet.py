"""Tests are green on a busy machine: what makes them red by the clock alone is refused here.

Each rule names what to use in its place. Programs that only measure, or break things at random
(`bench_…`, `chaos`, `upgrade`, `compose`, `docker`), have clocks of their own.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from weighhouse_testing.tree import text_of, tracked

CLOCKS = {"monotonic", "perf_counter", "monotonic_ns", "perf_counter_ns", "time", "time_ns"}
TODAY = re.compile(r"\.(now|utcnow|today)\(")
READ = [f"{clock}(" for clock in CLOCKS]
"""How a file reads that reads a clock."""
NOT_TESTS = re.compile(
    r"^tests/(chaos|upgrade|compose|docker|api_fuzz|suites)/|/bench_|^engine/bench/"
)
WAITS = {"tests/weighhouse_testing/waits.py"}
"""Where waiting is written once."""
SLEEPS = {
    "backend/tests/campaigns/test_http_gangs.py": "a request that is held open is not answered yet",
}
"""A file that sleeps all the same: the reason."""
LOOK_SECONDS = 0.2
"""Up to here it is a look at what is there, no wait."""
LIMITED = {"wait", "join", "result"}
"""Calls whose first argument is a time limit."""
SHORTEST_SECONDS = 60
"""A shorter time limit says how busy the machine is."""


def files() -> list[str]:
    """The tests, and what they are made of."""
    return [
        name
        for name in tracked(".py")
        if ("/tests/" in f"/{name}" or name.startswith("tests/"))
        and not NOT_TESTS.search(name)
        and name not in WAITS
    ]


def nodes(*kinds: type[ast.AST], holding: Iterable[str]) -> Iterator[tuple[str, ast.AST]]:
    """Every node of some kinds, with the file that it stands in.

    :param holding: files that have none of these words are not read.
    """
    for name in files():
        if not any(word in (text := text_of(name)) for word in holding):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, kinds):
                yield name, node


def called(node: ast.AST) -> str:
    """The dotted name that is called: `time.sleep`; empty for anything else."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def reads_clock(node: ast.AST) -> bool:
    """Whether a clock is read somewhere in an expression."""
    return any(
        called(each).rpartition(".")[2] in CLOCKS and called(each).startswith(("time.", *CLOCKS))
        for each in ast.walk(node)
    )


def orders_clocks(node: ast.AST) -> bool:
    """Whether a length of time is compared; a deadline, for what never comes, is another thing."""
    return (
        isinstance(node, ast.Compare)
        and all(isinstance(each, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for each in node.ops)
        and reads_clock(node)
        and not any("deadline" in ast.unparse(each) for each in node.comparators)
    )


def limits(call: ast.Call) -> Iterator[ast.expr]:
    """The time limits that a call is given."""
    yield from (each.value for each in call.keywords if each.arg == "timeout")
    if isinstance(call.func, ast.Attribute) and call.func.attr in LIMITED:
        yield from call.args[:1]


def told(found: list[str], instead: str) -> str:
    return "\n".join([*found, f"instead: {instead}"])


def test_nothing_sleeps():
    found = [
        f"{name}:{node.lineno}"
        for name, node in nodes(ast.Call, holding=["sleep"])
        if called(node) in {"time.sleep", "sleep"} and name not in SLEEPS
    ]
    assert not found, told(found, "weighhouse_testing.waits.until, for a state")


def test_no_clock_is_asserted():
    found = [
        f"{name}:{node.lineno}"
        for name, node in nodes(ast.Assert, holding=READ)
        if any(orders_clocks(each) for each in ast.walk(node.test))
    ]
    assert not found, told(found, "count what was done, or compare two clocks of the same event")


def test_no_time_is_taken_at_import():
    found = [
        f"{name}:{node.lineno}"
        for name in files()
        if TODAY.search(text := text_of(name)) or any(word in text for word in READ)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and node.value is not None
        and (reads_clock(node.value) or TODAY.search(ast.unparse(node)))
    ]
    assert not found, told(found, "a fixture or a function: a session lasts past midnight")


def test_limits_are_nets():
    """A limit that is shorter than any machine needs is a clock that is asserted."""
    found = [
        f"{name}:{limit.lineno}: {limit.value} s"
        for name, node in nodes(ast.Call, holding=["timeout", *LIMITED])
        for limit in limits(node)
        if isinstance(limit, ast.Constant)
        and isinstance(limit.value, int | float)
        and LOOK_SECONDS < limit.value < SHORTEST_SECONDS
    ]
    assert not found, told(found, f"{SHORTEST_SECONDS} or more, or until(…)")
    marked = [
        f"{name}:{node.lineno}"
        for name, node in nodes(ast.Call, holding=["mark.timeout"])
        if "mark.timeout" in called(node)
    ]
    assert not marked, told(marked, "the net of pyproject.toml, the same for all")


def test_what_is_shared_is_not_emptied():
    found = [
        f"{name}:{node.lineno}: {called(node)}"
        for name, node in nodes(ast.Call, holding=EMPTY)
        if called(node).rpartition(".")[2] in EMPTY and name not in EMPTIED
    ]
    assert not found, told(found, "a Redis of the test's own (own_redis), or keys of its own")


EMPTY = {"flushdb", "flushall"}
EMPTIED = {
    "tests/figures/test_refused.py": "a server of the test's own, which it measures",
    "tests/faults/test_kills.py": "the platform's own Redis; that it may be emptied is the promise",
    "tests/weighhouse_testing/fixtures.py": "here a module gets a database of its own",
    "backend/tests/app/test_limits.py": "a database of the module's own",
    "backend/tests/kit/test_rates.py": "a database of the module's own",
    "worker/tests/test_worker.py": "a database of the module's own",
}
"""A file that empties a Redis: whose it is."""


def test_temporary_files_lie_where_the_session_has_its_own():
    found = [
        f"{name}:{node.lineno}"
        for name, node in nodes(ast.Constant, holding=["/tmp/"])
        if isinstance(node.value, str)
        and re.match(r"/tmp/", node.value)
        and name != "tests/architecture/test_quiet.py"
    ]
    assert not found, told(found, "tmp_path, or tempfile, which follow TMPDIR")


def test_a_port_is_held_until_it_is_used():
    """A socket whose port is read has to listen, or to be kept, while that port is of use."""
    found = [
        f"{name}:{node.lineno}"
        for name, node in nodes(ast.FunctionDef, holding=["getsockname"])
        if re.search(r"\.bind\(.*, 0\)\)", text := ast.unparse(node))
        and re.search(r"return .*getsockname", text)
    ]
    assert not found, told(found, "free_port, which gives each port once on a machine")


def test_every_exception_is_needed():
    for name, reason in (SLEEPS | EMPTIED).items():
        assert name in files(), name
        assert reason, name


def test_no_process_outlives_a_block_that_fails() -> None:
    """`with Popen(…)` waits without end for a process that nobody ended: `testkit.children.child`
    ends it.
    """
    waiting = [
        f"{name}:{item.context_expr.lineno}"
        for name, node in nodes(ast.With, holding=["Popen("])
        if isinstance(node, ast.With)
        for item in node.items
        if called(item.context_expr).rpartition(".")[2] == "Popen"
    ]
    assert not waiting, waiting
