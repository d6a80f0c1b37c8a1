"""A user's own mechanism: a class, a table, a sampler's code."""
