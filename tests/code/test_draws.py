"""Stand-ins accept what the library accepts: odd calls, whose outcome the real library is asked for here.

The law of a call has the same exceptions, values, shapes and types as the real one, about as often; or it is refused.
"""

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from dpaudit.code import law as law_of_code
from dpaudit.code.law import Refused
from dpaudit.code.source import NUMPY_GENERATOR, NUMPY_STATE
from tests.code.snippets import law, made, table, texts
from tests.plain_enumeration import kind

HELP = """
import math
from collections import deque
import numpy as np
class Own(list): pass
def shape(v): return np.shape(v), v
def floor(v): return shape(np.floor(np.multiply(v, 4)))
def dtype(v): return str(v.dtype), v
def after(act, x):
    act(x)
    return list(x.items()) if type(x) is dict else list(x)
"""
EVERY_NUMPY = """
floor(rng.uniform(1, 0)); floor(rng.uniform(0.5, -1)); floor(rng.uniform(0, 0)); rng.uniform(0, math.inf)
rng.uniform(math.nan, 1) > 0; floor(rng.uniform([0, 1], [1, 0])); rng.uniform([0, 1], [1, 2, 3]); rng.uniform(0, 1, -1)
rng.uniform("a", "b"); floor(rng.uniform(high=2, low=1)); floor(rng.uniform(True, 2)); rng.uniform(1j, 2)
floor(rng.uniform(None, 1)); floor(rng.uniform(0, 1, size=(1, 2))); rng.uniform(1, 2, 3, 4); floor(rng.uniform([], []))
rng.random(-1); rng.random(2.0); rng.random("2"); rng.random((2, -1)); floor(rng.random(0)); floor(rng.random((2, 0)))
floor(rng.random(np.int64(2))); floor(rng.random(True)); floor(rng.random([1, 2])); rng.random(1, 2, 3); rng.random(2**70)
shape(rng.choice(3)); 1 / rng.choice(2); rng.choice(2) + 2**63; shape(rng.choice(3, size=0)); shape(rng.choice([], size=0))
rng.choice([]); rng.choice(0); rng.choice(-1); rng.choice(2.0); rng.choice("ab"); rng.choice(None); rng.choice({1, 2})
shape(rng.choice([[1, 2], [3, 4]])); ?shape(rng.choice([[1, 2], [3, 4]], size=2)); shape(rng.choice([1, 2], 2))
dtype(rng.choice([1, 2.5])); dtype(rng.choice([1, "a"])); dtype(rng.choice((True, False))); rng.choice([1, 2], size="a")
rng.choice(2, p=[0.5, 0.6]); rng.choice(2, p=[0.5]); rng.choice(2, p=[1.5, -0.5]); shape(rng.choice(2, p=[0, 1]))
shape(rng.choice(2, p=[0.5, 0.5 + 1e-9])); rng.choice(2, p=[0.5, 0.5 + 1e-7]); rng.choice(2, p="ab"); rng.choice(2, p=0.5)
rng.choice(2, p=[[0.5, 0.5]]); rng.choice(2, 3, False); shape(rng.choice(3, 2, False)); rng.choice(2, size=-1)
shape(rng.choice(["a", "bb", "c"], 2, replace=False)); rng.choice(2, size=1.5); rng.choice(2, replace=False, p=[0.25, 0.75])
shape(rng.choice([None, 1])); rng.choice({1: 2}); -rng.choice(np.array([3, 4], np.uint8)); ?shape(rng.choice(np.array(5)))
shape(rng.choice(2, p=[0.25, 0.75], size=2)); shape(rng.choice(2, p=[True, False])); rng.choice(2, p=[math.nan, 1])
rng.binomial(1, 2); rng.binomial(1, -0.1); rng.binomial(-1, 0.5); shape(rng.binomial(1, 0)); shape(rng.binomial(1, 1))
?shape(rng.binomial(0, 0.5)); rng.binomial(1, math.nan); ?rng.binomial(1.5, 0.5); shape(rng.binomial(1, [0.5, 0.25]))
shape(rng.binomial(1, 0.5, 0)); rng.binomial(1, 0.5, -1); 1 // rng.binomial(1, 0.5); ?rng.binomial(2, 0.5)
shape(rng.permutation(3)); shape(rng.permutation(0)); rng.permutation(-1); rng.permutation("ab"); rng.permutation(2.5)
shape(rng.permutation([1, "a"])); shape(rng.permutation([[1, 2], [3, 4]])); rng.permutation(None); rng.permutation({1, 2})
rng.permutation(np.array(3)); dtype(rng.permutation(np.array([1, 2], np.uint8))); rng.permutation(2**70)
shape(rng.permutation([[1], [2, 3]])); after(rng.shuffle, [1, 2, 3]); after(rng.shuffle, (1, 2)); after(rng.shuffle, "ab")
after(rng.shuffle, 3); after(rng.shuffle, np.array([[1, 2], [3, 4]])); after(rng.shuffle, np.array(3)); after(rng.shuffle, {1})
?after(rng.shuffle, deque([1, 2, 3])); ?after(rng.shuffle, {0: 1, 1: 2}); ?after(rng.shuffle, bytearray(b"abc"))
?after(rng.shuffle, Own([1, 2, 3])); after(rng.shuffle, range(3)); rng.nothing(3); rng.choice(); rng.shuffle()
"""  # noqa: E501
GENERATOR = """
shape(rng.integers(3)); 1 / rng.integers(2); rng.integers(0); rng.integers(-1); rng.integers(3, 1); rng.integers(0, 2**63 + 1)
shape(rng.integers(2**63 - 1, 2**63)); rng.integers(2.5); shape(rng.integers(2.0)); rng.integers(0.5, 2); rng.integers("2")
dtype(rng.integers(0, 3, dtype=np.uint8)); -rng.integers(0, 3, dtype=np.uint8); rng.integers(0, 257, dtype=np.uint8)
rng.integers(-1, 3, dtype=np.uint8); dtype(rng.integers(0, 2, dtype=np.bool_)); rng.integers(0, 3, dtype=bool)
rng.integers(0, 3, dtype=float); rng.integers(0, 3, dtype="nonsense"); rng.integers(0, 3, dtype=">i4"); rng.integers()
rng.integers(0, 3, dtype=object); shape(rng.integers(0, 2, endpoint=True)); rng.integers(0, 0); rng.integers(2, size=-1)
shape(rng.integers(0, 0, endpoint=True)); shape(rng.integers([1, 5], [3, 7])); rng.integers([1, 5], [1, 7])
rng.integers([1, 5], [3, 7, 9]); shape(rng.integers(2, size=0)); rng.integers(2, size=1.5); rng.integers([2, 3], size=3)
shape(rng.integers(2, size=(2, 1))); shape(rng.integers([[2], [3]])); rng.integers(2) + 2**63; rng.integers(2, bogus=1)
shape(rng.integers([2, 3], size=(2, 2))); rng.integers(None); shape(rng.integers(2, None)); shape(rng.integers(-2, 0))
?shape(rng.integers(0, 2**64, dtype=np.uint64) // 2**62); floor(rng.random(dtype="d")); rng.random(dtype=int)
?floor(rng.random(dtype=np.float32)); ?floor(rng.random(2, out=np.zeros(2))); rng.random(2, out=np.zeros(3))
?shape(rng.choice([[1, 2], [3, 4]], axis=1)); rng.choice([1, 2], axis=1); rng.choice([1, 2], axis=-3)
?shape(rng.choice(3, 2, replace=False, shuffle=False)); rng.choice([1, 2], nonsense=3); rng.shuffle([1, 2], axis=1)
?shape(rng.permutation([[1, 2], [3, 4]], axis=1)); rng.permutation([1, 2], axis=1)
?after(lambda x: rng.shuffle(x, axis=1), np.array([[1, 2], [3, 4]]))
type(rng.integers(2, dtype=bool)).__name__; type(rng.integers(2, dtype="int32")).__name__; 1 / rng.integers(2, dtype=int)
rng.integers(250, 256, dtype=np.uint8) + np.uint8(5); 1 / rng.integers(2, dtype="int"); 1 / rng.integers(2, dtype=None)
"""  # noqa: E501
STATE = """
shape(rng.randint(3)); 1 / rng.randint(2); rng.randint(0); rng.randint(3, 1); rng.randint(0, 2**63 + 1); rng.randint(2**70)
shape(rng.randint(2**63 - 1, 2**63)); rng.randint(2.5); shape(rng.randint(2.0)); rng.randint("2"); rng.randint(0, 3, dtype=float)
dtype(rng.randint(0, 2, dtype=np.int8)); int(rng.randint(0, 3, dtype=np.int8)); rng.randint(0, 257, dtype=np.uint8); shape(rng.randint([1, 5], [3, 7]))
rng.randint([1, 5], [1, 7]); shape(rng.randint(2, size=0)); rng.randint(2, size=-1); rng.randint(2, size=1.5)
shape(rng.randint(2, size=(2, 1))); shape(rng.randint(-2, 0)); rng.randint(); rng.randint(2) + 2**63
-rng.randint(0, 3, dtype=np.uint8); rng.randint(0, 2, endpoint=True); floor(rng.rand()); floor(rng.rand(1, 2)); rng.rand(-1)
rng.rand(1.5); floor(rng.rand(0)); rng.rand("a"); rng.rand(2, size=3); rng.rand((1, 2)); floor(rng.random_sample(2))
rng.random_sample(-1); rng.choice([1, 2], axis=0); rng.permutation([1, 2], axis=0); rng.shuffle([1, 2], axis=0)
rng.random(dtype=float); rng.integers(2); rng.choice([[1, 2], [3, 4]]); rng.choice([[1]], size=0)
"""  # noqa: E501
PYTHON = """
rng.randrange(0); rng.randrange(-1); rng.randrange(2.0); rng.randrange(1.5); rng.randrange(3, 1); rng.randrange(1, 9, 3)
rng.randrange(9, 1, -3); rng.randrange(1, 5, 0); rng.randrange("3"); rng.randrange(2**70) >> 68; rng.randrange(np.int64(3))
rng.randrange(5, None); rng.randrange(None); rng.randrange(0, 3, 1.0); rng.randint(1, 0); rng.randint(1, 1)
rng.randint(0.5, 2); rng.randint(0, 2**70) >> 68; rng.randint("a", 2); rng.randint(1); rng.randint(np.int8(0), np.int8(2))
rng.getrandbits(0); rng.getrandbits(-1); rng.getrandbits(2.0); rng.getrandbits("2"); rng.getrandbits(True)
rng.getrandbits(None); rng.getrandbits(); rng.getrandbits(np.int64(2)); rng.getrandbits(70) >> 68; ?rng.choice([])
rng.choice("ab"); ?rng.choice({1, 2}); rng.choice({0: "a", 1: "b"}); rng.choice((1, "a")); rng.choice([[1], [2]])
rng.choice(np.array([1, 2])); rng.choice(np.array([[1, 2], [3, 4]])); ?rng.choice(None); ?rng.choice(iter([1]))
rng.choice(b"ab"); ?rng.choice(""); rng.choice(deque([1, 2])); after(rng.shuffle, [1, 2, 3]); ?after(rng.shuffle, (1, 2))
?after(rng.shuffle, 3); after(rng.shuffle, deque([1, 2, 3])); after(rng.shuffle, {0: 1, 1: 2}); after(rng.shuffle, Own([1, 2]))
after(rng.shuffle, bytearray(b"ab")); ?after(rng.shuffle, {1, 2}); rng.sample([1, 2], 3); rng.sample([1, 2], -1)
rng.sample({1, 2}, 1); rng.sample([1, 2], 1, counts=[1, 2]); rng.sample([1], 1, counts=[1, 2]); rng.sample([1, 2], k=1.0)
rng.sample([1, 2], counts=[0, 0], k=0); rng.sample([1, 2], counts=[-1, 2], k=1); rng.choices([], k=0); rng.choices([])
rng.choices([1, 2], [0, 0]); rng.choices([1, 2], [1]); rng.choices([1, 2], [1, -1]); rng.choices([1, 2], weights=[1, 3])
rng.choices([1, 2], cum_weights=[1, 4]); rng.choices([1, 2], weights=[1, 1], cum_weights=[1, 2]); rng.choices([1, 2], k=-1)
rng.choices([1, 2], k=1.5); rng.choices({1, 2}); rng.choices([1, 2], [math.inf, 1]); rng.choices([1, 2], [math.nan, 1])
rng.choices([1, 2], [Fraction(1, 4), Fraction(3, 4)]); rng.choices([1, 2], 3); math.floor(4 * rng.uniform(1, 0))
?rng.uniform("a", "b"); ?rng.uniform(0); math.floor(4 * rng.uniform(a=1, b=0)); math.floor(4 * rng.uniform(Fraction(1), 2))
?rng.uniform(None, 1); rng.uniform(1, 1); math.floor(4 * rng.triangular(1, 0)); rng.triangular(0, 0, 0); rng.expovariate(0)
int(rng.expovariate(-1)) < 0; rng.paretovariate(0); rng.weibullvariate(0, 1); rng.nothing; rng.random(x=1); rng.betavariate(0, 1)
rng.gammavariate(-1, 1); rng.gammavariate(1, 1) > 1; ?rng.gauss(0, 1) > 0; ?rng.normalvariate(0, 0); math.floor(4 * rng.triangular())
"""  # noqa: E501
KINDS = {
    "Generator": (EVERY_NUMPY + GENERATOR, lambda: np.random.default_rng(5), NUMPY_GENERATOR),
    "RandomState": (EVERY_NUMPY + STATE, lambda: np.random.RandomState(5), NUMPY_STATE),
    "Random": (PYTHON, lambda: random.Random(5), random.SystemRandom),
}


