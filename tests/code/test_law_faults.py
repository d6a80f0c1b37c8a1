"""The engine broken on purpose: every fault must be seen by the law of a small sampler, which is right without it."""

from fractions import Fraction

import pytest

from dpaudit.code import chain, closed, explore, keys, lazy, monotone, statements, subs
from dpaudit.code.hooks import Hooks
from dpaudit.code.law import Session
from dpaudit.code.run import Draw, Refused, Run
from dpaudit.code.values import Values
from tests.code.snippets import law, sampler
from tests.code.test_closed import HEAD, flag_is_known

HALF = {"True": Fraction(1, 2), "False": Fraction(1, 2)}
LAWS = {
    "rejection": ("r = 3\nwhile r == 3: r = rng.getrandbits(2)\nreturn r", dict.fromkeys("012", "1/3")),
    "a list": ("xs = [1 if rng.randrange(2) else 0]\nwhile rng.randrange(2): pass\nreturn xs[0] == 1", HALF),
    "a variable": ("x = 1 if rng.randrange(2) else 0\nwhile rng.randrange(2): pass\nreturn x == 1", HALF),
    "a closure": ("f = held(1 if rng.randrange(2) else 0)\nwhile rng.randrange(2): pass\nreturn f() == 1", HALF),
    "an open number": ("u = rng.random()\nu < 0.5\nwhile rng.randrange(2): pass\nreturn u < 0.5", HALF),
    "two cuts": ("return 0.25 < rng.random() <= 0.75", HALF),
    "classes": ("return rng.randrange(6) % 2 == 0", HALF),
    "two lists": ("box = ONE if rng.randrange(2) else OTHER\nwhile rng.randrange(2): pass\nreturn box[0] == 0", HALF),
    "an argument": ("return spun(ONE if rng.randrange(2) else OTHER, rng)", HALF),
    "an inner loop": ("x = 1 if rng.randrange(2) else 0\nidle(rng.random(), rng)\nreturn x == 1", HALF),
    "a choice": ("return rng.choice([True, True, False, False])", HALF),
    "a sub-sampler": ("return coin(rng) != coin(rng)", HALF),
}
HELPERS = """
def held(x): return lambda: x
def idle(u, rng):
    while rng.randrange(2): pass
def coin(rng):
    while True:
        r = rng.randrange(3)
        if r < 2: return r
"""
BELOW, TURN, RAISE = lazy.below, Hooks.head, "try: raise Raising\nexcept Raising: pass"


def unequal(draw, sign, modulus):
    draw.cut(sign, lambda: [(0, 1), (1, draw.hi)])


def first_output(self, run, law, name):
    return law.outputs[0]


FAULTS = {
    "operands of any type": (closed, "is_closed", lambda value: True, "[HOSTILE] == [1]"),
    "everything is one's own": (Values, "is_own", lambda self, value: True, "ONE.append(1)"),
    "descriptors store": (closed, "stores_plainly", lambda kind, name: True, "Holder().x = 1"),
    "descriptors read": (closed, "reads_plainly", lambda found: True, "Method().plain"),
    "classes make themselves": (closed, "is_plain_class", lambda kind: True, "Made()"),
    "exceptions make themselves": (closed, "is_plain_error", lambda kind: True, RAISE),
    "any iterator": (Values, "it", lambda self, value: value, "[*HOSTILE]"),
    "no note is taken": (Run, "leave_the_list", lambda self, what: None, "ONE.append(1)"),
    "new is what is not": (closed, "GIVE_NEW", ("pop",), "[ONE].pop().append(1)"),
    "a known list": (Hooks, "_builtin_method", lambda self, f, *given: f(*given), "ONE.append(1)"),
    "lists alike": (keys.Keys, "_made", lambda self, kind, value: kind, "a list"),
    "objects alike": (keys.Keys, "_compound", lambda self, kind, value: kind, "two lists"),
    "arguments alike": (keys.Keys, "_compound", lambda self, kind, value: kind, "an argument"),
    "intervals alike": (Draw, "state", lambda self: (), "an open number"),
    "nothing is live": (statements, "dead", lambda function, loop: frozenset(["x"]), "a variable"),
    "cells alike": (keys.Keys, "_function", lambda self, value: "function", "a closure"),
    "series of one term": (chain, "EXACT", chain.EXACT._replace(series=lambda p: Fraction(1)), "rejection"),
    "widths from 0 on": (Draw, "width", property(lambda self: self.hi), "two cuts"),
    "one number less": (lazy, "below", lambda *given: BELOW(given[0], given[1] - 1), "a choice"),
    "classes of equal size": (Draw, "cut_residues", unequal, "classes"),
    "every function is the outermost": (
        Hooks,
        "head",
        lambda self, site, top, names: TURN(self, site, True, names),
        "an inner loop",
    ),
    "a sub-sampler's first output": (subs.Subs, "drawn", first_output, "a sub-sampler"),
    "alternatives are lost": (explore, "dict", lambda pairs: {}, "a choice"),
}


def is_seen(probe):
    """Whether the law of the probe is wrong, or there is none."""
    try:
        if probe not in LAWS:
            return not flag_is_known(probe, "len(NOTE) + len(ONE)")
        body, wanted = LAWS[probe]
        found = law(sampler(body, HEAD + HELPERS), runs=300)
        lower = {str(output): p for output, p in zip(found.outputs, found.lower, strict=True)}
        if found.residual > Fraction(1, 1 << 60):
            return True
        return not all(lower.get(o, 0) <= Fraction(p) <= lower.get(o, 0) + found.residual for o, p in wanted.items())
    except (Refused, Exception):
        return True


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_engine_is_seen(fault, monkeypatch):
    owner, name, broken, probe = FAULTS[fault]
    monkeypatch.setattr(Session, "_try", lambda *_: None)
    assert not is_seen(probe)
    monkeypatch.setattr(owner, name, broken, raising=name != "dict")
    assert is_seen(probe)


@pytest.mark.parametrize("body", ["return INT", "try: return INT\nexcept Exception: return 0", "return outer(rng)"])
def test_an_exception_of_dpaudit_is_no_output_and_is_not_for_the_code_to_catch(body, monkeypatch):
    monkeypatch.setattr(monotone, "stretches", None)
    with pytest.raises(Refused, match="a fault of dpaudit"):
        law(sampler(body.replace("INT", "int(8 * rng.random())"), "def outer(rng): return int(8 * rng.random())"))
