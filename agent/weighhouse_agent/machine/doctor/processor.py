"""Processor: frequency, sharing, mitigations, and who else has it."""

from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.percent import percent

from weighhouse_agent.machine.doctor.diagnosis import (
    Diagnosis,
    advice,
    container,
    fine,
    unknown,
    warning,
)

STEADY_GOVERNORS = ("performance",)
STOLEN_PERCENT, MUCH_STOLEN_PERCENT = 0.5, 2.0
BUSY_SHARE = 0.5
"""Of the cores: a load average above it is somebody else's work."""

PINNED = (
    "cpuManagerPolicy: static in the kubelet's configuration, then a pod anew",
    "whole processors (chart weighhouse-agents: pools[].processors)",
)
"""What gives a pod processors of its own."""
OWN_PROCESSORS = {
    "kubernetes": PINNED,
    "docker": ("whole processors in place of a share: --cpuset-cpus=0-3, without --cpus",),
    "podman": ("whole processors in place of a share: --cpuset-cpus=0-3, without --cpus",),
    None: (
        "systemctl set-property weighhouse-agent CPUQuota=",
        "or a cpuset of whole processors: systemctl set-property weighhouse-agent AllowedCPUs=0-3",
    ),
}
"""The same, by whose container the agent is in."""


def governor(facts: MachineFacts) -> Diagnosis:
    """How the frequency follows the load."""
    name, found = "governor", facts.cpu_governor
    if found is None:
        return unknown(name, "the machine has no control of frequency, or its hypervisor has it")
    if found in STEADY_GOVERNORS:
        return fine(name, found)
    return warning(
        name, found,
        "the frequency follows the load: light load is measured on a slower processor than heavy"
        " load, and latencies include the way up",
        "cpupower frequency-set -g performance",
        "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
    )  # fmt: skip


def turbo(facts: MachineFacts) -> Diagnosis:
    """Frequencies above the nominal one."""
    name = "turbo"
    if facts.turbo is None:
        return unknown(
            name, "neither intel_pstate nor cpufreq tells; on a virtual machine the host"
        )
    if not facts.turbo:
        return fine(name, "off")
    return advice(
        name, "on",
        "how fast cores are depends on how many are busy and how warm they are, so that runs spread"
        " and a loaded side looks slower; leave it on only if production has it and runs are many",
        "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo   # Intel",
        "echo 0 > /sys/devices/system/cpu/cpufreq/boost           # others",
    )  # fmt: skip


def multithreading(facts: MachineFacts) -> Diagnosis:
    """Two hardware threads a core."""
    name, found = "smt", facts.simultaneous_multithreading
    if found is None:
        return unknown(name, "the kernel does not tell")
    if not found:
        return fine(name, "off")
    return advice(
        name, "on",
        "driver and system may get the two threads of one core, and slow each other down by chance",
        "echo off > /sys/devices/system/cpu/smt/control",
        "or in policy.toml: server_cpus and driver_cpus that share no core"
        " (lscpu --extended=CPU,CORE)",
    )  # fmt: skip


def numa(facts: MachineFacts) -> Diagnosis:
    """Memory that is nearer to some cores than to others."""
    name, nodes = "numa", facts.numa_nodes
    if nodes is None:
        return unknown(name, "the kernel does not tell")
    if nodes == 1:
        return fine(name, "one node")
    balanced = ", balanced by the kernel" if facts.numa_balancing else ""
    stop = ("sysctl -w kernel.numa_balancing=0",) if facts.numa_balancing else ()
    return advice(
        name, f"{nodes} nodes{balanced}",
        "memory on another node is slower; where it lies changes from run to run",
        "in policy.toml: server_cpus of one node (lscpu | grep NUMA)",
        *stop,
    )  # fmt: skip


