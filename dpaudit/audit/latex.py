"""An answer for a paper: a sentence with bounds rounded outward, its closed form, and a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from dpaudit.numbers.digits import at_least, at_most
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.version import __version__

PLACES = 6
PLAIN = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
PLAIN |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
MATHS = {
    **{"ε": r"\varepsilon", "δ": r"\delta", "ρ": r"\rho", "γ": r"\gamma", "α": r"\alpha", "μ": r"\mu", "σ": r"\sigma"},
    **{"Δ": r"\Delta", "′": "'", "∝": r"\propto", "−": "-", "∞": r"\infty", "→": r"\to", "≤": r"\le", "≥": r"\ge"},
    **{
        "Σ": r"\sum",
        "⌊": r"\lfloor",
        "⌋": r"\rfloor",
        "√": r"\surd",
        "π": r"\pi",
        "…": r"\ldots",
        "ᵢ": "_i",
        "²": "^2",
    },
}
"""Signs outside ASCII that dpaudit prints, as LaTeX's mathematics."""
EQUATION = re.compile(r"(?<![\w.])([^\W\d_]′?) = (\([\d., /−-]+\)|\d[\d./]*(?:e-?\d+)?|[^\W\d_])(?![\w/])")
"""A letter and its value, which is a number, a letter, or numbers in parentheses: "n = 5", "x′ = (1, 4)"."""


def escaped(text: str) -> str:
    """The text as LaTeX shows it; a letter with its value is mathematics as a whole.

    >>> escaped("50 % of ε_1"), escaped("EHDS (n = 5, prior (1, 1)): ε = 1e-8")
    ('50 \\\\% of $\\\\varepsilon$\\\\_1', 'EHDS ($n = 5$, prior (1, 1)): $\\\\varepsilon = 1 \\\\cdot 10^{-8}$')
    """
    parts, end = [], 0
    for found in EQUATION.finditer(text):
        name, value = found.groups()
        parts += [_plain(text[end : found.start()]), f"${_maths(name)} = {_maths(value)}$"]
        end = found.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    return "".join(PLAIN.get(sign) or (f"${MATHS[sign]}$" if sign in MATHS else sign) for sign in text)


def _maths(text: str) -> str:
    return "".join(MATHS.get(sign, sign) for sign in (_tex(text) if text[0].isdigit() else text))


def number(value: Enclosure) -> str:
    """Both bounds of an enclosure, rounded outward to PLACES digits; one where they are the same.

    >>> from fractions import Fraction
    >>> from dpaudit.numbers.enclosure import outward
    >>> number(outward(Fraction(1, 2), Fraction(1, 2), 20)), number(outward(Fraction(1, 3), Fraction(1, 3), 20))
    ('$0.5$', '$[0.333333, 0.333334]$')
    """
    if value.is_infinite:
        return r"$\infty$"
    if value.is_open:
        return rf"$[{_tex(at_least(value.lower, PLACES))}, \infty]$"
    lower, upper = _tex(at_least(value.lower, PLACES)), _tex(at_most(value.upper, PLACES))
    return f"${lower}$" if lower == upper else f"$[{lower}, {upper}]$"


def with_verb(value: Enclosure) -> str:
    """The enclosure with its verb: "is $0.5$", "lies in $[0.333333, 0.333334]$"."""
    shown = number(value)
    return f"{'lies in' if '[' in shown else 'is'} {shown}"


def _tex(decimal: str) -> str:
    digits, e, power = decimal.partition("e")
    return rf"{digits} \cdot 10^{{{power}}}" if e else digits


def worst_case(result: Any, name: str, value: Enclosure, pair: str, output: str) -> str:
    """A worst case for a paper: of an epsilon or a delta, with the pair and the output that attain it."""
    place, label = result.subject.mechanism.setting_text(), result.subject.label
    about, name, pair = escaped(f"{label} ({place})" if place else label), escaped(name), escaped(pair)
    said = [f"For {about}, the {name}", f"{with_verb(value)};", f"the worst pair is {pair}."]
    rows = [("mechanism", about), (name, number(value)), ("worst pair", pair)]
    rows += [("worst output", escaped(output))] if result.witness.output is not None else []
    rows += [] if result.judgement is None else [("verdict", escaped(result.judgement.text()))]
    return document(result.command, said, rows, getattr(result, "closed_form", None))


def document(command: str | None, sentence: Sequence[str], rows: Sequence[tuple[str, str]], closed: Any = None) -> str:
    """The lines for a paper; ``rows`` and ``sentence`` are LaTeX already, ``closed`` is a sympy expression."""
    lines = [f"% dpaudit {__version__}: {command or 'asked in Python'}", " ".join(sentence)]
    if closed is not None:
        import sympy  # type: ignore[import-untyped]

        lines += [r"\[ \varepsilon_{\mathrm{true}} = " + sympy.latex(closed).replace("epsilon", "varepsilon") + r" \]"]
    table = [rf"{name} & {value} \\" for name, value in rows]
    return "\n".join([*lines, r"\begin{tabular}{ll}", *table, r"\end{tabular}"]) + "\n"
