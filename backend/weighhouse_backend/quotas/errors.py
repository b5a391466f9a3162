"""What is refused since a quota is used up, as a problem."""

from typing import Any

from weighhouse_backend.kit.problems import Problem, ProblemDocument

HEADERS = ("Quota-Kind", "Quota-Scope", "Quota-Limit", "Quota-Used", "Quota-Reset")
_MEANINGS = {
    "Quota-Kind": "What is used up, for example `machine_hours`.",
    "Quota-Scope": "Whose quota: `organization` or `project`.",
    "Quota-Limit": "How much may be used, as a number: hours, bytes, or how many.",
    "Quota-Used": "How much is used.",
    "Quota-Reset": "Seconds until counting begins anew; of `machine_hours` alone.",
}
QUOTA_ANSWER: dict[int | str, dict[str, Any]] = {
    409: {
        "model": ProblemDocument,
        "description": "Not in this state; where a quota is used up (`quota-exceeded`), the "
        "headers say which.",
        "headers": {
            name: {"description": meaning, "schema": {"type": "string"}}
            for name, meaning in _MEANINGS.items()
        },
    }
}
"""For operations that a quota may refuse."""


class QuotaExceeded(Problem, status=409, title="A quota is used up"):
    """An organization or project may use no more of something.

    No 429, after which programs ask again and again; no 403, for no other role may either: the same
    request is carried out once there is room.
    """
