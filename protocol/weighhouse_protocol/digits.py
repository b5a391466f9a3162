"""How many digits of a figure are shown. Pure."""


def number(value: float, digits: int = 3) -> str:
    """The digits that matter, or all before the point: `0.5`, `10.4`, `17,158`.

    A rate below one a second is as good as one above: it is never shown as none.
    """
    if value and abs(value) < 10 ** (digits - 1):
        return f"{value:.{digits}g}"
    return f"{value:,.0f}"
