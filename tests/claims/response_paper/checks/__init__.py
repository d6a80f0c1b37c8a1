"""The checks of the paper."""
