"""Every step that an open number takes, at all pairs of small numbers: on each box it is what Python and numpy give."""

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from dpaudit.code import lazy
from dpaudit.code.context import MATH
from dpaudit.code.run import RUNS, Run
from dpaudit.code.steps import apply


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
math.floor(a / 2); math.ceil(a / 2); math.trunc(a / 2); math.isnan(a); np.square(a); np.reciprocal(a)
np.reciprocal(a / 1); np.abs(a); np.sign(a); np.signbit(a); np.isinf(np.log(a / 1)); np.negative(a)
np.floor(a / 2); np.power(a, 2); np.maximum(a, 1); np.minimum(b, a); np.logical_not(a); np.round(a / 3, 1)
np.fmod(a, 2); np.clip(a, 0, 1); np.clip(a, None, 1); np.clip(a, 1, None); np.array([a, b]).sum()
np.sqrt(a / 1); np.float_power(a, 2)
"""


@pytest.mark.parametrize("start", [0, -3, 2])
@pytest.mark.parametrize("step", [step.strip() for line in STEPS.split("\n") for step in line.split(";") if step])
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
