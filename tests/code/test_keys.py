"""Values as keys: what can be told apart has two keys; equal states have one, and their runs are merged."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dpaudit.code.keys import Keys, NoKey
from dpaudit.code.lazy import uniform
from dpaudit.code.run import Run
from tests.code.snippets import law, sampler, texts

APART = [
    (1, 1.0), (1, True), (0.0, -0.0), (1.0, np.float64(1)), (np.int64(1), np.int32(1)), (complex(0, 0.0), complex(0, -0.0)),  # noqa: E501
    (range(0, 0), range(1, 2)), ((1, 2), (1, 2.0)), ("a", b"a"), (None, 0), (Fraction(1), 1), ((0.0,), (-0.0,)),
    (slice(1), slice(2)), ("", ()), ([1].append, [1].append), (1 << 70, float(1 << 70)),
]  # fmt: skip


def key(value):
    return Keys({}).key(value)


@pytest.mark.parametrize(("a", "b"), APART)
def test_values_that_can_be_told_apart_have_two_keys(a, b):
    assert key(a) != key(b)
    assert key(a) == key(a)


@pytest.mark.parametrize("value", [1, 2.5, "text", None, (1, ("a", None)), Fraction(1, 3), np.float64(0.1)])
def test_equal_values_have_one_key(value):
    assert key(value) == key(eval(repr(value), {"Fraction": Fraction, "np": np}))
    assert hash(key(value)) == hash(key(value))


def test_open_numbers_are_known_by_how_they_are_computed_of_which_draws():
    def known(third):
        run = Run(())
        a, b = uniform(run), uniform(run)
        return key((a, b, a + b + (a, b)[third]))

    assert known(0) == known(0) != known(1)


def test_what_was_there_before_is_known_by_its_identity():
    first, second = object(), object()
    assert key(first) == key(first) != key(second)
    with pytest.raises(NoKey, match="NaN"):
        key(math.nan)


SPIN = "\nwhile rng.randrange(2): pass\n"
KEPT = {
    "v = 1 if rng.randrange(2) else 1.0": ("str(v)", {"1", "1.0"}),
    "v = complex(0, 0.0) if rng.randrange(2) else complex(0, -0.0)": ("str(v)", {"0j", "-0j"}),
    "v = range(0, 0) if rng.randrange(2) else range(1, 1)": ("v.start", {"0", "1"}),
    "v = Decimal('1.0') if rng.randrange(2) else Decimal('1.00')": ("str(v)", {"1.0", "1.00"}),
    "v = [1] if rng.randrange(2) else [2]": ("v[0]", {"1", "2"}),
    "k = 5 + rng.randrange(2)\nv = lambda: k": ("v()", {"5", "6"}),
    "k = 5 + int(rng.randrange(2))\nv = lambda k=k: k": ("v()", {"5", "6"}),
    "k = 5 + int(rng.randrange(2))\nv = lambda *, k=k: k": ("v()", {"5", "6"}),
    "x = 5\nv = lambda: x\nif rng is None: return v\nif rng.randrange(2): v = sample(None)": (
        "(x := 6, v())[1]",
        {"5", "6"},
    ),
    "v = (min, max)[rng.randrange(2)]": ("v(1, 2)", {"1", "2"}),
    "v = iter([1, 2])\nif rng.randrange(2): next(v)": ("next(v)", {"1", "2"}),
    "v = (k for k in [1, 2])\nif rng.randrange(2): next(v)": ("next(v)", {"1", "2"}),
    "v = 'a' if rng.randrange(2) else b'a'": ("type(v).__name__", {"str", "bytes"}),
    "v = rng.random()\nrng.randrange(2)": ("v < 0.5", {"True", "False"}),
    "v = rng.randrange(4)\nv < 2": ("v < 2", {"True", "False"}),
}


@pytest.mark.parametrize("kept", KEPT)
def test_what_is_kept_over_a_loop_is_still_known_behind_it(kept):
    shown, outputs = KEPT[kept]
    found = law(sampler(f"{kept}{SPIN}return {shown}", Decimal=Decimal), seconds=10)
    assert found.residual <= Fraction(1, 10**6)
    assert {str(o) for o in found.outputs} == outputs
    for p in found.lower:
        assert p <= Fraction(1, 2) <= p + found.residual


def test_equal_states_are_merged_and_summed():
    found = law(sampler("k = [0]\nwhile rng.randrange(3): k[0] = 1 - k[0]\nreturn k[0]"))
    assert texts(found) == {"0": Fraction(3, 5), "1": Fraction(2, 5)}
    assert found.runs < 20
