"""Runs the verifier from its folder, without the package around it: python -I dpaudit/evidence/verifier FILE."""

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    sys.exit(import_module("verifier.main").main())
