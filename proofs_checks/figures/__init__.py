"""Checks on the printed tables and figures."""
