"""Plugins as wheels: what is in them, by which digest they are known, what drivers are built of."""
