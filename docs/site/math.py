"""Formulas on the site as MathML: every browser shows it, without a script, a font or the network."""

import re
from html import escape
from typing import Any

NAMED = re.compile(r"(<mi>(?:ln|log|exp)</mi>)(?=<(?!/|mo stretchy|mrow><mo stretchy))")
"""The name of a function whose argument is not in brackets."""
BAR = re.compile(r"(?<!\\left)(?<!\\right)(?=\\(l|r)[vV]ert)")
"""The place before a bar that no ``\\left`` or ``\\right`` makes a bracket; without one, space is put around it."""


def inline(translator: Any, node: Any) -> None:
    """Writes a formula within a line."""
    _write(translator, node, "inline")


def block(translator: Any, node: Any) -> None:
    """Writes a formula on a line of its own."""
    _write(translator, node, "block")


def _write(translator: Any, node: Any, display: str) -> None:
    from docutils.nodes import SkipNode
    from latex2mathml.converter import convert

    source = node.astext()
    fenced = BAR.sub(lambda bar: {"l": r"\left", "r": r"\right"}[bar[1]], source)
    spaced = NAMED.sub(r'\1<mspace width="0.17em" />', convert(fenced, display=display))
    formula = spaced.replace("<math ", f'<math alttext="{escape(source)}" ', 1)
    translator.body.append(formula if display == "inline" else f'<div class="math">{formula}</div>\n')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Registers the renderer ``mathml`` with Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
