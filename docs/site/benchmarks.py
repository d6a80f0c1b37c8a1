"""The tables of docs/benchmarks.md: ``python -m docs.site.benchmarks`` writes them from the committed figures."""

import json
import re
import sys

from docs.site.contents import DOCS, ROOT

PAGE = DOCS / "benchmarks.md"
BEGIN = "## The committed figures\n"


def tables() -> str:
    """Returns the ratios and the growth exponents of benchmarks/results.json as tables."""
    found = json.loads((ROOT / "benchmarks/results.json").read_text(encoding="utf-8"))
    ratios = [f"| {_typeset(row['what'])} | {row['rival']} | {_short(row['ratio'])} |" for row in found["ratios"]]
    growth = [f"| {row['what']} | {_short(row['exponent'])} |" for row in found["growth"]]
    lines = ["", "| ours | against | our time / theirs |", "|---|---|---|", *ratios, ""]
    lines += [r"Growth: between the two sizes the time grows as $n^{\text{exponent}}$.", ""]
    return "\n".join([*lines, "| what | exponent |", "|---|---|", *growth]) + "\n"


def _typeset(words: str) -> str:
    """Returns the words with their powers as formulas.

    >>> _typeset("2^10 outputs")
    '$2^{10}$ outputs'
    """
    return re.sub(r"\b(\d+)\^(\d+)\b", r"$\1^{\2}$", words)


def _short(value: float) -> str:
    """Returns the number to two significant digits.

    >>> _short(45.7969), _short(0.0121), _short(1.5)
    ('46', '0.012', '1.5')
    """
    return f"{float(f'{value:.2g}'):g}"


def page() -> str:
    """Returns the page with fresh tables."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[0] + BEGIN + tables()


def main() -> int:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
