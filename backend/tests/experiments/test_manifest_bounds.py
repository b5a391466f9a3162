"""However much is wrong with a document, holding it against manifests is bounded work."""

import pytest
from weighhouse_backend.experiments.manifest_checks import MOST_ERRORS, check

from .manifests import MANIFESTS, manifest
from .test_manifest_checks import experiment


def test_so_many_errors_are_told_and_no_more() -> None:
    """Likening grows with both names: what is far longer than any name is likened to none."""
    parameters = {f"{'ab' * 140}{number}": 1 for number in range(200)}
    names = {f"{'ab' * 45}{number}": {"type": "integer"} for number in range(200)}
    wide = manifest("redis").model_copy(update={"parameters": {"properties": names}})

    errors = check(experiment({"system": "redis", "parameters": parameters}), {"redis": wide})

    assert len(errors) == MOST_ERRORS
    assert all("did you mean" not in error.message for error in errors)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (2**64 + 1, "2⁶⁴"),
        (-1e300, "2⁶⁴"),
        (1.5, "1.5 is not of type 'integer'"),
        (0, "minimum of 1"),
    ],
)
def test_numbers_out_of_bounds_are_told_in_words(value: float, says: str) -> None:
    target = {"system": "redis"}
    asked = experiment(target).targets[1].model_copy(update={"parameters": {"io_threads": value}})
    whole = experiment(target).model_copy(update={"targets": (asked,)})
    (error,) = check(whole, MANIFESTS)
    assert error.path == "targets[0].parameters.io_threads"
    assert says in error.message
