"""Privacy: what two neighboring data sets' outputs give away."""
