"""``tests`` is this folder's parent, also where an installed library (diffprivlib) brings a package of that name."""

import sys
from pathlib import Path
from types import ModuleType

HERE = str(Path(__file__).parents[1])
if HERE not in getattr(sys.modules.get("tests"), "__path__", ()):
    sys.modules["tests"] = ModuleType("tests")
    sys.modules["tests"].__path__ = [HERE]
