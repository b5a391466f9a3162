"""What may not stand in a tracked file, and what no file may be called."""

import re
from pathlib import Path

import pytest
from weighhouse_testing.tree import text_of, tracked

# No pattern matches its own text here.
FORBIDDEN = {
    "a mark of unfinished work": re.compile(r"\bTO[D]O\b|\bFIX[M]E\b|\bX[X]X\b"),
    "a path of one machine": re.compile(r"(?<![\w.])/(work|root)/[a-z.]"),
    "a registry's host": re.compile(
        r"registry[.]npmjs|pypi[.]org|static[.]crates|repo1[.]maven|files[.]pythonhosted"
        r"|index[.]crates|proxy[.]golang|registry[.]yarnpkg"
    ),
}
PICTURES = (".png", ".woff2", ".ico", ".jpg")


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_holds(what):
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name in tracked()
        # Cargo writes its registry's address into its lock itself.
        if not name.endswith(PICTURES) and name != "Cargo.lock"
        if FORBIDDEN[what].search(text := text_of(name))
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert not found, "\n".join(found)


def test_lock_files_name_no_place_to_download_from():
    places = re.compile(r'"resolved":|^--(extra-)?index-url|^--find-links', re.MULTILINE)
    found = [name for name in tracked(".json", ".txt", ".lock") if places.search(text_of(name))]
    assert not found, found


def test_python_packages_are_locked_with_hashes():
    lines = text_of("requirements.lock").splitlines()
    packages = [number for number, line in enumerate(lines) if re.match(r"^[a-z0-9]", line)]
    bare = [lines[n] for n in packages if "--hash=sha256:" not in lines[n] + lines[n + 1]]
    assert packages
    assert not bare


NOUNS = frozenset(
    {"crossing", "hashing", "missing", "ring", "rounding", "scaling", "sharding", "testing"}
)
"""Words on -ing that are no verb, or that the field has as its noun."""
UNNAMED = re.compile(r"(^|/)(tests|bench_[a-z]+|api_fuzz|chaos|migrations)/")


def test_no_module_is_named_by_a_bare_gerund():
    found = [
        name
        for name in tracked(".py", ".ts", ".vue", ".rs")
        if not UNNAMED.search(name)
        for word in re.findall(r"[A-Z]?[a-z]+", Path(name).stem)[-1:]
        if word.lower().endswith("ing") and word.lower() not in NOUNS
    ]
    assert not found, "\n".join([*found, "name what is in it, as the field does"])


def test_no_file_has_a_name_nobody_learns_from():
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    found = [
        name
        for name in tracked(".py", ".ts", ".rs", ".vue")
        if vague & {part.split(".")[0].lower() for part in Path(name).parts}
    ]
    assert not found, found


SOURCES = (".py", ".ts", ".vue")
TWO_FUNCTIONS = {"protocol/weighhouse_protocol/text.py", "frontend/src/ui/format.ts"}
"""`numbered` of either side writes the number of a campaign; nothing else does."""
OTHER_NUMBERS = {
    "a sign before a number that is filled in": re.compile(
        r"(№ ?|(?<![&\w])#)[$]?\{{1,2}[^}]*number"
    ),
    "a campaign and a bare number that is filled in": re.compile(
        r"[Cc]ampaign #?[$]?\{(?!\{?\s*numbered)[^}]*number"
    ),
    "a campaign and another sign": re.compile(r"\b[Cc]ampaign #\d"),
}
BARE_NUMBER = re.compile(r"\b[Cc]ampaigns? (#\d|\d+\b)")


def _lines(pattern, names):
    return [
        f"{name}:{at}: {line.strip()[:120]}"
        for name in names
        for at, line in enumerate(text_of(name).splitlines(), 1)
        if pattern.search(line)
    ]


def _sources():
    """Programs; their tests may say what is refused."""
    return [
        name
        for name in tracked(*SOURCES)
        if name not in TWO_FUNCTIONS
        and not re.search(r"(^|/)tests/|[.]spec[.]ts$|schema[.]d[.]ts$", name)
    ]


@pytest.mark.parametrize("what", OTHER_NUMBERS)
def test_a_campaigns_number_is_written_by_one_function_of_each_side(what):
    found = _lines(OTHER_NUMBERS[what], _sources())
    assert not found, "write `numbered(…)`:\n" + "\n".join(found)


def test_documents_write_a_campaigns_number_as_the_pages_do():
    documents = [name for name in tracked(".md", ".yaml") if not name.startswith("backend/")]
    found = _lines(BARE_NUMBER, documents)
    assert not found, "write `campaign № 12`:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a sign before a number that is filled in", 'f"#{side.campaign.number}"'),
        ("a sign before a number that is filled in", "label: `#${point.campaign_number}`,"),
        ("a sign before a number that is filled in", "<td>№ {{ row.number }}</td>"),
        ("a campaign and a bare number that is filled in", 'f"campaign {base.number} is open"'),
        ("a campaign and a bare number that is filled in", "`campaign ${point.campaign_number}`"),
        ("a campaign and another sign", 'print("campaign #12")'),
    ],
)
def test_another_notation_is_seen(what, line):
    assert OTHER_NUMBERS[what].search(line)
    assert not any(
        one.search("f'campaign {numbered(base.number)}'") for one in OTHER_NUMBERS.values()
    )
