"""YCSB's property files as workloads and experiments."""

from weighhouse_protocol.ycsb.core import Translated, experiment_of, translate
from weighhouse_protocol.ycsb.properties import Note, YcsbError, read_properties

__all__ = ["Note", "Translated", "YcsbError", "experiment_of", "read_properties", "translate"]
