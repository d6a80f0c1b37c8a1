"""The report from the rows."""

from pathlib import Path


def write(folder: Path) -> None:
    """Writes report.md and result.json."""
