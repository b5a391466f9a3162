"""What is taken along as files: tables of lists, comparisons, runs and series."""
