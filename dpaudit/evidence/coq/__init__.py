"""Certificates as files for the proof assistant Coq: definitions to read, theorems, and proofs for its kernel."""
