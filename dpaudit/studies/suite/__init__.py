"""The standard suite as a whole: code with noise (noise/suite) and the local protocols by name."""
