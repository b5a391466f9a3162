"""The program on a machine that measures: enrols, claims, executes, spools, reports."""

VERSION = "0.1.0"
PROTOCOL = 1
