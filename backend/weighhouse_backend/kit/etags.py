"""Entity tags: nobody overwrites what they have not seen."""

from weighhouse_backend.kit.problems import Problem


class Changed(Problem):
    """Somebody else changed it meanwhile."""

    status = 412
    slug = "changed-meanwhile"
    title = "It was changed meanwhile"


def etag(version: int | str) -> str:
    """The tag of a version."""
    return f'"{version}"'


def require_match(if_match: str | None, current: str) -> None:
    """:raises Changed: when a tag was sent and is not the current one."""
    if if_match is not None and if_match not in {"*", current}:
        raise Changed(
            f"you edited {if_match}, it is {current} now; look at the change, then save again"
        )
