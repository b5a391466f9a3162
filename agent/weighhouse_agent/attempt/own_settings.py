"""Holds a target's settings beside its parameters against the policy of the machine."""

from fnmatch import fnmatchcase

from weighhouse_protocol.compatibility.settings import settings_errors
from weighhouse_protocol.configuration.tables import folded
from weighhouse_protocol.document_errors import did_you_mean
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_agent.machine.policy import LISTED, Policy, PolicyRefused


def check_settings(policy: Policy, target: Target, manifest: Manifest) -> None:
    """Refuse settings that `settings` of the policy does not allow, and those that the plugin here
    never takes, whatever the policy says.

    :raises PolicyRefused: naming the setting, and the key of the policy.
    """
    for error in settings_errors(target, manifest):
        raise PolicyRefused(f"{error.path} {error.message}", "leave it out: no policy allows it")
    table = manifest.settings
    for name in target.settings:
        listed = table is not None and table.is_taken(name)
        if (listed and LISTED in policy.settings) or _allowed(policy, manifest.id, name):
            continue
        hint = "" if table is None else did_you_mean(name, table.taken)
        why = "" if listed else f", which {manifest.name}'s plugin does not list{hint}"
        raise PolicyRefused(
            f"this machine's policy does not accept the setting `{name}`{why}; "
            f"settings: {', '.join(policy.settings) or 'none'}",
            "the operator of the machine may change `settings` in the agent's policy.toml, or let "
            "the run go to another agent",
        )


def _allowed(policy: Policy, system: str, name: str) -> bool:
    asked = folded(name)
    return any(
        plugin == system and fnmatchcase(asked, folded(pattern))
        for plugin, colon, pattern in (each.partition(":") for each in policy.settings)
        if colon
    )
