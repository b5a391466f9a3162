"""Whatever goes on beside what is asked for is supervised: nothing ends unseen."""

import ast

from weighhouse_testing.tree import text_of, tracked

PARTS = ("agent/weighhouse_agent/", "backend/weighhouse_backend/", "cli/weighhouse_cli/",
         "worker/weighhouse_worker/", "judging/", "protocol/")  # fmt: skip
STARTS = {"create_task", "ensure_future", "Thread", "start_new_thread", "Timer"}
SUPERVISED = {
    "backend/weighhouse_backend/kit/background.py": "begins again what ends, and tells it",
    "backend/weighhouse_backend/kit/subscriptions.py": "waits for both where it begins them",
    "backend/weighhouse_backend/campaigns/shared_reads.py": "who waits is told what it raises",
    "backend/weighhouse_backend/exports/spool.py": "whoever reads what it writes is told its end",
    "agent/weighhouse_agent/supervisor/threads.py": "begins again what fails, and tells it",
    "agent/weighhouse_agent/supervisor/program.py": "a slot's end ends the program, with a status",
    "agent/weighhouse_agent/attempt/sampler.py": "what it cannot keep fails the run's events, too",
    "agent/weighhouse_agent/attempt/faults.py": "a failure of its is kept, and fails the run",
    "cli/weighhouse_cli/embedded/supervisor.py": "goes on whatever one look raises, and tells it",
    "cli/weighhouse_cli/embedded/reload.py": "looks at files of a developer's platform alone",
    "cli/weighhouse_cli/commands/platform.py": "ends the command when its parent has ended",
}
"""Where tasks and threads begin: who sees that one ends."""


def starts() -> dict[str, int]:
    """File → the first line in which a task or thread begins."""
    return {
        name: node.lineno
        for name in tracked(".py")
        if name.startswith(PARTS) and "/tests/" not in name
        for node in ast.walk(ast.parse(text_of(name)))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in STARTS
    }


def test_what_goes_on_by_itself_is_supervised() -> None:
    found = [f"{name}:{line}" for name, line in starts().items() if name not in SUPERVISED]
    assert not found, "\n".join(
        [*found, "instead: kit/background.py, or the agent's supervisor/threads.py"]
    )


def test_every_exception_is_needed() -> None:
    assert set(SUPERVISED) == set(starts())
