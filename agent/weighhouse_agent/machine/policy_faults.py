"""What is wrong with a policy file, in words."""

from pydantic import ValidationError

MOST_TOLD = 5
KINDS_OF_WRONG = {"missing": "is missing", "extra_forbidden": "is not known"}


def what_is_wrong(error: Exception) -> str:
    """What is wrong with a policy file, by its keys: no value and no path, for whoever may read a
    run reads it.
    """
    if isinstance(error, OSError):
        return f"it cannot be read: {error.strerror}"
    if not isinstance(error, ValidationError):
        return "it is not UTF-8" if isinstance(error, UnicodeError) else f"no TOML: {error}"
    told = []
    for each in error.errors(include_input=False, include_url=False)[:MOST_TOLD]:
        key = ".".join(map(str, each["loc"])) or "it"
        what = KINDS_OF_WRONG.get(each["type"], each["msg"].removeprefix("Value error, "))
        told.append(f"`{key}` {what}" if each["type"] in KINDS_OF_WRONG else f"`{key}`: {what}")
    return "; ".join(told)
