"""How long what was measured is kept, what is kept whatever the rules, and what is deleted."""
