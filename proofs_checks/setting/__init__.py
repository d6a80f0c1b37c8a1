"""Checks on the setting: candidates, sensitivities, level sets; the exact order and the lemmas that others use."""
