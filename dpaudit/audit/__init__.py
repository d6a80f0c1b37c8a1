"""One call a question."""
