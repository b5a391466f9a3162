"""Firewall rules of one context, told from everybody else's by their names and comments.

They stand in the table `mangle`, where a packet that leaves is seen before any other table's rules
for it, so that a verdict of ours never skips a rule of somebody else's table.

What stays on this machine is marked where it leaves, for only there its sender is known, and lost
or held where it arrives, as a network does it. On the way out the sending socket would still answer
for it: it would be told of a loss at once, and have no more on its way than two packets (Linux's
TCP small queues).
"""

import hashlib
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine.network.ways import Tools, may_change_network
from weighhouse_sdk.wire import Address

TABLE = "mangle"
MARK = 0x74000000
"""With 24 bits of a rule set's name and one that says `to be dropped`, the mark of its packets."""
LOCK_SECONDS = "10"
"""How long another program may hold the lock of the firewall."""


@dataclass(frozen=True)
class RuleSet:
    """What happens to packets that leave this machine, or stay on it."""

    drops: Sequence[str] = ()
    """Matches: what is dropped."""
    sent: Sequence[str] = ()
    """Matches: what a node sends."""
    shaped: str | None = None
    """The class of traffic that this is put into; None: none."""
    treatment: Sequence[str] = ()
    """What is done with it then, in order; each may have a match of its own before its target."""


@dataclass(frozen=True)
class Rules:
    """The rules of one context.

    :param tools: iptables.
    :param digest: of the context; chains are named `wh-DIGEST-NAME`, and every rule bears the
        comment `weighhouse:DIGEST`.
    """

    tools: Tools
    digest: str

    def chain(self, name: str) -> str:
        """What the chain of a rule set is called."""
        return f"wh-{self.digest}-{name}"

    def put(self, name: str, rules: RuleSet) -> None:
        """Put a rule set in force, in place of one of the same name; at once or not at all.

        :raises DeployFailed: when iptables refuses.
        """
        chain, sent, dropped, inward = self._chains(name)
        tag = f"-m comment --comment weighhouse:{self.digest}"
        mark = int(hashlib.sha256(chain.encode()).hexdigest()[:6], 16) << 1 | MARK
        lines = [f":{each} - [0:0]" for each in self._chains(name)]
        lines += [f"-A {chain} {match} {tag} -g {dropped}" for match in rules.drops]
        lines += [f"-A {chain} {match} {tag} -g {sent}" for match in rules.sent]
        if rules.drops:
            lines += [
                f"-A {dropped} -o lo {tag} -j MARK --set-mark {mark | 1:#x}",
                f"-A {dropped} -o lo {tag} -j ACCEPT",
                f"-A {dropped} {tag} -j DROP",
                f"-A {inward} -m mark --mark {mark | 1:#x} {tag} -j DROP",
            ]
        if rules.shaped is not None:
            lines.append(f"-A {sent} {tag} -j CLASSIFY --set-class {rules.shaped}")
        lines.append(f"-A {sent} -o lo {tag} -j MARK --set-mark {mark:#x}")
        for step in rules.treatment:
            lines.append(f"-A {sent} ! -o lo {tag} {step}")
            lines.append(f"-A {inward} -m mark --mark {mark:#x} {tag} {step}")
        lines += self._jumps(name)
        lines += [f"-I OUTPUT 1 {tag} -j {chain}", f"-I INPUT 1 -i lo {tag} -j {inward}"]
        self._restore(lines)

    def class_of(self, name: str) -> str | None:
        """The class of traffic, as tc has it, that a rule set puts packets into; None: none."""
        begin = f"-A {self.chain(name)}-s "
        for line in self._table():
            if line.startswith(begin) and " --set-class " in line:
                major, minor = line.partition(" --set-class ")[2].split()[0].split(":")
                return f"{int(major, 16):x}:{int(minor, 16):x}"
        return None

    def names(self) -> tuple[str, ...]:
        """Of the rule sets that are in force, found by the names of their chains. Empty where
        there is no iptables.
        """
        prefix = self.chain("")
        names = (chain.removeprefix(prefix).partition("-")[0] for chain in self._found())
        return tuple(dict.fromkeys(names))

    def remove(self, name: str) -> None:
        """Take a rule set back. Idempotent.

        :raises DeployFailed: when iptables refuses.
        """
        found, jumps = self._found(), self._jumps(name)
        there = [each for each in self._chains(name) if each in found]
        if there or jumps:
            self._restore(
                [*jumps, *(f"-F {each}" for each in there), *(f"-X {each}" for each in there)]
            )

    def _chains(self, name: str) -> tuple[str, str, str, str]:
        """Of what leaves, of what the node sent of it, of what is dropped, of what arrives."""
        chain = self.chain(name)
        return chain, f"{chain}-s", f"{chain}-d", f"{chain}-i"

    def _jumps(self, name: str) -> list[str]:
        """Lines that take away what leads into a rule set."""
        ends = tuple(f" -j {each}" for each in self._chains(name))
        begins = ("-A OUTPUT ", "-A INPUT ")
        lines = (line for line in self._table() if line.startswith(begins) and line.endswith(ends))
        return [line.replace("-A", "-D", 1) for line in lines]

    def _found(self) -> list[str]:
        prefix = f":{self.chain('')}"
        lines = (line for line in self._table() if line.startswith(prefix))
        return [line.split()[0].removeprefix(":") for line in lines]

    def _table(self) -> list[str]:
        # Who may not change rules has made none, and may not even look at them.
        if not self.tools.has("iptables-save") or not may_change_network():
            return []
        # All tables, as asking for one by name would bring it into being.
        found, table = [], ""
        for line in self.tools.run("iptables-save").splitlines():
            table = line.removeprefix("*") if line.startswith("*") else table
            if table == TABLE:
                found.append(line)
        return found

    def _restore(self, lines: Sequence[str]) -> None:
        text = "\n".join([f"*{TABLE}", *lines, "COMMIT", ""])
        self.tools.run("iptables-restore", "--noflush", "--wait", LOCK_SECONDS, text=text)


def leaves(end: Address) -> str:
    """Matches what leaves an end; port 0: whatever leaves its address."""
    port = f" -p tcp --sport {end.port}" if end.port else ""
    return f"-s {end.host}{port}"


def goes_to(end: Address) -> str:
    """Matches what goes to an end; port 0: whatever goes to its address."""
    port = f" -p tcp --dport {end.port}" if end.port else ""
    return f"-d {end.host}{port}"


def numbered(end: Address) -> Address:
    """An end with its IPv4 address in numbers.

    :raises DeployFailed: for IPv6, and for names that mean nothing.
    """
    try:
        found = socket.getaddrinfo(end.host, None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError as error:
        raise DeployFailed(
            f"{end.host} has no IPv4 address, and network faults know no other: {error}",
            "let the agent's systems listen on an IPv4 address",
        ) from error
    return Address(str(found[0][4][0]), end.port)
