"""One program under two versions is no comparison; under two commits it may be right."""

import pytest
from weighhouse_judging.findings.comparison_checks import SideBuild, check_comparison, one_program
from weighhouse_judging.identity.sides import Side
from weighhouse_protocol.target import Target

ONE = frozenset({("redis-server", "4f0c" * 16, "")})
OTHER = frozenset({("redis-server", "91ab" * 16, "")})


def build(version="7.2", commit=None, program=ONE, threads=1):
    target = Target(name="t", system="redis", parameters={"io_threads": threads})
    return SideBuild("t", Side(target, versions=(version,)), commit, program)


@pytest.mark.parametrize(
    ("before", "after", "versions"),
    [
        (build(), build("7.4"), True),
        (build(commit="a" * 40), build("7.4", commit="b" * 40), True),
        (build(commit="a" * 40), build(commit="b" * 40), False),
    ],
)
def test_one_program_goes_by_two_names(before, after, versions):
    found = one_program(before, after)
    assert found is not None
    assert found.versions == versions
    (told,) = check_comparison([], [], [before, after])
    assert (told.id, told.severity) == ("same-program", "error" if versions else "caution")
    assert f"{found.before} and {found.after}" in told.message


@pytest.mark.parametrize(
    "after",
    [
        build(),
        build("7.4", program=OTHER),
        build("7.4", program=None),
        build("7.4", threads=4),
        build(commit="b" * 40),
        build(commit="b" * 40, program=OTHER),
    ],
)
def test_what_is_two_programs_or_one_name_is_not_told(after):
    assert one_program(build(), after) is None
    assert check_comparison([], [], [build(), after]) == []
