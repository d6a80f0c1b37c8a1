"""Certificates, and the verifier that shares nothing with the engine."""
