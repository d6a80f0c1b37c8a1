"""The command line, run in this process: its JSON, its text, and the enclosures in that text."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

from typer.testing import CliRunner

from dpaudit.cli import make_app

from .settings import Family
from .view import View

EFFORT = ("seconds",)
WIDE = {"COLUMNS": "20000", "NO_COLOR": "1", "TERM": "dumb"}


def output_of(view: View, name: str, *words: str, as_json: bool = False) -> Any:
    """What the command prints: a document with ``as_json``, else text. Its errors are raised."""
    start = view.case.command(name) if isinstance(view.case, Family) else [name, "--mech", view.written]
    result = CliRunner().invoke(make_app(), [*start, *words, *(["--json"] if as_json else [])], env=WIDE)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return json.loads(result.stdout) if as_json else result.stdout


def without_effort(document: dict[str, Any]) -> dict[str, Any]:
    """The document without the time that it took."""
    return {name: value for name, value in json.loads(json.dumps(document)).items() if name not in EFFORT}


def enclosure_of(text: str, title: str) -> tuple[Any, Any] | None:
    """The two ends on the line that starts with the title; None if there is no such line.

    >>> enclosure_of("true ε   0.41[65, 66]e-3", "true ε")
    (Fraction(833, 2000000), Fraction(2083, 5000000))
    """
    line = next((line for line in text.splitlines() if line.strip().startswith(title)), None)
    if line is None:
        return None
    shown = re.sub(r"^\S+( ε)?\s+", "", line.strip()) if title == "true ε" else line.strip().split(maxsplit=1)[1]
    shown = shown.strip()
    if shown == "∞":
        return float("inf"), float("inf")
    parts = re.fullmatch(r"(?P<same>[-\d.]*)\[(?P<low>[^,]+), (?P<high>[^\]]+)\](?P<power>e-?\d+)?", shown)
    if parts is None:
        return Fraction(shown), Fraction(shown)
    same, power = parts["same"], parts["power"] or ""
    return Fraction(f"{same}{parts['low']}{power}"), Fraction(f"{same}{parts['high']}{power}")