def calls(text):
    return [call.strip() for line in text.split("\n") for call in line.split(";") if call.strip()]


CALLS = [(name, call) for name, (text, *_) in KINDS.items() for call in calls(text)]
assert len(CALLS) > 300


def plain(value):
    """Lists and arrays as tuples, numbers of numpy as plain ones: what an output is."""
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return tuple(map(plain, value)) if isinstance(value, list | tuple) else value


def really(function, rng, trials=400):
    """How often the real library gives each outcome."""
    found = Counter()
    for number in range(trials):
        try:
            with np.errstate(all="ignore"):
                outcome = kind(plain(function(rng)))
        except Exception as error:
            outcome = "Raised", type(error).__name__
        found[outcome] += 1
        if number == 40 and len(found) == 1:
            break
    return found


@pytest.mark.parametrize(("name", "call"), CALLS)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thin(3)
def test_an_odd_call_does_what_the_library_does(name, call, monkeypatch):
    monkeypatch.setattr(law_of_code, "TRIALS", 0)  # the stand-ins by themselves must be right
    _, real, ours = KINDS[name]
    function = made(f"{HELP}def sample(rng):\n    return {call.lstrip('?')}\n")
    seen = really(function, real())
    try:
        found = law(function, ours(), seconds=20)
    except Refused:
        assert call.startswith("?"), f"refused, while the library gives {dict(seen)}"
        return
    assert found.residual < Fraction(1, 10**6)
    expected = {
        (*key[:-1], key[-1].rpartition(".")[2]) if key[:1] == ("Raised",) else key: p for key, p in table(found).items()
    }
    trials = seen.total()
    for outcome in {*seen, *expected}:
        p = float(expected.get(outcome, 0))
        allowed = 5 * (trials * p * (1 - p)) ** 0.5 + (2 if p else 0)
        assert abs(seen[outcome] - trials * p) <= allowed, (outcome, seen, expected)


