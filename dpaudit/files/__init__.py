"""Untrusted files, read with care."""
