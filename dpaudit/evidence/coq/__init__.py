"""Certificates as files for the proof assistant Coq: definitions for people, theorems, and proofs for its kernel."""
