"""Entity tags: nobody overwrites what they have not seen."""

from weighhouse_backend.kit.problems import Problem


class Changed(Problem, status=412, slug="changed-meanwhile", title="It was changed meanwhile"):
    """Somebody else changed it meanwhile."""


ASK_AGAIN = "private, no-cache"
"""`Cache-Control` of what needs a login and seldom changes: kept by the browser of who saw it, and
shown again only when the platform, asked by somebody, says that it still is theirs to see."""


def is_known(if_none_match: str | None, tag: str) -> bool:
    """Whether who asks has what a tag is of already (RFC 9110, 13.1.2)."""
    if if_none_match is None:
        return False
    sent = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return "*" in sent or tag.removeprefix("W/") in sent


def etag(version: int | str) -> str:
    """The tag of a version."""
    return f'"{version}"'


def require_match(if_match: str | None, current: str) -> None:
    """:raises Changed: when a tag was sent and is not the current one."""
    if if_match is not None and if_match not in {"*", current}:
        raise Changed(
            f"you edited {if_match}, it is {current} now; look at the change, then save again"
        )
