"""Answers of the platform that are no success, for people and for who waits."""

import httpx

AWAY = frozenset({502, 503, 504})
TOO_MANY = 429
MOST_PATIENCE_SECONDS = 60.0
"""Longest wait at once for a server that said how long to wait."""


def retry_after(answer: httpx.Response) -> float:
    """Seconds that a server wants to be left alone; a second when it does not say."""
    try:
        wanted = float(answer.headers["Retry-After"])
    except (KeyError, ValueError):
        return 1.0
    return min(max(wanted, 0.0), MOST_PATIENCE_SECONDS)


def explain(answer: httpx.Response) -> str:
    """A problem document as lines for a person."""
    try:
        problem = answer.json()
    except ValueError:
        return f"HTTP {answer.status_code}: {answer.text[:300]}"
    lines = [str(problem.get("detail") or problem.get("title") or f"HTTP {answer.status_code}")]
    for error in problem.get("errors") or []:
        expected = f" (expected {error['expected']})" if error.get("expected") else ""
        lines.append(f"  {error.get('path') or 'document'}: {error.get('message')}{expected}")
    return "\n".join(lines)
