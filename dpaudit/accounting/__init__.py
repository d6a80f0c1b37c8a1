"""Certified composition: two-sided bounds on the privacy profile of a whole pipeline."""
