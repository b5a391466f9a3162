"""A release with data is upgraded to this one, and nothing that it told has changed."""
