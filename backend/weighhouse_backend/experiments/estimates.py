"""How long a run takes, before anyone has measured it, and how long it may take. Pure."""

from weighhouse_protocol.compatibility.driver_memory import kept_bytes
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import Phase
from weighhouse_protocol.workload import Workload

DEPLOY_SECONDS = 1.0
"""Start of a server and its readiness, at the quick end; finished runs correct the estimate."""
COLLECT_SECONDS = 0.5
LOAD_RECORDS_PER_SECOND = 20_000
"""What a few clients load into one node on an ordinary machine."""
LOAD_BYTES_PER_SECOND = 200 * 2**20
"""The same of large records, over the loopback interface or 2 Gbit/s."""

OPERATIONS_PER_SECOND = 10_000
"""What a few clients do on one node, in a closed loop."""

LIMIT_BASE_SECONDS = 300.0
RESTART_SECONDS = 1200.0
"""An orderly end that writes all records down, and a start that reads them."""
SLOWEST_LOAD_RECORDS_PER_SECOND = 500
"""Every write synced to a slow disk; a slower load counts as hung."""
SLOWEST_LOAD_BYTES_PER_SECOND = 5 * 2**20
"""The same of large records, over 100 Mbit/s."""
LIMIT_FACTOR = 1.5


def loaded_records(workload: Workload) -> int:
    """Records the load phase inserts."""
    if workload.insert_count is not None:
        return workload.insert_count
    return workload.record_count - workload.insert_start


def loaded_bytes(workload: Workload) -> int:
    """Bytes of values that the load phase writes, on the average where their lengths are drawn."""
    return loaded_records(workload) * workload.record_bytes


def driver_bytes(experiment: Experiment) -> int:
    """The most that a load of an experiment has of requests and replies in memory at once, bytes;
    of several driver machines all of them together.
    """
    loading = (Phase(kind="load", clients=experiment.phases.load_clients),)
    return max(
        kept_bytes(workload, load, loading)
        for workload in experiment.workloads
        for _, load in experiment.loads
    )


def measured_seconds(experiment: Experiment, workload: Workload) -> float:
    """Expected length of the measured phase, in seconds: its limit, or less where a number of
    operations ends it.
    """
    phases = experiment.phases.under(workload.name)
    if phases.measure_operations is None:
        return phases.measure_seconds
    rates = [load.rate_per_second for _, load in experiment.loads if load.model == "open"]
    rate = min([*rates, OPERATIONS_PER_SECOND])
    return min(phases.measure_seconds, phases.measure_operations / rate)


def run_seconds(experiment: Experiment, workload: Workload) -> float:
    """Expected length of one run of a workload, in seconds, from deployment to collection; of a
    run that follows in a chain, of its phases alone.
    """
    phases = experiment.phases.under(workload.name).warmup_seconds
    phases += measured_seconds(experiment, workload)
    if experiment.phases.before(workload.name):
        return phases + COLLECT_SECONDS
    loading = _loading(workload, LOAD_RECORDS_PER_SECOND, LOAD_BYTES_PER_SECOND)
    return DEPLOY_SECONDS + loading + phases + COLLECT_SECONDS


def _loading(workload: Workload, records_per_second: int, bytes_per_second: int) -> float:
    """How long a load takes, in seconds: of small records their number decides, of large ones their
    bytes.
    """
    by_number = loaded_records(workload) / records_per_second
    return max(by_number, loaded_bytes(workload) / bytes_per_second)


def limit_seconds(experiment: Experiment, workload: Workload) -> float:
    """Length after which a run counts as hung, in seconds; a chain is one."""
    courses = [experiment.phases.under(link.measure) for link in experiment.phases.chain]
    measured = sum(
        course.warmup_seconds + course.measure_seconds for course in courses or [experiment.phases]
    )
    cold = any(target.caches not in (None, "warm") for target in experiment.targets)
    return (
        LIMIT_BASE_SECONDS
        + (RESTART_SECONDS if cold else 0)
        + _loading(workload, SLOWEST_LOAD_RECORDS_PER_SECOND, SLOWEST_LOAD_BYTES_PER_SECOND)
        + measured * LIMIT_FACTOR
    )


def campaign_seconds(experiment: Experiment) -> float:
    """Expected length of a campaign on one agent, in seconds; with a rule of repetitions, of one
    in which everything is decided at the first look.
    """
    return experiment.first_repetitions * repetition_seconds(experiment)


def most_campaign_seconds(experiment: Experiment) -> float:
    """The same of a campaign in which no cell is decided before its time."""
    share = experiment.most_runs_count / experiment.runs_count
    return campaign_seconds(experiment) * share


def again_seconds(experiment: Experiment) -> float:
    """The same of a second measurement in which every cell seems worse; 0 where there is none."""
    return campaign_seconds(experiment) if experiment.again_runs_count else 0.0


def repetition_seconds(experiment: Experiment) -> float:
    """Expected length of one repetition of all cells, in seconds."""
    return experiment.twins * sum(
        experiment.cells_under(place) * run_seconds(experiment, workload)
        for place, workload in enumerate(experiment.workloads)
    )
