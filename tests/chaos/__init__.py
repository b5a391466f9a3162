"""Breaks a platform with several agents on purpose, and counts what it lost.

`make chaos ROUNDS=20`: each round starts a campaign and disturbs it at random moments; afterwards
every run has to be in exactly one final state, with every interval once. All of it stays on the
loopback network of one machine, and ends by itself.
"""
