"""Whose plugins this machine loads: those of its own release, and of others the very bytes that its
policy names.

Of the release are those that were installed from `plugins/` beside the folder that the agent was
installed from (in a clone, in an image), and of an agent from a wheel those whose digests came with
it. All that is asked here is asked before a line of a plugin is imported.
"""

import json
from collections.abc import Callable, Mapping
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from weighhouse_sdk.driver import PREFIX
from weighhouse_sdk.errors import BinaryMissing
from weighhouse_sdk.machine.program_identity import digest_of
from weighhouse_sdk.machine.programs import locate_program
from weighhouse_sdk.registry import Admit, package_of
from weighhouse_sdk.wheels.checked import policy_line
from weighhouse_sdk.wheels.digests import digest_installed, drivers_of

from weighhouse_agent.machine.policy import Policy, PolicyRefused

AGENT = "weighhouse-agent"
RELEASE = "release_plugins.json"
"""Beside the agent's code in its wheel: distribution → digest, of the plugins of its release."""
SHOWN = 12
"""Digits of a digest that people compare."""
AFTERWARDS = ", and start the agent anew"


def admitted_by(policy: Callable[[], Policy]) -> Admit:
    """What lets plugins pass on this machine.

    :param policy: the policy, as it is when asked; raises `PolicyRefused` while it is not valid.
    """
    return lambda entry: check_origin(policy, entry)


def check_origin(policy: Callable[[], Policy], entry: EntryPoint) -> None:
    """Hold a plugin against the release, and one that is not of it against the policy.

    :raises PolicyRefused: when it is not of the release, and the policy does not name its digest;
        with the line that would.
    """
    found = entry.dist
    if found is None or _is_beside_the_agent(found):
        return
    named = f"plugin `{entry.name}` {found.version} ({found.name})"
    package = package_of(entry)
    if package is None:
        raise PolicyRefused(f"{named} is no package", "whoever wrote it puts it into a folder")
    try:
        digest = digest_installed(found, package).digest
    except OSError as error:
        raise PolicyRefused(
            f"{named}: a file that was installed cannot be read: {error.strerror}",
            "install the package again",
        ) from error
    if of_release().get(found.name) == digest:
        return
    if _origin(found) is not None:
        raise PolicyRefused(
            f"{named} is not of this agent's release, and is installed in place: it has no digest "
            "that stays",
            "build its wheel, and install that",
        )
    _check_named(policy(), entry.name, named, digest)
    _check_drivers(entry.name, found, named)


def of_release() -> Mapping[str, str]:
    """Distribution → digest, of the plugins that were released with this agent; none, where it was
    not installed from a wheel of a release.
    """
    try:
        told = json.loads((files("weighhouse_agent") / RELEASE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return {str(name): str(digest) for name, digest in told.items()}


def _check_named(policy: Policy, plugin: str, named: str, digest: str) -> None:
    line = policy_line(plugin, digest)
    allowed = [
        each.partition(":")[2] for each in policy.third_party if each.startswith(f"{plugin}:")
    ]
    if digest in allowed:
        return
    if not allowed:
        raise PolicyRefused(
            f"{named} is not of this agent's release, and `third_party` of this machine's policy "
            "does not name it",
            f"the operator may write into the agent's policy.toml: {line}{AFTERWARDS}",
        )
    shown = ", ".join(f"{each[:SHOWN]}…" for each in allowed)
    raise PolicyRefused(
        f"{named} has the digest {digest[:SHOWN]}…, and `third_party` of this machine's policy "
        f"allows {shown}",
        "install the wheel that was checked; where this one is meant, `weighhouse plugin check` "
        f"says the same of its wheel: {line}{AFTERWARDS}",
    )


def _check_drivers(plugin: str, found: Distribution, named: str) -> None:
    """Of a plugin of others: it brings its own driver alone, and that is what would be started."""
    for name, path in drivers_of(found).items():
        if name != f"{PREFIX}{plugin}":
            raise PolicyRefused(
                f"{named} brings `{name}`, which is not its own driver", "uninstall the package"
            )
        try:
            started = digest_of(locate_program(name))
        except (BinaryMissing, OSError):
            started = ""
        if started != digest_of(path):
            raise PolicyRefused(
                f"{named}: another `{name}` than the one that it brought would be started",
                "remove the other from $WEIGHHOUSE_DRIVERS, $CARGO_TARGET_DIR or PATH",
            )


def _is_beside_the_agent(found: Distribution) -> bool:
    """Whether both were installed from one clone, or a copy of it."""
    try:
        own = _origin(distribution(AGENT))
    except PackageNotFoundError:
        return False
    its = _origin(found)
    if own is None or its is None:
        return False
    return its.is_relative_to(own.parent / "plugins") or its.is_relative_to(own)


def _origin(found: Distribution) -> PurePosixPath | None:
    """The folder that a distribution was installed from (PEP 610); None: it was a wheel."""
    try:
        told: Any = json.loads(found.read_text("direct_url.json") or "{}")
        if "dir_info" not in told:
            return None
        parts = urlsplit(str(told["url"]))
        return PurePosixPath(unquote(parts.path)) if parts.scheme == "file" else None
    except (ValueError, TypeError, KeyError):
        return None
