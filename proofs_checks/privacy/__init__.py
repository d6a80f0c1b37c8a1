"""Checks on privacy: which mechanism is private, the smooth sensitivities, sliding and dilation."""
