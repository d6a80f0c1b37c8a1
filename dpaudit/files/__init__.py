"""Files from strangers, read with care."""
