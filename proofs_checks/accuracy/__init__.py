"""Checks on accuracy: how near the release is to the true posterior."""
