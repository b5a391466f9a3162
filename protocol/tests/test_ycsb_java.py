"""Property files as Java reads them, byte by byte."""

import random
import subprocess
from pathlib import Path

import pytest
from weighhouse_protocol.ycsb import YcsbError, read_entries, text_of

JAVA = """
import java.io.*; import java.util.*;
public class Reads {
  public static void main(String[] arguments) throws Exception {
    BufferedReader names = new BufferedReader(new InputStreamReader(System.in));
    for (String name = names.readLine(); name != null; name = names.readLine()) {
      Properties found = new Properties();
      StringBuilder told = new StringBuilder();
      try (InputStream file = new FileInputStream(name)) {
        found.load(file);
        for (String each : new TreeSet<>(found.stringPropertyNames())) {
          told.append(hex(each)).append('=').append(hex(found.getProperty(each))).append(';');
        }
      } catch (IllegalArgumentException error) {
        told.append("refused");
      }
      System.out.println(told);
    }
  }
  static String hex(String text) {
    StringBuilder told = new StringBuilder();
    for (char each : text.toCharArray()) told.append(String.format("%04x", (int) each));
    return told.toString();
  }
}
"""
WRITTEN = [
    b"# c\n! c\n a = 1\nb:2\nc 3\nd=x\\\n   y\nemp\nk\\:ey=v\\u0041\\t\n e = = \n",
    b"a=1\r\nb=2\rc=3\n",
    b"a=\\\n# no comment\nb=\\\\\nc=d\n",
    b"#comment \\\na=1\n",
    b"a=\\\n\n\nb=1\n",
    b"path=C:\\temp\\new\n",
    b"last=\\",
    b"a=caf\xe9\nb=caf\xc3\xa9\nc=caf\\u00e9\n",
    b"a=\\ud83d\\ude00\n",
    b"a=\\u00g0\n",
    b"a=\\u12",
    b"=only a value\n",
    b"a\\ b\\=c = d\n",
]
LETTERS = "ab=: \t\f\\\\\\\n\n\r#!u04\xe9"


def by_us(content: bytes) -> str:
    try:
        found, _ = read_entries(text_of(content, "f"))
    except YcsbError:
        return "refused"
    return "".join(f"{hexed(name)}={hexed(found[name].value)};" for name in sorted(found))


def hexed(text: str) -> str:
    return text.encode("utf-16-be").hex()


def test_what_is_read_is_what_java_reads(tmp_path: Path) -> None:
    (tmp_path / "Reads.java").write_text(JAVA)
    chosen = random.Random(5)
    contents = list(WRITTEN)
    for _ in range(1500):
        letters = chosen.choices(LETTERS, k=chosen.randrange(1, 30))
        contents.append("".join(letters).encode("iso-8859-1"))
    paths = []
    for index, content in enumerate(contents):
        paths.append(tmp_path / str(index))
        paths[-1].write_bytes(content)
    done = subprocess.run(
        ["java", "-XX:TieredStopAtLevel=1", str(tmp_path / "Reads.java")],
        input="".join(f"{path}\n" for path in paths), capture_output=True, text=True, check=True,
    )  # fmt: skip
    theirs = done.stdout.splitlines()
    assert len(theirs) == len(contents)
    assert "refused" in theirs
    for content, expected in zip(contents, theirs, strict=True):
        assert by_us(content) == expected, content


def refused(content: bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(YcsbError) as caught:
        read_entries(text_of(content, "f"), "f")
    return [(one.line, one.message) for one in caught.value.problems]


def test_what_java_refuses_or_nobody_means_is_refused_by_its_line() -> None:
    ((line, message),) = refused(b"a=1\n# c\nb=\\\n \\uzz\n")
    assert (line, message.startswith("`\\uzz` is not \\u and four")) == (3, True)
    ((line, message),) = refused(b"a=1\n\0r\0e\0c\0=\0" + b"1\n")
    assert (line, "UTF-16" in message) == (2, True)
    ((line, message),) = refused(b"\xef\xbb\xbfrecordcount=5\na=1\n")
    assert (line, "`recordcount`" in message) == (1, True)
    ((line, message),) = refused(b"a=\\ud83d\n")
    assert (line, "one half" in message) == (1, True)
    assert [line for line, _ in refused(b"a=\\uq\nb=1\nc=\\uq\n")] == [1, 3]


def test_files_are_bounded() -> None:
    ((_, message),) = refused(b"#" * 262_145)
    assert "at most 262,144" in message
    ((_, message),) = refused(b"".join(b"a%d=1\n" % index for index in range(2001)))
    assert "2,000 properties" in message
    ((_, message),) = refused(b"a" * 201)
    assert "name of 201" in message
    # Nor does a file of backslashes cost more than its length.
    read_entries(text_of(b"a=" + b"\\\\" * 131_000, "f"))


def test_what_surprises_in_the_writing_is_told() -> None:
    found, notes = read_entries("\xef\xbb\xbf# c\na=1\na=2 \nb=\xc3\xa9\nc=\xe9\n", "f")
    assert {name: entry.value for name, entry in found.items()} == {
        "a": "2 ", "b": "\xc3\xa9", "c": "\xe9",
    }  # fmt: skip
    assert [(note.property, note.line, note.severity) for note in notes] == [
        ("", 1, "note"), ("a", 3, "caution"), ("a", 3, "caution"), ("b", 4, "caution"),
    ]  # fmt: skip
    assert "line 2 already; the last one holds" in notes[1].message
    assert "blanks at its end" in notes[2].message
    assert "byte by byte" in notes[3].message
