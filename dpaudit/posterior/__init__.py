"""The documents' world: histograms, posteriors, distances, sensitivities."""
