"""The process of one attempt: `python -m weighhouse_agent.attempt.process DIRECTORY`.

Reads the order, checks it against the machine's policy, carries it out, writes the outcome, ends.
It never talks to the network but to the system under test, so that an agent that is killed costs
it nothing. One signal asks it to stop in good order (SIGUSR1, the reason lies in `stop.json`), one
to be quick about it (SIGTERM).
"""

import fcntl
import importlib.metadata
import os
import platform
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from pydantic import BaseModel, ConfigDict, ValidationError
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import Completion, Failure, FailureKind
from weighhouse_protocol.text import AS_KEPT, mended_json
from weighhouse_sdk.clock import VARIABLE, SystemClock
from weighhouse_sdk.context import Cancel, Context, HostOptions
from weighhouse_sdk.errors import Cancelled, PluginBroken, PluginError, PluginMissing
from weighhouse_sdk.machine.procfs import boot_id, process_stat
from weighhouse_sdk.registry import load_plugin, load_tool

from weighhouse_agent import VERSION
from weighhouse_agent.attempt.barriers import BarrierFiles, Gate
from weighhouse_agent.attempt.caches import check_caches
from weighhouse_agent.attempt.credentials import credentials_for
from weighhouse_agent.attempt.event_log import Reporter
from weighhouse_agent.attempt.execution import Execution
from weighhouse_agent.attempt.external_writes import check_writes
from weighhouse_agent.attempt.files_kept import keep_what_they_wrote
from weighhouse_agent.attempt.gang_member import GangExecution
from weighhouse_agent.attempt.gangs import (
    check_peers,
    is_gang,
    makes_load,
    options_among_peers,
    own_member,
)
from weighhouse_agent.attempt.own_settings import check_settings
from weighhouse_agent.delivery.spool import SpoolWriter
from weighhouse_agent.machine.clock import clock_of
from weighhouse_agent.machine.disk_space import write_essential
from weighhouse_agent.machine.facts import machine_facts
from weighhouse_agent.machine.home import (
    SECRET,
    AttemptDirectory,
    make_passable,
    read_text,
    write_atomically,
)
from weighhouse_agent.machine.kept_data import kept_for
from weighhouse_agent.machine.policy import PolicyFile, PolicyRefused, check_image, check_order
from weighhouse_agent.machine.slots import join_memory_group
from weighhouse_agent.machine.third_parties import admitted_by

CARRIED_OUT = 0
NOT_CLEAN = 1
TAKEN = 75
"""Exit status: another process carries this attempt out."""
QUICK_STOP_SECONDS = 2.0
TRACE_LINES = 20


class StopRequest(BaseModel):
    """Why an attempt is to stop: `stop.json`."""

    model_config = ConfigDict(frozen=True)

    kind: FailureKind
    """`cancelled` makes the attempt cancelled; anything else makes it failed."""
    message: str
    hint: str = ""


class Record(BaseModel):
    """Which process carries an attempt out: `process.json`."""

    model_config = ConfigDict(frozen=True)

    pid: int
    start_ticks: int
    boot_id: str


class Hurry(BaseException):
    """SIGTERM: leave whatever you are at."""


def own_record() -> Record:
    """Of this process."""
    stat = process_stat(os.getpid())
    if stat is None:
        raise RuntimeError("/proc does not know this process")
    return Record(pid=stat.pid, start_ticks=stat.start_ticks, boot_id=boot_id())


@contextmanager
def held(directory: AttemptDirectory) -> Iterator[bool]:
    """Hold the attempt, and put this process on record; yields False when another has it."""
    descriptor = os.open(directory.lock, os.O_RDWR | os.O_CREAT, SECRET)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        write_atomically(directory.process, own_record().model_dump_json())
        yield True
    finally:
        os.close(descriptor)


def stop_request(directory: AttemptDirectory) -> StopRequest | None:
    """Why the attempt is to stop; None when nobody asked."""
    text = read_text(directory.request)
    try:
        return None if text is None else StopRequest.model_validate_json(text)
    except ValidationError:
        return StopRequest(kind="infrastructure", message="stopped; the reason was not readable")


