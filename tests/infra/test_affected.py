"""Which tests a change can break: by imports, by folders, by the files' kind."""

from pathlib import Path

import pytest
from suites.affected import FAR, changed_since, checks_of, select
from suites.imports import Imports, imported, is_test, module_of
from weighhouse_testing.tree import REPOSITORY, tracked


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> Imports:
    return Imports(tmp_path_factory.mktemp("graph"))


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("judging/weighhouse_judging/rules.py", "weighhouse_judging.rules"),
        ("cli/weighhouse_cli/embedded/__init__.py", "weighhouse_cli.embedded"),
        ("plugins/redis/weighhouse_plugin_redis/plugin.toml", "weighhouse_plugin_redis"),
        ("docs/README.md", ""),
    ],
)
def test_a_file_of_a_package_is_a_module(name, module):
    assert module_of(name) == module


def test_what_is_imported_is_told_whole():
    found = set(imported("tests/infra/test_affected.py"))
    assert {"pathlib", "suites.imports", "suites.imports.Imports"} <= found
    assert "agent.tests.protocol_server" in set(imported("agent/tests/conftest.py"))


def test_a_module_of_the_judge_is_tested_by_its_own_tests_first(imports):
    chosen = select(["judging/weighhouse_judging/verdicts/ranks.py"], imports, minutes=4)
    assert chosen.tests[0].startswith("judging/tests/")
    assert "judging/tests/test_many_sides.py" in chosen.tests
    assert not any(name.startswith(FAR) for name in chosen.tests)
    assert {each.name for each in chosen.suites} == {"ruff", "ruff-format", "mypy", "floors"}


def test_less_time_is_fewer_tests_and_the_rest_is_told(imports):
    changed = ["judging/weighhouse_judging/rules.py"]
    some, all_of_them = (select(changed, imports, minutes=each) for each in (0.2, 1000))
    assert 0 < len(some.tests) < len(all_of_them.tests)
    assert {*some.tests, *some.left} == {*all_of_them.tests, *all_of_them.left}
    near = imports.distances(changed)
    assert max(near[name] for name in some.tests) <= max(near[name] for name in some.left)


def test_a_plugins_folder_is_tested_whatever_was_changed_in_it(imports):
    folder = "plugins/memcached/weighhouse_plugin_memcached"
    wanted = {name for name in tracked(".py") if name.startswith("plugins/memcached/tests/test_")}
    for name in ("plugin.py", "plugin.toml"):
        assert wanted <= set(select([f"{folder}/{name}"], imports, minutes=4).tests), name


def test_what_a_conftest_gives_concerns_all_below_it(imports):
    near = imports.distances(["agent/tests/conftest.py"])
    assert {
        name for name in tracked(".py") if name.startswith("agent/tests/") and is_test(name)
    } <= set(near)


def test_a_changed_test_is_run_however_far_it_lies(imports):
    name = "tests/figures/test_verdicts.py"
    assert name in select([name], imports, minutes=0).tests


def test_a_page_is_tested_by_what_imports_it():
    page = next(name for name in tracked(".vue") if name.startswith("frontend/src/pages/"))
    found = {each.name: each for each in checks_of([page])}
    assert set(found) == {"frontend", "eslint", "vue-tsc"}
    assert found["frontend"].command[-1] == page.removeprefix("frontend/")


def test_a_crate_is_tested_with_those_that_stand_on_it():
    found = {each.name: each for each in checks_of(["engine/api/src/lib.rs"])}
    assert set(found) == {"rustfmt", "Rust"}
    assert {"weighhouse-driver-api", "weighhouse-engine", "weighhouse-driver-resp"} <= set(
        found["Rust"].command
    )
    alone = checks_of(["plugins/mongodb/driver/src/main.rs"])[1].command
    assert [word for word in alone if word.startswith("weighhouse-")] == [
        "weighhouse-driver-mongodb"
    ]


def test_another_branch_that_is_not_there_is_named():
    with pytest.raises(SystemExit, match="there is no nosuchbranch"):
        changed_since("nosuchbranch")
    assert all((Path(REPOSITORY) / name).parent.exists() for name in changed_since("HEAD"))
