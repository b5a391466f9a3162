"""How hard a password is to guess."""

from typing import TYPE_CHECKING

from weighhouse_backend.identity.errors import WeakPassword
from weighhouse_backend.kit.late import late
from weighhouse_backend.kit.problems import FieldProblem

if TYPE_CHECKING:
    import zxcvbn
else:
    zxcvbn = late("zxcvbn")

LEAST_CHARACTERS = 12
LEAST_SCORE = 3
"""Of zxcvbn's 0 to 4: safely unguessable, some 10⁸ guesses and more."""
LOOKED_AT = 72
"""Characters of a password that its strength is judged by: the time grows with their square."""


def insist_on_strength(password: str, *about: str) -> None:
    """Refuse a password that is soon guessed.

    :param about: what a guesser knows of the person: name, address.
    :raises WeakPassword: with what would mend it.
    """
    words = []
    if len(password) < LEAST_CHARACTERS:
        words.append(f"it has {len(password)} characters, at least {LEAST_CHARACTERS} are needed")
    else:
        told = zxcvbn.zxcvbn(password[:LOOKED_AT], user_inputs=[one for one in about if one])
        if told["score"] < LEAST_SCORE:
            feedback = told["feedback"]
            words = [feedback["warning"] or "it is soon guessed", *feedback["suggestions"]]
    if words:
        detail = " ".join(f"{one.rstrip('.')}." for one in words)
        problem = FieldProblem(
            path="password", message=detail, expected="some unusual words, or a long random text"
        )
        raise WeakPassword(detail, errors=[problem])
