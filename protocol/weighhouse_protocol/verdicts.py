"""A gate's verdict where people read it. Pure."""


def verdict_words(outcome: str) -> str:
    """A verdict as people read it: `not comparable`, `no base`. A baseline is another thing."""
    return "no base" if outcome == "no_baseline" else outcome.replace("_", " ")
