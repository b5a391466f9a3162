"""Every setting is documented, in the words of its source."""

from pathlib import Path

from weighhouse_backend.kit.settings import Settings

PAGE = Path(__file__).resolve().parents[3] / "docs" / "settings.md"


def row(name):
    field = Settings.model_fields[name]
    default = "required" if field.is_required() else f"`{field.default}`"
    if field.default is None:
        default = "–"
    elif default == "``":
        default = "(empty)"
    return f"| `WEIGHHOUSE_{name.upper()}` | {default} | {field.description} |"


def test_the_page_has_a_row_for_every_setting_and_no_other():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if line.startswith("| `WEIGHHOUSE_")]
    assert found == [row(name) for name in Settings.model_fields]
