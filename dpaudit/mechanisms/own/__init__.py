"""Anybody's own mechanism: a class, a table, a sampler's code."""
