"""Which licences of others Weighhouse may be made of."""

from collections.abc import Iterable, Iterator

from license_expression import (
    ExpressionError,
    LicenseExpression,
    LicenseSymbol,
    LicenseWithExceptionSymbol,
    get_spdx_licensing,
)

from supply.listing import Part

ALLOWED = frozenset(
    {
        "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0",
        "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "OFL-1.1", "PSF-2.0", "Python-2.0",
        "Unicode-3.0", "Unlicense", "Zlib",
    }
)  # fmt: skip
"""SPDX identifiers. They let Weighhouse be given on; MPL-2.0 wants changes of its own files back,
of which there are none.
"""
ADMITTED = {
    ("python", "kubernetes-validate"): "it says Apache, and its licence file is Apache-2.0's",
    ("python", "protobuf"): "it does not say so, but its licence file is BSD-3-Clause's",
    ("python", "psycopg"): "LGPL-3.0-only: used as it is, as a library that can be exchanged",
    ("python", "psycopg-binary"): "LGPL-3.0-only: the same",
}
"""Parts that say something else, or nothing, and why they may be used all the same."""
CLASSIFIERS = {
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""How Python packages say it that have no expression."""
SAY_NOTHING = frozenset({"License :: OSI Approved", "License :: DFSG approved", ""})

_SPDX = get_spdx_licensing()


def refused(parts: Iterable[Part]) -> Iterator[str]:
    """Each part that may not be used, and why."""
    for part in parts:
        if (part.kind, part.name) in ADMITTED:
            continue
        said = [one for one in part.licences if one not in SAY_NOTHING]
        if not said:
            yield f"{part}: it does not say under which licence it is"
        for one in said:
            if not allows(CLASSIFIERS.get(one, one)):
                yield f"{part}: {one}"


def allows(expression: str) -> bool:
    """Whether what an SPDX expression gives a choice of has something that is allowed."""
    try:
        parsed = _SPDX.parse(expression, validate=True)
    except ExpressionError:
        return False
    return parsed is not None and _allows(parsed)


def _allows(term: LicenseExpression) -> bool:
    if isinstance(term, LicenseWithExceptionSymbol):
        # An exception permits more.
        return term.license_symbol.key in ALLOWED
    if isinstance(term, LicenseSymbol):
        return term.key in ALLOWED
    quantifier = any if isinstance(term, _SPDX.OR) else all
    return quantifier(_allows(one) for one in term.args)
