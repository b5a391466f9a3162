"""By which rules it was judged: one number for all of them."""

RULES_VERSION = 7
"""Stands beside every verdict that is kept, so that one may see by which rules it was made.

To be raised by one whenever the same figures could get another verdict of a gate, or another
finding of a run: a method, a level, a default threshold, what makes cells comparable, a check. Not
for words, speed, or what is worked out anew whenever it is asked for (comparisons, change points).
A test holds recorded conclusions against the present rules, and fails when they differ under one
number.

| version | rules |
| --- | --- |
| 1 | those of all verdicts from before the number was kept |
| 2 | identity, blocks, families, bases, anchor, noise floors: docs/verdicts.md |
| 3 | courses that return, standstills, counts by chance; clients missed of what was timed alone |
| 4 | campaigns differ as all completed ones of their series do; without four, nothing is told |
| 5 | what machines of a kind differ by is taken out; worse twice is unclear where it was lately |
| 6 | client's counts against the server's; reads through caches that nobody spoke of |
| 7 | an anchor that lies by itself counts as far as campaigns differ |
"""
