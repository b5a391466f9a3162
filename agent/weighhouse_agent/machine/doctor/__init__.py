"""Whether a machine is fit to measure: what was found, what it does to figures, what to change.

One small function a fact; each takes what an agent tells of its machine, so that the facts stored
with a run can be judged as well as the machine at hand.
"""
