"""Certificates of theorems: every epsilon, every prior of a box, every n; nothing else needs these files."""
