"""Asks the kernel, as another account, which of some paths that account may not use.

Run by root as `python -I looker.py USER` with a JSON list of [path, mode] on its input, a mode as
`os.access` has it; prints the places in the list of those that are refused. Needs nothing but the
standard library: rules of mode bits, groups, access control lists and mounts are the kernel's.
"""

import json
import os
import pwd
import sys


def main(name: str) -> None:
    """Become the account, look, tell."""
    asked = json.load(sys.stdin)
    user = pwd.getpwnam(name)
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    refused = [place for place, (path, mode) in enumerate(asked) if not os.access(path, mode)]
    json.dump(refused, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
