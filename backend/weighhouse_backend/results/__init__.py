"""Events of attempts, intervals, merged histograms, summaries, logs, artefacts."""
