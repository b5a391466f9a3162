"""What a plugin reads of the schemas in its manifest. Values are held against them by
`weighhouse_protocol.compatibility`.
"""

from weighhouse_protocol.parameters import declared, defaults

__all__ = ["declared", "defaults"]
