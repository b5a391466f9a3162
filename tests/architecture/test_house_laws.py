def test_every_setting_is_documented() -> None:
    page = text("docs/settings.md")
    missing = [
        f"WEIGHHOUSE_{name.upper()}"
        for name, field in Settings.model_fields.items()
        if f"WEIGHHOUSE_{name.upper()}" not in page or (field.description or "?") not in page
    ]
    assert not missing, f"docs/settings.md does not tell of {missing}"


def test_every_error_has_its_page() -> None:
    slugs = {
        found
        for name in tracked("errors.py", "problems.py", "etags.py", "idempotency.py")
        if name.startswith("backend/weighhouse_backend/")
        for found in re.findall(
            r'^ +slug(?:: ClassVar\[str\])? = "([a-z-]+)"', text(name), re.MULTILINE
        )
    }
    assert slugs
    missing = [
        slug for slug in sorted(slugs) if not (ROOT / "docs" / "problems" / f"{slug}.md").exists()
    ]
    assert not missing, f"docs/problems/ has no page about {missing}"