def mitigations(facts: MachineFacts) -> Diagnosis:
    """What the kernel does about the processor's faults."""
    name, found = "mitigations", facts.mitigations
    if found is None:
        return unknown(name, "the kernel does not tell")
    if not found:
        return fine(name, "none needed")
    open_ones = [fault for fault, state in found.items() if state.startswith("Vulnerable")]
    on = len(found) - len(open_ones)
    if not open_ones:
        return fine(
            name, f"{on} on", "system calls cost more than without; so they do in production"
        )
    return advice(
        name, f"{on} on, {len(open_ones)} not: {', '.join(open_ones)}",
        "machines that differ in this differ in the cost of system calls: compare figures of the"
        " same setting, and of the one that production has",
        "cat /proc/cmdline   # mitigations=off or auto; change it in the boot loader",
        "update the processor's microcode, on a virtual machine the host's",
    )  # fmt: skip


def steal(facts: MachineFacts) -> Diagnosis:
    """Processor time that a hypervisor gave to others."""
    name, share = "steal", facts.steal_percent
    if share is None:
        return unknown(name, "/proc/stat has no such column")
    found = f"{percent(share / 100, 2)} since boot"
    if share < STOLEN_PERCENT:
        return fine(name, found)
    why = "others got processor time that was asked for here; latencies contain the gaps"
    change = (
        "a machine, or a kind of instance, with processors of its own",
        "fewer virtual processors on the host than it has cores",
    )
    if share < MUCH_STOLEN_PERCENT:
        return advice(name, found, why, *change)
    return warning(name, found, why, *change)


def virtualisation(facts: MachineFacts) -> Diagnosis:
    """Whether this is a machine of its own."""
    name, found = "virtualisation", facts.virtualisation
    if found is None:
        return fine(name, "no sign of any")
    return advice(
        name, found,
        "clock, disk and network go through a layer that other guests share: compare within this"
        " machine, and read absolute figures with care",
        "measure what counts on a machine of its own",
    )  # fmt: skip


def control_group(facts: MachineFacts) -> Diagnosis:
    """Limits that the agent itself is under."""
    name = "limits"
    if facts.cgroup_version is None:
        return unknown(name, "no control groups are mounted")
    if facts.cgroup_cpu_limit is None:
        return fine(name, "no limit of processors")
    if facts.processors is not None and facts.cgroup_cpu_limit >= facts.processors:
        return fine(name, f"{facts.cgroup_cpu_limit:g} processors, all that it is kept to")
    return warning(
        name, f"{facts.cgroup_cpu_limit:g} processors of {facts.cores}",
        "once the share of a period (100 ms) is used up all stands still until the next one begins:"
        " pauses that no system under test makes",
        *OWN_PROCESSORS[container(facts)],
    )  # fmt: skip


def pod(facts: MachineFacts) -> Diagnosis:
    """What a cluster promises the pod that the agent is in."""
    name = "pod"
    if facts.guaranteed is None and container(facts) != "kubernetes":
        return fine(name, "in none")
    if facts.guaranteed is None:
        return unknown(name, "the pod does not say what it asks for")
    if not facts.guaranteed:
        return warning(
            name, "not of the class Guaranteed",
            "it asks for less than it may use: the rest is lent, and taken back when neighbours on"
            " the node want it, in the middle of a run",
            "requests equal to limits, of every container (chart weighhouse-agents: by itself)",
        )  # fmt: skip
    if facts.processors is None:
        return warning(
            name, f"Guaranteed, on any of {facts.cores} processors",
            "it shares all processors with the node's other pods and moves between them, and its"
            " quota makes all stand still when it is used up",
            *PINNED,
        )  # fmt: skip
    return fine(name, f"Guaranteed, {facts.processors} processors of its own")


def load(facts: MachineFacts) -> Diagnosis:
    """What runs here besides; told while nothing is measured."""
    name, found = "load", facts.load_average_1m
    if found is None:
        return unknown(name, "the kernel does not tell")
    words = f"load average {found:.2f} on {facts.cores} cores"
    if found <= BUSY_SHARE * facts.cores:
        return fine(name, words)
    return warning(
        name, words,
        "something else is at work; it takes processor time from driver and system",
        "top   # and stop it, or wait until it is done",
    )  # fmt: skip
