"""The verifier of certificates: standard library only, nothing of the engine; read arithmetic and core first."""
