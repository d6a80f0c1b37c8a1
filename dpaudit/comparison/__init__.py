"""Which mechanism to use."""
