"""What is documented is there, and what is there is documented."""

import re
from pathlib import Path

import pytest
from typer.main import get_command
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.search.help_pages import section_of
from weighhouse_cli.whole import app
from weighhouse_testing.tree import REPOSITORY, text_of, tracked

DOCUMENTS = [name for name in tracked(".md") if not name.startswith("frontend/node_modules")]

PROJECT = "cli/weighhouse_cli/skeleton/files/project/Makefile.template"
"""What plugins of others are made with: documents tell of it, too."""
WORDS = "| word |"
"""Begins a list of words, each of which is a section by itself."""


def test_every_top_folder_says_what_it_is_for():
    folders = {Path(name).parts[0] for name in tracked() if "/" in name}
    silent = [
        folder
        for folder in sorted(folders)
        if not folder.startswith(".") and not (REPOSITORY / folder / "README.md").exists()
    ]
    assert not silent, f"a README.md is missing in: {', '.join(silent)}"


def test_every_setting_is_documented():
    pages = "\n".join(text_of(name) for name in DOCUMENTS)
    names = [f"WEIGHHOUSE_{name.upper()}" for name in Settings.model_fields]
    silent = [name for name in names if f"`{name}`" not in pages]
    assert not silent, f"in no document: {', '.join(silent)}"
    vague = [name for name, field in Settings.model_fields.items() if not field.description]
    undescribed = set(vague) - {"database_url", "redis_url", "log_level"}
    assert not undescribed, f"without a docstring: {undescribed}"


def _commands():
    for name, command in get_command(app).commands.items():
        yield from (
            ((name, below) for below in command.commands)
            if hasattr(command, "commands")
            else [(name,)]
        )


@pytest.mark.parametrize("words", list(_commands()), ids=" ".join)
def test_every_command_is_documented(words):
    page = text_of("cli/README.md")
    assert f"weighhouse {words[0]}" in page
    assert f"`{words[-1]}`" in page or f"weighhouse {' '.join(words)}" in page
    command = get_command(app)
    for word in words:
        command = command.commands[word]
    assert command.help
    bare = [each.name for each in command.params if not getattr(each, "help", None)]
    assert not bare, f"options without help: {bare}"


def test_every_command_line_in_a_document_exists():
    known = set(_commands()) | {words[:1] for words in _commands()}
    unknown = []
    for name in DOCUMENTS:
        for line in re.findall(r"(?:^|`)weighhouse ([^\n`#]+)", text_of(name), re.MULTILINE):
            words = tuple(re.findall(r"^[a-z-]+(?: [a-z-]+)?(?= |$)", line.strip())[:1])
            words = tuple(words[0].split()) if words else ()
            if words and words not in known and words[:1] not in known:
                unknown.append(f"{name}: weighhouse {line}")
    assert not unknown, "\n".join(unknown)


def test_every_make_target_in_a_document_exists():
    both = f"{text_of('Makefile')}\n{text_of(PROJECT)}"
    targets = set(re.findall(r"^([a-z-]+):", both, re.MULTILINE))
    unknown = {
        f"{name}: make {target}"
        for name in DOCUMENTS
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", text_of(name), re.MULTILINE)
        if target not in targets
    }
    assert not unknown, "\n".join(sorted(unknown))


def test_every_make_target_explains_itself():
    text = text_of("Makefile")
    phony = set(re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE))
    explained = set(re.findall(r"^([a-z-]+):.*## .+$", text, re.MULTILINE))
    assert phony <= explained


def test_links_between_documents_lead_somewhere():
    broken = []
    for name in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text_of(name)):
            if re.match(r"[a-z]+:|/", target):
                continue
            if not (REPOSITORY / name).parent.joinpath(target).exists():
                broken.append(f"{name}: {target}")
    assert not broken, "\n".join(broken)


def test_links_of_pages_lead_to_a_document_and_its_section():
    broken = []
    links = 0
    for name in tracked(".vue"):
        for target, section in re.findall(
            r'(?:href|help)="/docs/([^"#]+)(?:#([^"]+))?"', text_of(name)
        ):
            links += 1
            file = f"docs/{target.removesuffix('.md')}.md"
            there = text_of(file) if (REPOSITORY / file).is_file() else ""
            heads = re.findall(r"^#+ (.+)$", there, re.MULTILINE)
            words = re.findall(r"^\| ([^|]+) \|", there, re.MULTILINE) if WORDS in there else []
            if not there or (section and section not in map(section_of, [*heads, *words])):
                broken.append(f"{name}: {target}#{section}")
    assert links
    assert not broken, "\n".join(broken)


def test_the_index_of_documents_lists_every_page_and_folder():
    names = [Path(name) for name in tracked() if name.startswith("docs/")]
    there = {f"{name.parts[1]}/" for name in names if len(name.parts) > 2}
    there |= {name.name for name in names if len(name.parts) == 2 and name.suffix == ".md"}
    rows = re.findall(
        r"^\| \[([^\]]+)\]\(([^)]+)\) \| .+ \|$", text_of("docs/README.md"), re.MULTILINE
    )
    assert all(shown == target for shown, target in rows), rows
    listed = [target for _, target in rows]
    missing = sorted(there - {"README.md"} - set(listed))
    assert not missing, f"docs/README.md has no row of {', '.join(missing)}"
    assert sorted(set(listed)) == sorted(listed), "docs/README.md lists a page twice"
