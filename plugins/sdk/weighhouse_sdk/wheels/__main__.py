"""`python -m weighhouse_sdk.wheels WHEEL…`: what each is, and the line that lets it be used."""

import sys
from pathlib import Path

from weighhouse_sdk.wheels.checked import CheckedWheel, WheelRefused, check_wheel

USAGE, REFUSED = 2, 4


def described(checked: CheckedWheel) -> list[str]:
    """A wheel in lines."""
    return [
        f"plugin   {checked.plugin} {checked.version} ({checked.distribution})",
        f"digest   {checked.digest}",
        *(f"driver   {name}, sha256 {digest}" for name, digest in checked.drivers.items()),
        f"works with SDK API {checked.api.sdk}, driver API {checked.api.driver}",
        "for the top of the agent's policy.toml, or into the list that stands there:",
        checked.policy_line,
    ]


def main(paths: list[str]) -> int:
    """:returns: exit status: 4 when one was refused."""
    if not paths:
        sys.stderr.write("usage: python -m weighhouse_sdk.wheels WHEEL…\n")
        return USAGE
    status = 0
    for path in paths:
        try:
            sys.stdout.write("\n".join(described(check_wheel(Path(path)))) + "\n")
        except (WheelRefused, OSError) as error:
            sys.stderr.write(f"{error}\n")
            status = REFUSED
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
