"""The verifier of certificates: standard library only, no code of the engine; read arithmetic and core first."""
