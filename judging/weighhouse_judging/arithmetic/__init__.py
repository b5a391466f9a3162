"""Histograms, medians, intervals and tests: numbers in, numbers out."""
