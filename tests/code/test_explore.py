"""Loops that people write, with their laws: summed exactly, on every version of Python."""

from fractions import Fraction as F

import pytest

import dpaudit
from tests.code.snippets import cases, exact, law, sampler

HEAD = """
import random
OWN = random.SystemRandom()
def coin(p, rng): return rng.random() < p
def named(**given): return given
def heads(n, rng): return 0 if n == 0 else (rng.random() < 0.5) + heads(n - 1, rng)
class Walker:
    def __init__(self, p): self.p, self.__q = p, 0
    def run(self, rng):
        while rng.random() < self.p: pass
        return self.__q
"""
LOOPS = """
while True:
    r = rng.getrandbits(3)
    if r < 6:
        return r
= uniform(range(6))
n = 0
while rng.random() < 0.5 and n < 5:
    n += 1
return n
= {**{k: F(1, 2 ** (k + 1)) for k in range(5)}, 5: F(1, 32)}
s = 0
for _ in range(20):
    s += rng.random() < 0.25
return s
= {k: comb(20, k) * F(1, 4) ** k * F(3, 4) ** (20 - k) for k in range(21)}
s = 0
for a in [1, 2, 3]:
    if rng.randrange(3) == 0:
        continue
    s += a
else:
    s += 10
return s
= {10: F(1, 27), 11: F(2, 27), 12: F(2, 27), 13: F(6, 27), 14: F(4, 27), 15: F(4, 27), 16: F(8, 27)}
out = []
for i, q in enumerate((3, 1, 2)):
    if q + rng.randrange(3) > 3:
        out.append(i)
        break
return tuple(out)
= {(0,): F(2, 3), (2,): F(1, 9), (): F(2, 9)}
for i in range(3):
    while True:
        r = rng.getrandbits(2)
        if r < 3:
            break
    if r == 2:
        return i
return -1
= {0: F(1, 3), 1: F(2, 9), 2: F(4, 27), -1: F(8, 27)}
while True:
    a, b = rng.randrange(6), rng.randrange(6)
    if a + b == 7:
        return a
= uniform(range(2, 6))
while True:
    if rng.random() < 0.25:
        return "stop"
    if rng.random() < 0.5:
        return "late"
= {"stop": F(2, 5), "late": F(3, 5)}
k = 0
while coin(0.5, rng):
    k = (k + 1) % 3
return k
= {0: F(4, 7), 1: F(2, 7), 2: F(1, 7)}
return heads(6, rng)
= {k: F(comb(6, k), 64) for k in range(7)}
while random.randrange(2):
    pass
return OWN.randrange(3)
= uniform(range(3))
def flip(): return rng.random() < 0.5
k = 0
while flip():
    k = 1 - k
return k
= {0: F(2, 3), 1: F(1, 3)}
u = rng.random()
try: return u.value
except AttributeError: return str(u > 0.5)
= {'True': F(1, 2) - F(1, 2**53), 'False': F(1, 2) + F(1, 2**53)}
return dpaudit.until(lambda: rng.getrandbits(3), lambda r: r < 6)
= uniform(range(6))
r = dpaudit.until(lambda: rng.getrandbits(3), lambda r: r < 5)
return r + 1
= uniform(range(1, 6))
out = []
for a, (b, c) in zip([1, 2], [(3, 4), (5, 6)]):
    while rng.random() < 0.5:
        a = 7 - a
    out.append(a * b * c)
return tuple(out)
= {(12, 60): F(4, 9), (12, 150): F(2, 9), (72, 60): F(2, 9), (72, 150): F(1, 9)}
least = -int(np.iinfo(np.int64).max)
while rng.random() < 0.5:
    pass
return abs(least)
= {2**63 - 1: 1}
return Walker(0.5).run(rng) + 1
= {1: 1}
while True:
    try:
        return 1 / rng.randrange(4)
    except ZeroDivisionError:
        continue
= uniform((1.0, 0.5, 1 / 3))
n = 0
while True:
    try:
        if rng.random() < 0.5:
            return n
    finally:
        n = 1 - n
= {0: F(2, 3), 1: F(1, 3)}
while True:
    if sum(rng.random() < 0.5 for _ in range(3)) == 2:
        return any(rng.random() < 0.5 for _ in range(2))
= {True: F(3, 4), False: F(1, 4)}
xs = [1, 2, 3]
rng.shuffle(xs)
while rng.random() < 0.5:
    pass
return tuple(xs)
= uniform(((1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)))
while rng.random() < 0.5:
    if rng.random() < 0.5:
        break
else:
    return "else"
return "break"
= {"else": F(2, 3), "break": F(1, 3)}
heads = tails = 0  # two counters of which only the difference decides: 30 turns with few states
for _ in range(30):
    if rng.random() < 0.5:
        heads += 1
    else:
        tails += 1
return heads - tails > 20
= {True: F(31931, 2**30), False: 1 - F(31931, 2**30)}
"""


