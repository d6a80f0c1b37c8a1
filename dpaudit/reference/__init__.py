"""A second path: definitions in mpmath, slow and plain, with nothing of the engine."""
