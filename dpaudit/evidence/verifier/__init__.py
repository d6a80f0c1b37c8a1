"""The verifier of certificates: standard library only, nothing of the engine; see README.md for the order to read."""
