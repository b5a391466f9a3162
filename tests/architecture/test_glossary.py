"""The glossary has each word once; where a word would mean a second thing, another one stands."""

import re
from dataclasses import dataclass
from fnmatch import fnmatch

import pytest
from weighhouse_testing.shown_text import Shown, shown_in
from weighhouse_testing.tree import text_of, tracked

GLOSSARY = "docs/glossary.md"
ROW = re.compile(r"^\| (?!word )([a-z][a-z ()]*) \| (.+) \| (.*) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Second:
    """A second meaning of a word: where it would stand, and the word that stands there."""

    word: re.Pattern[str]
    instead: str
    places: tuple[str, ...]
    """Files in which only the second meaning can be meant."""


SECONDS = (
    Second(
        re.compile(r"\bverdicts?\b(?!\.md)", re.IGNORECASE),
        "conclusion (of a difference), outcome (of a claim), answer (of the whole)",
        (
            "frontend/src/features/comparisons/*",
            "frontend/src/features/studies/*",
            "frontend/src/pages/Stud*",
            "frontend/src/pages/Compare*",
            "cli/weighhouse_cli/studies.py",
            "cli/weighhouse_cli/commands/study.py",
            "docs/studies.md",
            "experiments/studies/*.md",
        ),
    ),
    Second(
        re.compile(r"\bstud(y|ies)\b", re.IGNORECASE),
        "template",
        (
            "frontend/src/features/experiments/*",
            "frontend/src/pages/Experiment*",
            "cli/weighhouse_cli/templates.py",
            "cli/weighhouse_cli/commands/experiment.py",
        ),
    ),
    Second(
        re.compile(r"\bbaselines?\b", re.IGNORECASE),
        "base",
        (
            "frontend/src/ui/verdicts.ts",
            "frontend/src/features/campaigns/*",
            "frontend/src/features/headlines/*",
            "cli/weighhouse_cli/commands/run.py",
            "judging/weighhouse_judging/verdicts/gate*",
            "backend/weighhouse_backend/gates/*",
            "docs/pipelines.md",
        ),
    ),
)


def _read(name: str) -> list[Shown]:
    return [one for one in shown_in(name) if not re.fullmatch(r"[a-z_]+", one.text)]


def _files(places: tuple[str, ...]) -> list[str]:
    return [
        name
        for name in tracked(".vue", ".ts", ".py", ".md")
        if any(fnmatch(name, place) for place in places)
        and not re.search(r"[.]spec[.]ts$|/test[A-Z]\w*[.]ts$", name)
    ]


@pytest.mark.parametrize("second", SECONDS, ids=lambda second: second.instead.split(" ")[0])
def test_a_word_with_one_meaning_stands_for_no_second_one(second: Second) -> None:
    files = _files(second.places)
    assert len(files) >= len(second.places), "a place that is no more"
    found = [str(one) for name in files for one in _read(name) if second.word.search(one.text)]
    assert not found, f"write {second.instead}:\n" + "\n".join(found)


def test_the_glossary_has_each_word_once_and_in_order() -> None:
    words = [found[1] for found in ROW.finditer(text_of(GLOSSARY))]
    assert len(words) > 30
    assert words == sorted(set(words))


def test_what_a_word_is_not_is_a_word_of_its_own() -> None:
    """Words that are told apart here are words of the glossary, each under its own name."""
    text = text_of(GLOSSARY)
    words = {found[1].split(" (")[0] for found in ROW.finditer(text)}
    apart = {"verdict", "conclusion", "outcome", "answer", "base", "baseline", "study", "template"}
    assert apart <= words


def test_the_glossary_is_found() -> None:
    assert "(glossary.md)" in text_of("docs/README.md")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("frontend/src/pages/StudiesPage.vue", "No study is installed"),
        ("frontend/src/ui/verdicts.ts", "Fewer than 5 repeats a side."),
        ("judging/weighhouse_judging/studies/claims.py", "cannot be true as printed"),
        ("docs/studies.md", "# Published studies, run again"),
    ],
)
def test_what_is_shown_is_read(name: str, text: str) -> None:
    assert text in {one.text for one in shown_in(name)}


def places() -> list[str]:
    """Where the glossary says that the field's words stand in the code: patterns of paths."""
    found = []
    for row in text_of(GLOSSARY).split("## Ours beside the field's")[1].splitlines():
        part = room = ""
        for place in re.findall(r"`([^`]+)`", row.rpartition(" | ")[2]):
            if "/…/" in place:
                part, _, inside = place.partition("/…/")
                room = inside.rpartition("/")[0]
                found.append(f"{part}/weighhouse_*/{inside}")
            elif "/" in place or not part:
                found.append(f"{part}/weighhouse_*/{place}" if part else place)
            else:
                found.append(f"{part}/weighhouse_*/{room}/{place}")
    return found


def test_the_fields_words_lead_to_files_that_are_there():
    found = places()
    assert len(found) > 20
    names = tracked()
    gone = [one for one in found if not any(fnmatch(name, f"{one}*") for name in names)]
    assert not gone, gone
