"""The net: whatever two paths compute must agree, on extreme settings that a machine makes up."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # reference.py and certificates.py, also without pytest