def carry_out(directory: AttemptDirectory) -> Completion | None:
    """Carry an attempt out, from its order to its outcome.

    :returns: the outcome, which is on disk too; None when this attempt was begun before: it is
        never done twice.
    """
    order = AttemptOrder.model_validate_json(
        directory.order.read_text(encoding="utf-8"), context=AS_KEPT
    )
    clock = clock_of(directory)
    os.environ[VARIABLE] = str(clock.anchor_us)
    try:
        spool = SpoolWriter(directory.spool, clock)
    except FileExistsError:
        return None
    cancel = Cancel()
    _obey_signals(directory, cancel)
    failure = _failure_of(order, directory, spool, cancel, clock)
    spool.close()
    outcome = "completed" if failure is None else "failed"
    if failure is not None and failure.kind == "cancelled":
        outcome = "cancelled"
    completion = Completion.model_validate(
        {"fence": order.fence, "outcome": outcome, "failure": failure, "events_count": spool.count}
    )
    write_essential(directory.home, directory.outcome, mended_json(completion))
    return completion


def _failure_of(
    order: AttemptOrder,
    directory: AttemptDirectory,
    spool: SpoolWriter,
    cancel: Cancel,
    clock: SystemClock,
) -> Failure | None:
    """Do it all; what went wrong comes back as a document, whatever it was."""
    execution: Execution | None = None
    failure: Failure | None = None
    quick = False
    try:
        policy = PolicyFile(directory.home.policy).read()
        target, hosts = check_order(policy, order)
        check_peers(policy, order)
        check_writes(policy, order)
        check_caches(policy, order)
        slot = policy.slot(order.slot)
        _stay_on(policy.machine.agent_cpus or slot.processors)
        if unkept := join_memory_group(directory.home.path, slot, os.getpid()):
            Reporter(spool).mark("slot_unkept", unkept)
        admit = admitted_by(lambda: policy)
        plugin = load_plugin(target.system, admit)
        check_image(policy, target, plugin.manifest)
        check_settings(policy, target, plugin.manifest)
        options = replace(
            policy.host_options(slot.name), credentials=credentials_for(policy, target)
        )
        context = Context.open(
            target,
            directory.system,
            log_directory=directory.logs,
            file_directory=directory.files,
            limit_seconds=order.limit_seconds,
            options=options_among_peers(policy, order, options),
            hosts=hosts,
            own_nodes=own_member(order).nodes if is_gang(order) else None,
            cancel=cancel,
            clock=clock,
        )
        taking_part = versions(target.system) | (versions(target.tool) if target.tool else {})
        facts = machine_facts(
            directory.home.instance_id(), taking_part, directory=directory.home.path
        )
        tool = load_tool(target.tool, admit) if target.tool and makes_load(order) else None
        if is_gang(order):
            gate = Gate(BarrierFiles(directory), context)
            execution = GangExecution(
                order, target, plugin, policy, context, spool, facts, tool, gate=gate
            )
        else:
            kept = kept_for(directory.home, order)
            execution = Execution(
                order, target, plugin, policy, context, spool, facts, tool, kept=kept
            )
        execution.run()
    except Cancelled:
        failure = _cancelled(directory)
    except PluginError as error:
        failure = error.failure()
    except Hurry:
        failure = _cancelled(directory)
        quick = True
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
        failure = _fault(error)
    if execution is None:
        return failure
    if quick:
        execution.hurry(QUICK_STOP_SECONDS)
    return _torn_down(execution, failure)


