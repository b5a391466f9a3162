"""Images are made of wheels alone, and whoever starts them knows their accounts by number."""

import re
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
IMAGES = sorted((REPOSITORY / "infra" / "images").glob("*.Dockerfile"))
CHARTS = REPOSITORY / "infra" / "helm"
OF_WHEELS = ("platform", "agent")


def text_of(image: str) -> str:
    return (REPOSITORY / "infra" / "images" / f"{image}.Dockerfile").read_text("utf-8")


def copied(image: str) -> set[str]:
    return set(re.findall(r"^COPY (?!--from)(\S+) ", text_of(image), re.MULTILINE))


@pytest.mark.parametrize("image", [path.stem for path in IMAGES])
def test_what_it_copies_is_not_kept_from_it(image: str) -> None:
    lines = (REPOSITORY / ".dockerignore").read_text("utf-8").splitlines()
    assert lines[0] == "*", "what is not named is kept out"
    allowed = [line.removeprefix("!") for line in lines if line.startswith("!")]
    for source in copied(image):
        inside = [one for one in allowed if source == one or source.startswith(f"{one}/")]
        assert inside, f"{image} copies {source}, which .dockerignore keeps out"


@pytest.mark.parametrize("image", OF_WHEELS)
def test_it_has_nothing_of_ours_but_wheels(image: str) -> None:
    ours = copied(image) - {f"infra/images/{image}-entrypoint.sh"}
    assert ours == {f"build/images/{image}", f"build/images/{image}.txt"}
    installs = re.findall(r"pip install (.+)$", text_of(image), re.MULTILINE)
    others, wheels = installs
    assert "--require-hashes" in others
    assert "--no-index" in wheels


@pytest.mark.parametrize("image", OF_WHEELS)
def test_a_chart_runs_it_under_the_account_that_it_has(image: str) -> None:
    (uid,) = re.findall(r"useradd .*--uid (\d+)", text_of(image))
    folder = {"platform": "weighhouse", "agent": "weighhouse-agents"}[image]
    words = "".join(
        path.read_text("utf-8") for path in (CHARTS / folder / "templates").rglob("*.yaml")
    )
    named = re.findall(r'\(dict "root" [.$] "user" (\d+)\)|runAsUser: ([1-9]\d*)', words)
    assert {one or other for one, other in named} == {uid}


def test_a_chart_runs_stores_under_the_accounts_that_they_have() -> None:
    built = re.findall(r"= (\d+):(\d+)$", text_of("services"), re.MULTILINE)
    stores = (CHARTS / "weighhouse" / "templates" / "stores.yaml").read_text("utf-8")
    assert re.findall(r'"user" (\d+) "group" (\d+)', stores) == built


def test_compose_and_chart_start_the_same_parts() -> None:
    composed = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text("utf-8"))["services"]
    entrypoint = (REPOSITORY / "infra/images/platform-entrypoint.sh").read_text("utf-8")
    parts = set(re.findall(r"^  ([a-z-]+)\)$", entrypoint, re.MULTILINE))
    assert parts == {"migrate", "await-migrations", "backend", "worker", "beat"}
    platform = {
        name: one.get("command", "backend") for name, one in composed.items()
        if one["image"].startswith("weighhouse/platform")
    }  # fmt: skip
    assert platform == {name: name for name in parts - {"await-migrations"}}
