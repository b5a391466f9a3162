"""What images copy is handed to whoever builds them."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
IMAGES = sorted((REPOSITORY / "infra" / "images").glob("*.Dockerfile"))


def allowed() -> list[str]:
    lines = (REPOSITORY / ".dockerignore").read_text("utf-8").splitlines()
    assert lines[0] == "*", "what is not named is kept out"
    return [line.removeprefix("!") for line in lines if line.startswith("!")]


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_what_it_copies_is_not_kept_from_it(image):
    copied = re.findall(r"^COPY (?!--from)(\S+) ", image.read_text("utf-8"), re.MULTILINE)
    assert copied
    for source in copied:
        inside = [one for one in allowed() if one == source or one.startswith(f"{source}/")]
        around = [one for one in allowed() if source.startswith(f"{one}/")]
        assert inside or around, f"{image.name} copies {source}, which .dockerignore keeps out"


def test_every_part_that_is_installed_is_handed_over_whole():
    installs = re.compile(r"pip install .*--no-deps --no-build-isolation (.+)$", re.MULTILINE)
    parts = {
        part.removeprefix("./")
        for image in IMAGES
        for words in installs.findall(image.read_text("utf-8"))
        for part in words.split()
        if part.startswith("./") and "plugins" not in part
    }
    assert "judging" in parts
    for part in parts:
        assert f"{part}/pyproject.toml" in allowed()
        assert f"{part}/weighhouse_{part}" in allowed()
