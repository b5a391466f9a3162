"""How often the judge is wrong, measured on figures whose truth is known."""
