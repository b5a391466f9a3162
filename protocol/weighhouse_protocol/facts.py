"""What an agent knows of its machine, and what its local policy allows."""

import hashlib
import json

from pydantic import Field

from weighhouse_protocol.base import Name, Report


class MachineFacts(Report):
    """A machine, as its agent reports it; unknown values are None, never guessed."""

    hostname: str
    machine_id: str
    """Stable hash that tells machines apart; not the raw machine id."""
    cpu_model: str
    cores: int
    memory_bytes: int
    kernel: str
    operating_system: str
    architecture: str
    boot_id: str = ""
    cpu_governor: str | None = None
    simultaneous_multithreading: bool | None = None
    virtualisation: str | None = None
    clock_source: str | None = None
    swap_bytes: int | None = None
    cgroup_version: int | None = None
    cgroup_cpu_limit: float | None = None
    cgroup_memory_limit_bytes: int | None = None
    load_average_1m: float | None = None
    versions: dict[str, str] = Field(default_factory=dict)
    """Versions of what matters: agent, python, drivers."""

    def fingerprint(self) -> str:
        """Hash of what makes results of two machines comparable: CPU, memory, kernel, limits.

        Source of the idea: a change of environment begins a new segment of a series.
        """
        facts = self.model_dump(
            include={
                "cpu_model",
                "cores",
                "memory_bytes",
                "kernel",
                "architecture",
                "cpu_governor",
                "simultaneous_multithreading",
                "virtualisation",
                "cgroup_cpu_limit",
                "cgroup_memory_limit_bytes",
            }
        )
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class SlotStatement(Report):
    """What an agent gives to one attempt at a time."""

    name: Name = "machine"
    processors: tuple[int, ...] = ()
    """Numbers of the processors it has for itself; none: all of the machine's."""
    memory_mebibytes: int | None = None


class PolicyStatement(Report):
    """What the agent's local policy file allows, told to the server so that people can see it."""

    plugins: tuple[str, ...] = ("*",)
    networks: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    deployments: tuple[str, ...] = ("process", "in_process")
    max_run_seconds: float = 86_400.0
    max_rate_per_second: float | None = None
    max_clients: int | None = None
    address: str = "127.0.0.1"
    """Where peers of a gang reach servers on this machine."""
    slots: tuple[SlotStatement, ...] = (SlotStatement(),)
