"""One vocabulary for what systems promise and are given, and the rules that translate into it.

`vocabulary` has the words, `rules` what a manifest says, `translation` the evaluation of both.
"""
