"""Samplers from text, and laws as tables, for the tests of this room; shares no code with dpaudit's engine."""

import linecache
import math
import textwrap
from fractions import Fraction
from itertools import count

import numpy as np
import pytest

import dpaudit
from dpaudit.code import law as law_of_code
from dpaudit.code.explore import Budget, Raised
from dpaudit.code.law import Session
from dpaudit.code.run import Run
from dpaudit.code.source import Source
from tests.plain_enumeration import kind

_NUMBERS = count()


def made(text, name="sample", title="snippet", **names):
    """The function of this name in the text, which has a source as a file would; ``names`` are its globals too."""
    text, path = textwrap.dedent(text).strip() + "\n", f"/snippets/{title}_{next(_NUMBERS)}.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    space = {"__name__": "a_snippet", "math": math, "np": np, "Fraction": Fraction, "dpaudit": dpaudit, **names}
    exec(compile(text, path, "exec", dont_inherit=True), space)
    return space[name]


def sampler(body, head="", **names):
    """The function sample(rng) with this body, in a module that begins with ``head``."""
    return made(f"{head}\ndef sample(rng):\n{textwrap.indent(textwrap.dedent(body), '    ')}", **names)


def uniform(values):
    """The uniform law on the values."""
    return dict.fromkeys(values, Fraction(1, len(values)))


def cases(text, **names):
    """(body, expected) of each case in the text: the lines of a body, and then "= " with an expression."""
    space, found, body = {"F": Fraction, "comb": math.comb, "uniform": uniform, **names}, [], []
    for line in text.strip().split("\n"):
        if line.startswith("= "):
            found.append(pytest.param("\n".join(body), eval(line[2:], space), id=f"{len(found)} {body[0][:40]}"))
            body = []
        else:
            body.append(line)
    assert not body
    return found


def law(function, *given, bits=53, **budget):
    """The law of function(*given), by default of function(rng); real floats, in trials, have 53 bits."""
    with pytest.MonkeyPatch.context() as patch:
        if bits != 53:
            patch.setattr(law_of_code, "TRIALS", 0)
        return Session(Budget(**budget), bits).law(function, given or (Source(),))


def table(found):
    """{(type, text) of the output: probability}, as plain_enumeration has it; an exception is ("Raised", name)."""
    return {
        ("Raised", o.kind) if isinstance(o, Raised) else kind(o): p
        for o, p in zip(found.outputs, found.lower, strict=True)
    }


def exact(found):
    """{output: probability} of an exact law."""
    assert found.residual == 0
    return dict(zip(found.outputs, found.lower, strict=True))


def texts(found):
    """{text of the output: probability} of an exact law."""
    return {str(output): p for output, p in exact(found).items()}


def drawn(size, lo=0, hi=None, stride=1, offset=0):
    """A draw of a fresh run, of which this is known."""
    draw = Run(()).draw(size)
    draw.lo, draw.hi, draw.stride, draw.offset = lo, size if hi is None else hi, stride, offset
    return draw
