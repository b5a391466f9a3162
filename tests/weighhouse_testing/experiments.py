"""Small experiments for tests: real systems, short phases."""

from typing import Any

import yaml

RECORDS = 1000


def small_experiment(
    slug: str,
    *systems: str,
    repetitions: int = 2,
    clients: tuple[int, ...] = (2,),
    measure_seconds: float = 0.6,
    parameters: dict[str, Any] | None = None,
    operations: dict[str, float] | None = None,
    think_time_us: int = 2000,
    records: int = RECORDS,
) -> str:
    """An experiment as YAML: one workload, one repetition a second or two.

    :param systems: default: Redis alone; RocksDB runs in the driver's process.
    :param parameters: of every target.
    :param operations: weights; default: half reads, half updates.
    :param think_time_us: of each client; 0: it asks as fast as it is answered, and a processor is
        kept busy with that.
    """
    document: dict[str, Any] = {
        "version": 1,
        "slug": slug,
        "name": slug.replace("-", " ").capitalize(),
        "targets": [
            {
                "name": system,
                "system": system,
                "deployment": "in_process" if system == "rocksdb" else "process",
                "parameters": parameters or {},
            }
            for system in systems or ("redis",)
        ],
        "workloads": [
            {
                "name": "balanced",
                "record_count": records,
                "operations": operations or {"read": 0.5, "update": 0.5},
                "request_distribution": "zipfian",
            }
        ],
        "load_levels": [
            {"model": "closed", "clients": number}
            | ({"think_time_us": think_time_us} if think_time_us else {})
            for number in clients
        ],
        "repetitions": repetitions,
        "phases": {
            "load_clients": 4,
            "warmup_seconds": 0.2,
            "measure_seconds": measure_seconds,
            "interval_seconds": 0.2,
        },
    }
    return str(yaml.safe_dump(document, sort_keys=False))
