"""Whether a plugin can do what a document asks of it: the one judge of target × manifest. Pure.

The platform asks when an experiment is written, the agent before anything is set up, the test kit
of every plugin; nobody else holds a target against a manifest, so what one of them takes the others
take. Only what a machine has is known to its agent alone.
"""
