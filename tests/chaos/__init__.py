"""Breaks a platform with several agents on purpose, and counts what it lost.

`make chaos ROUNDS=20`: each round starts a campaign, and while it is at work a condition befalls
the platform for a minute: no room on a disk, a server or worker that stands still or is gone, a
network that is parted. It has to be named while it lasts, and over soon after; every run has to end
in exactly one final state, with every interval once. Rounds beyond the conditions are disturbed at
random moments. All of it stays on the loopback network of one machine, and ends by itself.
"""
