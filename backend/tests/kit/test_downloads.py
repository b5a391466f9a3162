"""What files are called that leave: no path, no device, nothing unseen, one header."""

import re
from email.message import Message
from urllib.parse import unquote

import pytest
from weighhouse_backend.kit.downloads import LONGEST, content_disposition, file_name

HOSTILE = (
    "", " ", ".", "..", "...", ".bashrc", "../../etc/passwd", "..\\..\\boot.ini", "/etc/passwd",
    "C:\\x", "a/b", "a\\b", "con", "CON.txt", "nul", "Aux.", "com1.log", "lpt³", "x.", "x ",
    "a\x00b", "a\r\nSet-Cookie: x", "a\x1b[2Jb", "a\u202egpj.exe", "\u2066a", "a\u200bb", "\ud800",
    'a"; filename="b', "a;b", "a%2fb", "%2e%2e", "a*b", "a?b", "a<b>|c", "=cmd()", "-rf",
    "größe.txt", "负载.log", "🚀", "a" * 300 + ".hlog", "." * 300,
)  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_one_files_everywhere(name: str) -> None:
    kept = file_name(name)
    assert kept == file_name(kept)
    assert 0 < len(kept) <= LONGEST
    assert kept.isprintable()
    assert not set('/\\:*?"<>|%') & set(kept)
    assert not kept.startswith((".", "-", " "))
    assert not kept.endswith((".", " "))
    assert kept.partition(".")[0].lower() not in {"con", "prn", "aux", "nul", "com1", "lpt³"}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["attachment", "inline"])
def test_a_header_says_one_name(name: str, kind: str) -> None:
    header = content_disposition(name, kind)
    assert header.isascii()
    assert header.isprintable()
    read = Message()
    read["Content-Disposition"] = header
    assert read.get_content_disposition() == kind
    assert header.count('filename="') == 1
    if found := re.search(r"; filename\*=UTF-8''([A-Za-z0-9%._~-]+)$", header):
        assert unquote(found[1]) == file_name(name)
    else:
        assert read.get_filename() == file_name(name)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("redis-server.log", "redis-server.log"), ("../../etc/passwd", "etc-passwd"),
        ("größe.txt", "größe.txt"), ("a" * 300 + ".hlog", "a" * (LONGEST - 5) + ".hlog"),
    ],
)  # fmt: skip
def test_what_is_harmless_stays(name: str, kept: str) -> None:
    assert file_name(name) == kept
