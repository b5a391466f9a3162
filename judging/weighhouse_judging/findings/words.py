"""How findings write quantities. Pure."""

US_PER_MS, US_PER_SECOND = 1e3, 1e6
KIBI = 1024.0
LONGEST_WORDS = 300
"""Characters of a server's words that stand in a sentence; the run's page has all of them."""


def quantile_name(quantile: float) -> str:
    """0.999 → `p99.9`."""
    return f"p{round(quantile * 100, 6):g}"


def clients_in_words(clients: int) -> str:
    """`1 client`, `8 clients`."""
    return "1 client" if clients == 1 else f"{clients} clients"


def duration_in_words(microseconds: float) -> str:
    """A duration in the unit that suits it."""
    if microseconds >= US_PER_SECOND:
        return f"{microseconds / US_PER_SECOND:,.3g} s"
    if microseconds >= US_PER_MS:
        return f"{microseconds / US_PER_MS:,.3g} ms"
    return f"{microseconds:,.3g} µs"


def cut(text: str, longest: int) -> str:
    """A text on one line, of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def bytes_in_words(size: float) -> str:
    """A size in the unit that suits it: `64 MiB`."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    place = 0
    while size >= KIBI and place < len(units) - 1:
        size, place = size / KIBI, place + 1
    return f"{size:,.4g} {units[place]}"
