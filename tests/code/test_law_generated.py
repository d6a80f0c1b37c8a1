"""Random programs, inside the mergeable subset and outside of it, against the enumeration of all their draws.

Every loop ends after a few turns, so that plain enumeration, which shares no code with dpaudit, knows the exact law.
"""

import random
import textwrap
from fractions import Fraction

import numpy as np
import pytest

from dpaudit.code.law import Refused, Session
from tests.code.snippets import law, made, table
from tests.plain_enumeration import enumerated

BITS = 2
HEAD = """
import copy, decimal, math
import numpy as np
LOG, TOTAL = [], {"n": 0}
class Box:
    count = 0
    def __init__(self, size): self.size, self.kept = size, []
    def put(self, value): self.kept.append(value % self.size)
    def sum(self): return sum(self.kept)
def coin(rng): return rng.randrange(2)
def walk(n, rng):
    while n > 0 and coin(rng):
        n -= 1
    return n
def deep(n, rng): return 0 if n <= 0 else coin(rng) + deep(n - 1, rng)
def log(value):
    LOG.append(value)
    return len(LOG) % 2
"""
INSIDE = [
    "a = rng.randrange({n})",
    "b = (a + rng.randrange({n})) % 3",
    "a, b = b, a",
    "a += coin(rng)",
    "c = walk({n}, rng)",
    "b = deep({n}, rng)",
    "xs.append(a)",
    "xs[-1] += b",
    "ys = xs",
    "ys = list(xs)",
    "d['k'] = d.get('k', 0) + a",
    "box = Box({n} + 1)\nbox.put(a)\nc = box.sum()",
    "box.size = a + 1",
    "v[{n} % 2] += a",
    "u = rng.random()",
    "c = 1 if u < 0.5 else c",
    "c = sum(coin(rng) for _ in range({n}))",
    "xs = [x + 1 for x in xs]",
    "def turn(k=a): return (k + b) % 3\nb = turn()",
    "b = max(xs, key=lambda x: -x)",
    "box = copy.copy(box)",
    "c = int(u * 4)",
    "try:\n    c = 6 // a\nexcept ZeroDivisionError:\n    c = 9",
]
OUTSIDE = [
    "c = log(a)",
    "TOTAL['n'] += 1",
    "Box.count = a",
    "c += Box.count",
    "decimal.getcontext().prec = 3 + a",
    "c = len(str(decimal.Decimal(1) / 3))",
    "np.seterr(over='raise' if a else 'ignore')",
    "c = len(np.geterr()['over'])",
    "with np.errstate(over='ignore'):\n    c = coin(rng)",
    "c = next(iter({{a, b, 7}}))",
]
RESET = "LOG.clear(); TOTAL['n'] = 0; Box.count = 0; decimal.getcontext().prec = 28; np.seterr(over='ignore')"


def block(dice, lines, depth):
    """Some statements; loops that end, and conditions, around others."""
    found = []
    for _ in range(dice.randint(1, 3)):
        shape = dice.randrange(8) if depth else 7
        inner = lambda: textwrap.indent(block(dice, lines, depth - 1), "    ")  # noqa: E731
        if shape == 0:
            found.append(f"for i in range({dice.randint(1, 3)}):\n{inner()}")
        elif shape == 1:
            name = f"left{dice.randrange(1000)}"
            found.append(f"{name} = {dice.randint(1, 3)}\nwhile {name} and coin(rng):\n    {name} -= 1\n{inner()}")
        elif shape == 2:
            found.append(f"if coin(rng):\n{inner()}\nelse:\n{inner()}")
        elif shape == 3:
            leave = dice.choice(("break", "continue"))
            found.append(f"for i, x in enumerate((1, 2)):\n    if coin(rng):\n        {leave}\n{inner()}")
        else:
            found.append(dice.choice(lines).format(n=dice.randint(1, 3)))
    return "\n".join(found)


def program(seed, outside):
    dice = random.Random(seed)
    lines = INSIDE + (OUTSIDE * 2 if outside else [])
    body = block(dice, lines, 2)
    start = "a = b = c = 0\nu = 0.5\nxs, ys, d, v, box = [0], [], {}, np.zeros(2), Box(2)\n"
    start += RESET if outside else "pass"
    end = "return a, b, c, tuple(xs), tuple(ys), d.get('k'), float(v[0]), box.size, u < 0.75"
    return HEAD + "def sample(rng):\n" + textwrap.indent(f"{start}\n{body}\n{end}", "    ") + "\n"


def is_right(text):
    """Whether the law is that of plain enumeration, within its residual."""
    sample = made(text)
    try:
        with np.errstate():
            true = enumerated(sample, BITS, most=4000)
    except AssertionError:
        return None
    try:
        answer = law(sample, bits=BITS, seconds=20, residual=Fraction(1, 10**6))
    except Refused as reason:
        return f"{reason}"
    found = table(answer)
    inside = all(found.get(o, 0) <= p <= found.get(o, 0) + answer.residual for o, p in true.items())
    return inside and found.keys() <= true.keys()


@pytest.mark.parametrize("outside", [False, True], ids=["inside", "outside"])
def test_random_programs_have_the_law_of_plain_enumeration(outside, long, monkeypatch):
    monkeypatch.setattr(Session, "_try", lambda *_: None)
    count = 1500 if long else 8
    answers = {seed: is_right(program(seed, outside)) for seed in range(count)}
    assert [seed for seed, right in answers.items() if right is False] == []
    refused = [right for right in answers.values() if isinstance(right, str)]
    assert len(refused) <= (0 if not outside else count // 4), refused[:3]
    assert sum(right is True for right in answers.values()) > count // 2
