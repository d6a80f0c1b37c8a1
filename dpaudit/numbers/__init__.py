"""Exact numbers in, enclosures out."""
