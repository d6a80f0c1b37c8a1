"""Hypothesis settings for all tests: deterministic, no deadline (machines are shared)."""

from hypothesis import settings

settings.register_profile("dpaudit", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("dpaudit")