# ------------------------------------------------------------------ to the last bit


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
    rng = NUMPY_GENERATOR() if kind is np.random.Generator else NUMPY_STATE()
    found, low = law(lambda rng: int(rng.binomial(1, p)), rng), int(p > 0.5)
    edge = int(dict(zip(found.outputs, found.lower, strict=True))[low] * (1 << 53))
    assert drawing(edge, kind).random() * (1 << 53) == edge
    real = [int(drawing(m, kind).binomial(1, p)) for m in range(edge - 2, edge + 2)]
    assert real == [low, low, 1 - low, 1 - low]


@pytest.mark.parametrize(("low", "high"), [(0, 3), (-1, 2), (0.1, 0.7), (np.float32(0.1), 1)])
@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState])
def test_a_float_between_two_bounds_is_the_installed_numpys_to_the_last_bit(kind, low, high):
    rng = NUMPY_GENERATOR() if kind is np.random.Generator else NUMPY_STATE()
    middle = (float(low) + float(high)) / 2
    found = law(lambda rng: bool(rng.uniform(low, high) < middle), rng)
    below = dict(zip(found.outputs, found.lower, strict=True)).get(True, 0) * (1 << 53)
    edge = int(below)
    real = [bool(drawing(m, kind).uniform(low, high) < middle) for m in range(edge - 2, edge + 2)]
    assert real == [True, True, False, False]


def test_remainders_of_wide_numbers_are_biased_as_they_are():
    assert texts(law(lambda rng: rng.getrandbits(64) % 6)) == {
        str(r): Fraction(2**64 // 6 + (1 if r < 2**64 % 6 else 0), 2**64) for r in range(6)
    }
