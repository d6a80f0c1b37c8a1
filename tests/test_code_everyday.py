"""Everyday steps of samplers that were refused, and refusals that gave another reason than the true one."""

import asyncio
import math
import sys
from fractions import Fraction

import numpy as np
import pytest

import dpaudit
from dpaudit.code.law import Session
from dpaudit.code.source import NUMPY_STATE, Source, numpy_generator
from dpaudit.numbers.errors import InputError

HERE = r"test_code_everyday.py line [0-9]+: "
BITS = 8


def law(sample, bits=53):
    """The exact law of sample(rng), by the text of its outputs."""
    found = Session(bits=bits).law(sample, (Source(),))
    assert not found.residual
    return {str(output): p for output, p in zip(found.outputs, found.lower, strict=True)}


STEPS = {
    "copysign": lambda u: math.copysign(1, u - 0.25),
    "copysign of -0.0": lambda u: math.copysign(1, -u),
    "copysign of a draw": lambda u: math.floor(math.copysign(7 * u - 3, -1)),
    "copysign of numpy": lambda u: float(np.copysign(2, 0.3 - u)),
    "fmod": lambda u: (math.fmod(4 * u, 1) < 0.25, math.floor(3 * math.fmod(5 * u - 2.5, 0.75))),
    "fmod by less than 0": lambda u: math.floor(8 * math.fmod(3 * u - 1, -0.5)),
    "modf": lambda u: (math.modf(4 * u - 2)[0] < -0.25, math.modf(4 * u - 2)[1]),
    "digitize": lambda u: (int(np.digitize(u, [0.25, 0.5])), int(np.digitize(u, [0.25, 0.5], right=True))),
    "digitize falling": lambda u: int(np.digitize(u, [0.5, 0.25])),
    "an inverse": lambda u: (
        max(-3, min(3, round(-math.copysign(1, u - 0.5) * math.log(1 - 2 * abs(u - 0.5) or 1)))) if u != 0.5 else 0
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_followed_as_every_float_goes_through_it(name):
    step = STEPS[name]
    expected = {}
    for m in range(1 << BITS):
        key = str(step(m / (1 << BITS)))
        expected[key] = expected.get(key, 0) + Fraction(1, 1 << BITS)
    assert law(lambda rng: step(rng.random()), BITS) == expected


def untempered(word):
    """The word of a Mersenne twister's state that comes out as this one."""
    word ^= word >> 18
    word ^= (word << 15) & 0xEFC60000
    found = word
    for _ in range(4):
        found = word ^ ((found << 7) & 0x9D2C5680)
    word = found
    for _ in range(2):
        found = word ^ (found >> 11)
    return found & 0xFFFFFFFF


def drawing(m, kind):
    """The installed numpy's generator of this kind, whose next float is m / 2^53."""
    bits = np.random.MT19937(1)
    state, words = bits.state, np.zeros(624, np.uint32)
    words[0], words[1] = untempered((m >> 26) << 5), untempered((m & ((1 << 26) - 1)) << 6)
    state["state"]["key"], state["state"]["pos"] = words, 0
    bits.state = state
    return kind(bits)


@pytest.mark.parametrize("p", [0.19, 0.25, 0.3, 0.33, 0.46, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState])
def test_a_trial_is_the_installed_numpys_to_the_last_bit(kind, p):
    rng = numpy_generator() if kind is np.random.Generator else NUMPY_STATE()
    law, low = Session().law(lambda: int(rng.binomial(1, p))), int(p > 0.5)
    edge = int(dict(zip(law.outputs, law.lower, strict=True))[low] * (1 << 53))
    assert drawing(edge, kind).random() * (1 << 53) == edge
    real = [int(drawing(m, kind).binomial(1, p)) for m in range(edge - 2, edge + 2)]
    assert real == [low, low, 1 - low, 1 - low]


def test_a_power_with_a_modulus_is_taken_of_every_value():
    found = dpaudit.pmf(lambda x, rng: pow(rng.randrange(5), 2, 7), 0, data=[0, 1])
    assert dict(zip(found.outputs, map(str, found.probabilities), strict=True)).keys() == {0, 1, 2, 4}


def test_digitize_of_a_vector_asks_each_entry_by_itself():
    found = law(lambda rng: np.digitize(numpy_generator().random(2), [0.25, 0.5]).tolist())
    assert found["(2, 2)"] == Fraction(1, 4)
    assert len(found) == 9


@pytest.mark.parametrize("dtype", [np.uint8, "int32", bool, np.bool_])
def test_short_whole_numbers_have_their_dtype(dtype):
    real = type(np.random.default_rng().integers(0, 2, dtype=dtype)).__name__
    assert law(lambda rng: type(numpy_generator().integers(0, 2, dtype=dtype)).__name__) == {real: 1}


@pytest.mark.parametrize("dtype", [int, np.int64, "int", None])
def test_long_whole_numbers_have_their_dtype(dtype):
    """One of dtype int is Python's, others are numpy's, which divide by 0; None is no dtype for it."""
    assert law(lambda rng: str(_divided(numpy_generator(), dtype))) == _plain_divided(dtype)


def _divided(rng, dtype):
    try:
        return 1 / rng.integers(0, 2, dtype=dtype)
    except (ZeroDivisionError, TypeError) as error:
        return type(error).__name__


def _plain_divided(dtype):
    rng = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        found = {str(_divided(rng, dtype)) for _ in range(50)}
    return dict.fromkeys(found, Fraction(1, len(found)))


def test_short_whole_numbers_wrap_around_as_numpys_do():
    found = law(lambda rng: str(numpy_generator().integers(250, 256, dtype=np.uint8) + np.uint8(5)))
    assert found == dict.fromkeys(("255", "0", "1", "2", "3", "4"), Fraction(1, 6))
    assert law(lambda rng: int(NUMPY_STATE().randint(0, 3, dtype=np.int8))) == dict.fromkeys("012", Fraction(1, 3))
    assert law(lambda rng: numpy_generator().integers(0, 257, dtype=np.uint8)) == {"raises ValueError": 1}


def test_permuted_puts_lines_in_random_order():
    assert set(law(lambda rng: numpy_generator().permuted([1, 2, 3]).tolist()).values()) == {Fraction(1, 6)}
    found = law(lambda rng: numpy_generator().permuted(np.array([[1, 2], [3, 4]]), axis=1).tolist())
    assert found == {f"({a}, {b})": Fraction(1, 4) for a in ("(1, 2)", "(2, 1)") for b in ("(3, 4)", "(4, 3)")}


def leaves(rng):
    if rng.getrandbits(2) == 0:
        sys.exit(3)
    if rng.getrandbits(1):
        raise SystemExit
    return 0


def test_an_exit_of_the_code_is_an_output():
    assert law(leaves) == {"0": Fraction(3, 8), "raises SystemExit": Fraction(5, 8)}


async def step(rng):
    await asyncio.sleep(0)
    return rng.randrange(3)


REASONS = [
    (lambda x, rng: asyncio.run(step(rng)), "asyncio cannot be followed"),
    (lambda x, rng: numpy_generator().random(2).tobytes()[0] & 1, "the text of an array needs the numbers themselves"),
    (lambda x, rng: type(rng.randrange(3)).__name__, r"type\(\) of a draw is not that of its number"),
]


@pytest.mark.parametrize(("sample", "words"), REASONS)
def test_the_true_reason_comes_first_with_its_line(sample, words):
    with pytest.raises(InputError, match=HERE + words):
        dpaudit.pmf(sample, 0, data=[0, 1])


def test_the_bytes_of_a_vector_are_those_of_its_numbers():
    assert len(law(lambda rng: numpy_generator().integers(0, 2, size=2).tobytes())) == 4
