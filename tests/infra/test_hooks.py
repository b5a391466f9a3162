"""infra/hooks: a commit of the wrong form is refused, with what mends it; any other is let in."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from weighhouse_testing.tree import REPOSITORY

HOOKS = REPOSITORY / "infra" / "hooks"
GIT = ("git", "-c", "user.name=One", "-c", "user.email=one@weighhouse.local")
GOOD = [
    "fix(agent): keep the spool when the disk is full",
    "docs: say so\n\nBecause it was not said.",
    "feat(gates,comparisons)!: judge anew",
    "Merge branch 'main' into spool",
    "fixup! fix(agent): keep the spool",
    "test: wait for it\n\n# a comment of Git's\n# ------------------------ >8 ----\ndiff",
]
BAD = {
    "mend it": "type(scope): imperative",
    "fixed(agent): keep it": "Not: fixed",
    "fix(agent):keep it": "fix, refactor",
    "fix(agent): ": "such as",
    "fix(agent): keep it\nbecause": "an empty line",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with these hooks switched on, beside the programs of this one."""
    (tmp_path / ".venv").symlink_to(REPOSITORY / ".venv")
    (tmp_path / ".gitignore").write_text(".venv\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").symlink_to(REPOSITORY / "pyproject.toml")
    for command in (("init", "--quiet"), ("config", "core.hooksPath", str(HOOKS))):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def commit(tree: Path, message: str, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        (tree / name).with_suffix(".py").write_text(text, encoding="utf-8")
    subprocess.run(["git", "add", "."], cwd=tree, check=True)
    return subprocess.run(
        [*GIT, "commit", "--allow-empty", "--quiet", "--cleanup=strip", "--message", message],
        cwd=tree,
        env={name: one for name, one in os.environ.items() if not name.startswith("GIT_")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("message", GOOD)
def test_messages_of_the_house_are_let_in(tree: Path, message: str) -> None:
    done = commit(tree, message)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("message", BAD)
def test_other_messages_are_refused_with_the_form(tree: Path, message: str) -> None:
    done = subprocess.run(
        [HOOKS / "commit-msg", _file(tree, message)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert BAD[message] in done.stderr


def _file(tree: Path, message: str) -> Path:
    file = tree / "message"
    file.write_text(message, encoding="utf-8")
    return file


def test_what_is_staged_has_the_form_of_the_house(tree: Path) -> None:
    done = commit(tree, "test: one", one='"""One."""\n\nONE = 1\n')
    assert done.returncode == 0, done.stderr
    done = commit(tree, "test: two", two='"""Two."""\n\nTWO  =  2\n')
    assert done.returncode == 1
    assert "ruff format" in done.stderr
    done = commit(tree, "test: two", two='"""Two."""\n\nimport os\n')
    assert done.returncode == 1
    assert "ruff check --fix" in done.stderr


def test_files_of_the_frontend_are_named_as_its_programs_know_them(tree: Path) -> None:
    programs = tree / "frontend" / "node_modules" / ".bin"
    programs.mkdir(parents=True)
    for name in ("prettier", "eslint"):
        (programs / name).write_text(f"#!/bin/bash\necho {name} $PWD $@ >&2\nexit 1\n", "utf-8")
        (programs / name).chmod(0o755)
    (tree / ".gitignore").write_text(".venv\nnode_modules\n", encoding="utf-8")
    (tree / "frontend" / "src").mkdir()
    for name in ("page.vue", "style.css"):
        (tree / "frontend" / "src" / name).touch()
    done = commit(tree, "test: a page")
    assert done.returncode == 1
    told = done.stderr.splitlines()
    assert f"eslint {tree}/frontend src/page.vue" in told
    assert f"prettier {tree}/frontend --check --log-level warn src/page.vue src/style.css" in told


def test_programs_that_are_not_installed_hold_nobody_up(tree: Path) -> None:
    (tree / ".venv").unlink()
    done = commit(tree, "test: two", two='"""Two."""\n\nTWO  =  2\n')
    assert done.returncode == 0
    assert "was not asked of it" in done.stderr


def test_pre_commit_runs_the_same_hooks() -> None:
    text = (REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    [repository] = yaml.safe_load(text)["repos"]
    assert repository["repo"] == "local"
    entries = {hook["stages"][0]: hook["entry"] for hook in repository["hooks"]}
    assert entries == {path.name: f"infra/hooks/{path.name}" for path in HOOKS.iterdir()}
