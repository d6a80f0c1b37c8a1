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


def sample_of(expression, **names):
    """The sampler that gives the value of the expression in rng."""
    return made(f"def sample(rng):\n    return {expression}", **names)


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


def texts(found):
    """{text of the output: probability} of an exact law."""
    assert found.residual == 0
    return {str(output): p for output, p in zip(found.outputs, found.lower, strict=True)}
