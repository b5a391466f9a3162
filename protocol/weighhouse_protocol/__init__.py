"""The documents that cross a process boundary: their models, schemas and fixtures.

Import from the modules; this package root only names the version of the protocol.
"""

PROTOCOL_VERSION = 1
"""Version of every document here; a reader refuses a higher one."""
