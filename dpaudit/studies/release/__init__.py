"""Releases: one output of the audited law, drawn exactly, with the guarantee that was audited for this very setting."""
