"""Which codings who asks can unpack."""


def accepted_codings(header: str) -> set[str]:
    """The codings that an `Accept-Encoding` names and does not refuse (RFC 9110, 12.5.3)."""
    parts = (part.replace(" ", "").lower().partition(";q=") for part in header.split(","))
    return {coding for coding, _, quality in parts if not quality or quality.strip("0.")}
