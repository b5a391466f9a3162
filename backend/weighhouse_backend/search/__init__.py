"""Everything that is written and measured, found by its words."""
