"""Published studies that can be run here: their claims, held against what was measured."""
