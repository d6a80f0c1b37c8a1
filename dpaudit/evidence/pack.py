"""python -m dpaudit.evidence.pack FILE: writes the verifier as one file that runs alone, dpaudit-verify.pyz."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

NAME = "dpaudit-verify.pyz"
MAIN = "import sys\n\nfrom verifier.main import main\n\nsys.exit(main())\n"
EPOCH = (1980, 1, 1, 0, 0, 0)


def pack(path: Path) -> None:
    """Writes the archive: the verifier's unchanged files and a line that starts it; always the same bytes."""
    folder = Path(__file__).parent / "verifier"
    files = sorted(path.relative_to(folder.parent) for path in folder.rglob("*.py"))
    sources = {path.as_posix(): (folder.parent / path).read_text(encoding="utf-8") for path in files}
    sources.pop("verifier/__main__.py")
    with path.open("wb") as file:
        file.write(b"#!/usr/bin/env -S python3 -I\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in {"__main__.py": MAIN, **sources}.items():
                archive.writestr(zipfile.ZipInfo(name, EPOCH), text, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else NAME)
    pack(target)
    print(f"written: {target}; python -I {target} certificate.json --full")
