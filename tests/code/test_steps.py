"""Every step that an open number takes, at all pairs of small numbers: on each box it is what Python and numpy give."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from dpaudit.code import lazy
from dpaudit.code.context import MATH
from dpaudit.code.run import RUNS, Refused, Run
from dpaudit.code.steps import apply


def steps(text):
    return [step.strip() for line in text.split("\n") for step in line.split(";") if step.strip()]


def opened(function):
    """The function, as it is while a sampler runs: open numbers are taken too."""
    return lambda *given: apply(function, *given) if any(map(lazy.is_lazy, given)) else function(*given)


OPENED = SimpleNamespace(**{name: opened(getattr(math, name)) for name in MATH})
STEPS = """
a + b; a - b; b - a; 1 - a; a * b; a * -2; a / (b + 9); a // (b + 9); a // b; a / b; 3 // a; 1 / a; +a; -a; ~a
abs(a); a % 3; a % -3; 7 % a; (a + b) % 4; (a + 5) % 4; (2 * a) % 3; (a * b) % 3; divmod(a, 2); (a / 2) % 1
a & 1; a & 2; 3 & a; a & b; a | b; a ^ b; a << 2; a >> 1; a ** 2; a ** 3; a ** -1; a ** -2; a ** 0.5; a ** 0
2 ** a; 0.5 ** a; a ** b; (-2) ** a; 0 ** a; a < b; a <= b; a > b; a >= b; a == b; a != b; a >= 1; 1 > a
1 == a; max(a, b); min(a, b); bool(a); "abcdef"[a]; {0: 1}.get(a); int(a / 2); round(a / 2); round(a / 3, 1)
str(a); complex(a); f"{a:3d}"; math.log(a + 5, 0.5); math.log(a + 5, 2); math.log(a); math.sqrt(a)
math.exp(a); math.erfc(a); math.fabs(a); math.pow(a, 2); math.pow(2, a); math.fmod(a, 3); math.ldexp(a, 2)
math.fmod(a / 2, b + 9); math.fmod(a / 2, -0.75); math.fmod(a / 2, 0.0); math.modf(a / 2); math.modf(a)
math.copysign(b, a); math.copysign(2, -a / 1); math.copysign(a / 2, b); np.copysign(a / 2, b / -1); np.fmod(a / 2, 0.75)
np.digitize(a / 2, [0, 1]); np.digitize(a, [2, 1])
math.floor(a / 2); math.ceil(a / 2); math.trunc(a / 2); math.isnan(a); np.square(a); np.reciprocal(a)
np.reciprocal(a / 1); np.abs(a); np.sign(a); np.signbit(a); np.isinf(np.log(a / 1)); np.negative(a)
np.floor(a / 2); np.power(a, 2); np.maximum(a, 1); np.minimum(b, a); np.logical_not(a); np.round(a / 3, 1)
np.fmod(a, 2); np.clip(a, 0, 1); np.clip(a, None, 1); np.clip(a, 1, None); np.array([a, b]).sum()
np.sqrt(a / 1); np.float_power(a, 2)
"""


@pytest.mark.parametrize("start", [0, -3, 2])
@pytest.mark.parametrize("step", steps(STEPS))
def test_every_step_is_as_it_is_at_plain_numbers(step, start):
    """The code is followed along all ways; on each box the step is what Python gives at every point of it."""

    def outcome(a, b):
        try:
            with np.errstate(all="ignore"):
                found = eval(step, {"math": OPENED, "np": np, "a": a, "b": b})
        except (ArithmeticError, ValueError, IndexError) as error:
            return type(error)
        return lazy.settle(found)

    sizes, seen, todo = (6, 4), {}, [()]
    while todo:
        script = todo.pop()
        run = Run(script)
        RUNS.append(run)
        try:
            a, b = lazy.below(run, sizes[0], start), lazy.below(run, sizes[1], start)
            found = outcome(a, b)
        finally:
            RUNS.remove(run)
        todo += [(*run.taken[:place], piece) for place, pieces_ in run.alternatives for piece in pieces_]
        for m, n in product(*([d.m(k) for k in range(d.lo, d.hi)] for d in run.draws)):
            assert (m, n) not in seen
            seen[m, n] = found
    assert len(seen) == math.prod(sizes)
    for (m, n), found in seen.items():
        wanted = outcome(start + m, start + n)
        assert repr(found) == repr(wanted), (start + m, start + n)


# ------------------------------------------------------------------ draws of too many values to be listed


BITS = 10
"""Few enough to be counted one by one here, and, with at most FEW that are listed, too many to be listed."""
FEW = 256
WIDE = """
math.floor(v); math.ceil(v); math.trunc(v); int(v); round(v); round(v, 1); np.floor(v); np.rint(v); np.round(v, 1)
math.floor(-v); math.floor(abs(v)); math.floor(np.abs(v)); math.floor(v * v); math.floor(v * -3)
math.floor(-3 * v); math.floor(2 - v); math.floor(v - 2); math.floor(v / -2); math.floor(3 / (v + 5))
math.floor(-3 / (v + 5)); math.floor(1 / v) if v > 0.1 else 0; math.floor(1 / v) if v < -0.1 else 0; 1 / v > 0
v // 0.7; v // -0.7; 7.0 // (v + 5); math.floor(v ** 2); math.floor(v ** 3)
math.floor(v ** -2) if abs(v) > 0.5 else 0; math.floor((v + 4) ** 0.5); math.floor((v + 5) ** -0.5 * 4)
math.floor(abs(v) ** 0.5); math.floor(2 ** v); math.floor(0.5 ** v); math.floor(np.power(v, 2))
math.floor(np.square(v)); np.sign(v); np.signbit(v); np.isnan(v); np.logical_not(v)
math.floor(math.log(v + 4.5) * 3); math.floor(math.log(v + 4.5, 2)); math.floor(math.log(v + 4.5, 0.5))
math.log(v) > 0.3; np.log(v) > 0.3; math.sqrt(v) > 1; math.floor(math.exp(v)); math.floor(math.erfc(v) * 5)
math.floor(math.atan(v) * 3); math.floor(max(v, 1)); math.floor(min(v, 1)); math.floor(np.maximum(v, 1))
math.floor(np.minimum(1, v)); np.clip(v, -1, 1) < 0; v < 0.5; v <= 0.5; v > 0.5; v >= 0.5; v == 0.5; v != 0.5
0.5 < v; 0.5 <= v; 0.5 > v; 0.5 >= v; v == 0.3; bool(v); math.floor(v % 0.9 * 3); math.floor(v % 2); v <= v; v < v
v + v < 1; math.floor(v + v / 2); math.floor(math.ldexp(v, 1)); k % 6; (k + 3) % 7; k >> 7
(k << 2) >> 9; k // 125; -k // 125; k % 600 // 90; k / 125 // 1; k * 3 // 600; (k % 6, k % 4)
(k > 500, k % 6); (k % 6, k // 200); k == 17; k - 500 > 0; 500 - k > 0
(k + 0.5) % 200 // 30; (k * 2) % 512 // 125; (k - 5) % 3; 2 ** (k // 250); [1, 2, 3][k % 3]
(k + Fraction(1, 2)) % 200 // 30; (k - Fraction(1, 2)) % 200 // 30; (5 - k) % 200 // 30; (k - 5) % np.int64(3)
"""


def ways(outcome):
    """The outcomes of all ways with their probabilities."""
    found, todo = {}, [((), Fraction(1))]
    while todo:
        script, share = todo.pop()
        run = Run(script, None, BITS)
        RUNS.append(run)
        try:
            value = outcome(run)
        finally:
            RUNS.remove(run)
        for place, others in run.alternatives:
            before = math.prod((piece.share for piece in run.taken[len(script) : place]), start=share)
            todo += [((*run.taken[:place], piece), before * piece.share) for piece in others]
        whole = math.prod((piece.share for piece in run.taken[len(script) :]), start=share)
        found[value] = found.get(value, 0) + whole
    return found


@pytest.mark.parametrize("step", steps(WIDE))
def test_the_numbers_are_counted_on_every_side_of_a_cut(step, monkeypatch):
    monkeypatch.setattr(lazy, "FEW", FEW)
    code = compile(step, "step", "eval")

    def outcome(m):
        names = {"v": m * 2.0**-BITS * 8 - 4} if "v" in code.co_names else {"k": m}
        try:
            with np.errstate(all="ignore"):
                return repr(lazy.settle(eval(code, {"math": OPENED, "np": np, "Fraction": Fraction, **names})))
        except (ArithmeticError, ValueError, TypeError) as error:
            return type(error)

    size = 1 << BITS
    counted = Counter(map(outcome, range(size)))
    found = ways(lambda run: outcome(lazy.below(run, size)))
    assert found == {value: Fraction(count, size) for value, count in counted.items()}


UNLISTED = """
v < v + 1; k & 7; math.copysign(v, -1); np.reciprocal(v); k ^ 1; k | 1; 7 % k; k % -6; v ** v; math.fmod(2, v);
float(v); str(v); hash(v); complex(v); f'{v}'; np.fmod(k, 6)
"""


@pytest.mark.parametrize("step", steps(UNLISTED))
def test_what_has_no_direction_is_refused_for_so_many_values(step, monkeypatch):
    monkeypatch.setattr(lazy, "FEW", FEW)
    run = Run((), None, BITS)
    k = lazy.below(run, 1 << BITS)
    with pytest.raises(Refused, match=r"cannot be followed here|needs the value itself"):
        eval(step, {"math": OPENED, "np": np, "k": k, "v": k * 2.0**-BITS * 8 - 4})


ASSUMED = {
    "v + 1; v * 3; v / 7; math.sqrt(v); math.floor(v); round(v, 1); np.floor(v); abs(v); -v": None,
    "k // 3; k ** 2; 2 ** k": None,
    "math.log(v); math.log(v, 2)": "math.log",
    "np.exp(v)": "numpy.exp",
    "math.erfc(v)": "math.erfc",
    "v ** 2.5; v ** 2; 2.0 ** v; 1.001 ** k": "operator.pow",
    "math.pow(v, 2)": "math.pow",
    "v // 0.3; k // 0.3": "operator.floordiv",
    "np.power(v, 2)": "numpy.power",
}


@pytest.mark.parametrize(("step", "name"), [(step, name) for text, name in ASSUMED.items() for step in steps(text)])
def test_what_is_only_assumed_to_be_monotone_is_named(step, name):
    run = Run((), None, BITS)
    RUNS.append(run)
    try:
        k = lazy.below(run, 1 << BITS, 1)
        value = eval(step, {"math": OPENED, "np": np, "k": k, "v": k * 2.0**-BITS})
    finally:
        RUNS.remove(run)
    assert run.assumptions == ({name} if name else set())
    assert value.assumed == run.assumptions
    assert (value + 1).assumed == run.assumptions
