"""YCSB's property files as workloads and experiments."""

from weighhouse_protocol.ycsb.core import Translated, translate
from weighhouse_protocol.ycsb.experiment import experiment_of
from weighhouse_protocol.ycsb.java import read_entries, text_of
from weighhouse_protocol.ycsb.notes import Note, Problem, YcsbError

__all__ = [
    "Note",
    "Problem",
    "Translated",
    "YcsbError",
    "experiment_of",
    "read_entries",
    "text_of",
    "translate",
]
