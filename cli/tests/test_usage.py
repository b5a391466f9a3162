"""What `weighhouse usage` prints."""

from rich.console import Console
from weighhouse_cli.commands import usage


def use(name, level, words, limit):
    return {
        "name": name, "level": level, "words": words, "limit": limit, "resets_at": None,
        "effect": "no further machine is enrolled", "mend": "revoke one",
    }  # fmt: skip


def test_what_is_nearly_used_up_comes_with_what_to_do(monkeypatch):
    out = Console(record=True, width=200, highlight=False)
    monkeypatch.setattr(usage, "OUT", out)
    hours = use("Machine-hours this month", "fine", "1.0 h of 9.0 h", 9)
    hours["resets_at"] = "2026-12-01T00:00:00Z"
    usage.show_usage({
        "organization": {"name": "Ours", "use": [use("Agents", "near", "4 of 5", 5), hours]},
        "project": {"name": "Main", "use": [use("Agents", "unlimited", "4", None)]},
    })  # fmt: skip
    text = out.export_text()
    assert "organization Ours" in text
    assert "4 of 5" in text
    assert "nearly used up" in text
    assert "once it is used up, no further machine is enrolled. What to do: revoke one." in text
    assert "counted anew from 2026-12-01" in text
    assert "not limited" in text
