"""Privacy: what two neighbouring data sets' outputs give away."""
