"""How shares and changes are written where people read them: as the pages write them. Pure.

A thin space before the sign, a true minus. What programs read (JSON, CSV) has plain numbers.
"""

SIGN = "\u2009%"
MINUS = "\u2212"


def percent(share: float, decimals: int | None = 1) -> str:
    """A share: 0.1234 → `12.3 %`.

    :param share: a fraction; 1 is all of it.
    :param decimals: None: as many as it has, as somebody gave it.
    """
    size = abs(share) * 100
    text = f"{size:.6g}" if decimals is None else f"{size:.{decimals}f}"
    return f"{MINUS if share < 0 else ''}{text}{SIGN}"


def signed_percent(relative: float, decimals: int = 1) -> str:
    """A change: 0.052 → `+5.2 %`, -0.102 → `−10.2 %`; what rounds to nothing is `0 %`.

    :param relative: 0.05 = 5 % more.
    """
    text = f"{abs(relative) * 100:.{decimals}f}"
    if float(text) == 0:
        return f"0{SIGN}"
    return f"{MINUS if relative < 0 else '+'}{text}{SIGN}"