def _torn_down(execution: Execution, failure: Failure | None) -> Failure | None:
    """Tear down; its own trouble counts only when nothing else went wrong."""
    try:
        execution.tear_down()
    except PluginError as error:
        return failure or error.failure()
    except Hurry:
        return failure or Failure(
            kind="infrastructure",
            message="the teardown was ended before it was done",
            hint="the agent removes what is left; see its log",
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
        return failure or _fault(error)
    return failure


def _cancelled(directory: AttemptDirectory) -> Failure:
    asked = stop_request(directory)
    if asked is None:
        return Failure(kind="infrastructure", message="the attempt's process was told to end")
    return Failure(kind=asked.kind, message=asked.message, hint=asked.hint)


def _fault(error: Exception) -> Failure:
    lines = "".join(traceback.format_exception(error)).splitlines()
    print("\n".join(lines), file=sys.stderr, flush=True)  # noqa: T201 - the attempt's log
    return Failure(
        kind="infrastructure",
        message=f"a fault of the agent or the plugin: {error!r}",
        hint="the log `attempt` has the whole story; please report it",
        log_lines=tuple(lines[-TRACE_LINES:]),
    )


def ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing. Unlike SIG_IGN, a program started from here does not inherit it."""


def _obey_signals(directory: AttemptDirectory, cancel: Cancel) -> None:
    def stop(_number: int, _frame: FrameType | None) -> None:
        cancel.cancel()

    def hurry(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, ignore)
        raise Hurry

    signal.signal(signal.SIGINT, ignore)
    signal.signal(signal.SIGUSR1, stop)
    signal.signal(signal.SIGTERM, hurry)
    if directory.request.exists():  # asked before anybody listened
        cancel.cancel()


def _stay_on(cpus: frozenset[int]) -> None:
    """Leave the other processors to what is measured."""
    usable = cpus & os.sched_getaffinity(0)
    if usable:
        os.sched_setaffinity(0, usable)


def versions(plugin_id: str) -> dict[str, str]:
    """Versions of what takes part: agent, Python, plugin."""
    found = {"agent": VERSION, "python": platform.python_version()}
    for entry in importlib.metadata.entry_points(group="weighhouse.plugins", name=plugin_id):
        if entry.dist is not None:
            found[f"plugin {plugin_id}"] = entry.dist.version
    return found


def clean(directory: AttemptDirectory) -> int:
    """Remove what an attempt left that died: its processes, containers and the like, its
    data, and nothing else. Files of its tool and system are kept as of one that ended by itself.

    :returns: exit status.
    """
    order = AttemptOrder.model_validate_json(
        directory.order.read_text(encoding="utf-8"), context=AS_KEPT
    )
    context = context_left(order, directory)
    try:
        admit = admitted_by(PolicyFile(directory.home.policy).read)
        plugin = load_plugin(order.target.system, admit)
        ended = keep_what_they_wrote(plugin, context) + plugin.clean_up(context).ended
    except (PluginMissing, PluginBroken, PolicyRefused):
        # The records are the SDK's, so that even this needs no plugin.
        ended = context.remove_leftovers()
    for each in ended:
        print(f"removed: {each}", file=sys.stderr)  # noqa: T201 - its log
    return CARRIED_OUT


def context_left(order: AttemptOrder, directory: AttemptDirectory) -> Context:
    """The context of an attempt that is over, to look for what it left."""
    return Context.open(
        order.target,
        directory.system,
        log_directory=directory.logs,
        file_directory=directory.files,
        options=_options(directory),
    )


def _options(directory: AttemptDirectory) -> HostOptions:
    try:
        return PolicyFile(directory.home.policy).read().host_options()
    except PolicyRefused:
        return HostOptions()


def attempt_process(directory: AttemptDirectory, recorded: Callable[[], None] | None = None) -> int:
    """All that the process does.

    :param recorded: called once this process is on record.
    :returns: exit status.
    """
    with held(directory) as mine:
        if not mine:
            return TAKEN
        if recorded is not None:
            recorded()
        done = carry_out(directory)
    return CARRIED_OUT if done is not None else NOT_CLEAN


if __name__ == "__main__":
    make_passable(AttemptDirectory(Path(sys.argv[1]).absolute()).logs)
    sys.exit(attempt_process(AttemptDirectory(Path(sys.argv[1]).absolute())))