@pytest.mark.quick
@pytest.mark.parametrize(("body", "expected"), cases(LOOPS))
def test_a_loop_is_summed_exactly(body, expected):
    found = law(sampler(body, HEAD))
    assert exact(found) == expected
    assert found.unrolled is None


@pytest.mark.parametrize("again", ["return sample(rng)", "return not sample(rng)"])
def test_recursion_without_a_smaller_argument_is_unrolled(again):
    found = law(sampler(f"if rng.random() < 0.25:\n    {again}\nreturn True"))
    true = dict(zip(found.outputs, found.lower, strict=True))[True]
    assert 0 < found.residual < F(1, 2**64)
    assert true <= (F(4, 5) if "not" in again else 1) <= true + found.residual


OUTSIDE = {
    "np.set_printoptions(precision=8)": "`set_printoptions` is outside the mergeable subset",
    "x = {'a': 0}": "an expression Dict",
    "x = {0, 1}": "an expression Set",
    "named()": "a dict of named arguments",
    "x = lambda **given: given": "an expression Lambda",
    "x = np.zeros(2)": "`zeros` is outside the mergeable subset",
    "x = np.random.randint(2, size=2)": "an array that randint draws",
    "x = max([1, 2], key=abs)": "max() of a builtin_function_or_method",
    "f = heads; f(**{'n': 0, 'rng': rng})": "an expression Call",
    "with open('/dev/null'): pass": "a statement With",
    "random.flag = 0": "an attribute flag is stored",
    "OWN": "the truth of a SystemRandom",
}


@pytest.mark.parametrize("step", OUTSIDE)
@pytest.mark.parametrize("late", [False, True])
def test_a_loop_outside_the_list_is_unrolled_and_the_line_is_named(step, late):
    """Also where the step comes after the loop: what was merged before is taken back."""
    step = "if OWN: pass" if step == "OWN" else step
    found = law(sampler(f"while rng.randrange(2):\n    {'pass' if late else step}\n{step if late else ''}", HEAD))
    assert 0 < found.residual <= F(1, 2**64)
    line, why = found.unrolled
    assert line.startswith("snippet_") or why.startswith("snippet_")
    assert OUTSIDE["OWN" if "OWN" in step else step] in why


def test_until_is_an_ordinary_loop_outside_an_audit():
    values = iter((7, 6, 2, 1))
    assert dpaudit.until(lambda: next(values), lambda r: r < 6) == 2


def test_a_function_without_a_source_is_followed_unmerged_and_named(tmp_path):
    (tmp_path / "built.py").write_text(
        'built = {}\nexec("def loop(rng):\\n while rng.random() < 0.5: pass\\n return 1", built)\n'
        "class Built:\n"
        "    def datasets(self): return [0, 1]\n"
        "    def sample(self, x, rng): return built['loop'](rng)\n"
    )
    notes = dpaudit.epsilon(f"{tmp_path / 'built.py'}:Built").to_dict()["notes"]
    assert [note.partition(", residual")[0] for note in notes] == [
        "built.py line 5: `loop` is outside the mergeable subset; nothing is merged from there on"
    ]
