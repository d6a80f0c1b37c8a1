"""A second path for everybody: definitions in mpmath, slow and plain, with nothing of the engine."""
