"""What others named moves no cursor, colours nothing, links nowhere, and hides nothing."""

import io
import json

import pytest
from rich.table import Table
from rich.text import Text
from weighhouse_cli.commands import login
from weighhouse_cli.console import Terminal, print_json
from weighhouse_cli.exits import CommandFailed

HOSTILE = (
    "\x1b[2J\x1b[1;1H", "\x1b]0;title\x07", "\x1b]8;;https://evil.example\x1b\\x", "\x9b31m",
    "\x90q", "a\rb", "a\bb", "\x7f", "\x00", "\u202egpj.exe", "\u2066x", "a\u200bb", "\u2028",
    "\ufeff", "[bold red]x[/]", "[link=https://evil.example]x[/link]", ":smile:", "\U000e0041",
)  # fmt: skip


def printed(*things: object) -> str:
    console = Terminal()
    console.file, console.width = io.StringIO(), 400
    for each in things:
        console.print(each, soft_wrap=not isinstance(each, Table))
    return console.file.getvalue()


@pytest.mark.parametrize("sign", HOSTILE, ids=ascii)
def test_a_name_is_shown_and_does_nothing(sign: str) -> None:
    table = Table(sign)
    table.add_row(f"row {sign}")
    text = printed(f"as text {sign}", Text(f"as styled {sign}"), table)
    frame = map(chr, range(0x2500, 0x2580))
    assert set(text) <= {*map(chr, range(0x20, 0x7F)), *frame, "\n", "\t"}
    if sign.startswith((":", "[")):
        assert text.count(sign) >= 3


@pytest.mark.parametrize("sign", HOSTILE, ids=ascii)
def test_json_stays_json_and_does_nothing(sign: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": sign, "größe": "ä"})
    text = capsys.readouterr().out
    assert json.loads(text) == {"name": sign, "größe": "ä"}
    assert not any(each in text for each in "\x1b\x9b\x90\x7f\u202e\u2066\u200b\u2028")


@pytest.mark.parametrize("token", ["", "$(id)", "a;b", "a\nPATH=/evil", "a b", "`id`"])
def test_what_is_no_token_is_handed_to_no_shell(
    token: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ENV", raising=False)
    with pytest.raises(CommandFailed):
        login._hand_over(token)
    assert capsys.readouterr().out == ""
    login._hand_over("whp_abc-DEF_1")
    assert capsys.readouterr().out == "export WEIGHHOUSE_TOKEN=whp_abc-DEF_1\n"
