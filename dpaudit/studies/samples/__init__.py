"""Black boxes: what counts of outputs show about code that cannot be followed, and what they cannot."""
