"""Runs the verifier from its folder, without the package around it: python -I dpaudit/evidence/verifier FILE."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from verifier.main import main  # type: ignore[import-not-found]

if __name__ == "__main__":
    sys.exit(main())
