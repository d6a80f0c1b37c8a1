"""dpaudit: an exact auditor for differential privacy.

>>> import dpaudit
>>> result = dpaudit.epsilon("EHDS", n=100)
>>> str(result.epsilon)[:8], result.claim.verdict.value
('0.399933', 'PROVED')
"""

import re
from pathlib import Path
from typing import Any

from dpaudit.version import __version__ as __version__

IMPORTED = re.compile(r"^from (dpaudit\.\S+) import (\w+) as (\w+)$", re.MULTILINE)
LATER = {
    name: f"{module}:{attribute}"
    for module, attribute, name in IMPORTED.findall(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    if name != "__version__"
}
"""What ``__init__.pyi`` imports for type checkers is imported here when it is first used: name -> module:attribute."""
__all__ = [*LATER, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = LATER[name].partition(":")
    globals()[name] = found = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
