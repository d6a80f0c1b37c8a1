"""Studies: what the exact laws say about accuracy, calibration, comparisons, counterexamples, samples, releases."""
