"""The law of a sampler's code, against every sequence of draws with few bits, exactly."""

import contextlib
import math
import random
import secrets
from fractions import Fraction as Fr

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpaudit.code import law as law_of_code
from dpaudit.code.explore import Budget, Raised
from dpaudit.code.law import Refused, Session
from dpaudit.code.source import NUMPY_STATE, Source, numpy_generator
from tests.code.snippets import law as law_of
from tests.code.snippets import made, table
from tests.plain_enumeration import enumerated

BITS = 5


def law(function, bits=BITS, budget=None):
    return law_of(function, bits=bits, **({} if budget is None else vars(budget)))


def check(function, bits=BITS):
    found = law(function, bits)
    assert found.residual == 0
    assert table(found) == enumerated(function, bits)
    return found


# ------------------------------------------------------------------ programs by hand


def threshold(rng):
    return "yes" if rng.random() < 0.3 else "no"


def nested(rng):
    u = rng.random()
    if u * 3 - 1 > 0.25:
        return "high" if 1 / u < 1.5 else "middle"
    return math.floor(u * 7) % 2


def logarithm(rng):
    return math.floor(math.log(rng.random()) / -0.7)


def by_numpy(rng):
    u = rng.random() - 0.5
    sign = -1 if u < 0 else 1
    return int(np.round(3 + sign * np.floor(np.log(sign * u * 1.4) / -0.5)))


def two_draws(rng):
    a, b = rng.random(), rng.random()
    return "sum" if a + b < 0.8 else "product" if a * b > 0.5 else math.floor(a - b)


def box(rng):
    return round(rng.random() + rng.random() * 2, 1)


def quotient(rng):
    u = rng.random()
    return math.floor(1 / (u - 0.5))


def power(rng):
    u = rng.random()
    return round(u**2 + 2**u, 1), (u - 0.5) ** 2 < 0.1


def integers(rng):
    a = rng.randrange(6)
    b = rng.randint(2, 5)
    return (a * b - 3) // 2, a ^ b, a % 4


def remainders(rng):
    x = rng.getrandbits(8)
    return x % 6, x & 3


def bits_of(rng):
    x = rng.getrandbits(3)
    return x >> 1, x & 1, x << 2, -x, ~x


def index(rng):
    return ["a", "b", "c"][rng.randrange(3)] + "xyz"[math.floor(rng.random() * 3)]


def looked_up(rng):
    return {0: "zero", 1: "one"}.get(rng.randrange(4), "many")


def shuffled(rng):
    items = [1, 2, 3]
    rng.shuffle(items)
    return tuple(items), rng.choice("ab")


def sampled(rng):
    return tuple(rng.sample(range(4), 2)), rng.choices("abc", weights=[1, 2, 5])[0]


def expovariate(rng):
    return int(rng.expovariate(1.5) * 2)


def own_subtraction(rng):
    u = rng.random()
    return round(u - math.floor(u * 4) / 4, 2)


def bounded_loop(rng):
    count = 0
    while count < 4 and rng.random() < 0.4:
        count += 1
    return count


def counted(rng):
    return sum(rng.random() < 0.5 for _ in range(3))


def lists(rng):
    found = []
    while len(found) < 3:
        found.append(rng.randrange(2))
        if sum(found) > 1:
            break
    return found and tuple(sorted(found))


def maxima(rng):
    u, v = rng.random(), rng.randrange(3)
    return max(u, 0.3) < 0.5, min(v, 1), sorted([v, 1])[0]


def in_closures(rng):
    total = 0

    def add(k):
        nonlocal total
        total += k

    for k in (1, 2):
        if rng.random() < 0.5:
            add(k)
    return total


def handled(rng):
    try:
        return math.floor(1 / rng.randrange(3))
    except ZeroDivisionError:
        return "none" if rng.random() < 0.5 else "zero"


def boolean(rng):
    return bool(rng.randrange(3)), not rng.random(), rng.random() == 0.5


def asks_for_types(rng):
    u = rng.random()
    if type(u) is not float or not isinstance(rng.randrange(2), int):
        raise TypeError("not a float")
    return u < 0.5


def mixed_numbers(rng):
    u = rng.random()
    return Fr(rng.randrange(3)) + 1, round(u), math.ceil(u), math.trunc(u * 3), divmod(rng.randrange(7), 3)


HAND = [
    *(threshold, nested, logarithm, by_numpy, two_draws, box, quotient, power, integers, remainders, bits_of, index),
    *(looked_up, shuffled, sampled, expovariate, own_subtraction, bounded_loop, counted, lists, maxima, in_closures),
    *(handled, boolean, mixed_numbers, asks_for_types),
]


@pytest.mark.parametrize("function", HAND, ids=lambda f: f.__name__)
def test_exactly_as_every_sequence_of_draws(function):
    check(function)


# ------------------------------------------------------------------ state that is easily overlooked

BOX = []


def on_the_stack(rng):
    return 4 * coin(rng) + 2 * coin(rng) + coin(rng)


def coin(rng):
    k = 0
    while k < 3 and rng.random() < 0.5:
        k += 1
    return k % 2


def random_range(rng):
    total = 0
    for i in range(rng.randrange(3) + 1):
        total += i if rng.random() < 0.25 else 0
    return total


def one_or_the_other(rng):
    total = 0
    for i in range(3) if rng.random() < 0.5 else (rng.randrange(2) for _ in range(2)):
        total += i if rng.random() < 0.5 else 1
    return total


def nested_loops(rng):
    total = 0
    for a in [1, 2]:
        for b in range(a):
            if rng.random() < 0.5:
                total += a * b + 1
        if total > 3:
            break
    else:
        return "end", total
    return total


def growing(rng):
    items = [1]
    for item in items:
        if len(items) < 4 and rng.random() < 0.5:
            items.append(item + rng.randrange(2))
    return tuple(items)


def forgotten(rng):
    """The list that the loop goes over is out of sight while it goes on."""
    items = [1, 2, 3]
    other = items
    found = 0
    for item in items:
        if item == 1:
            if rng.random() < 0.5:
                other.append(10)
            other = None
        found += item * rng.randrange(2)
    return found


def aliases(rng):
    a = [0]
    b = a if rng.random() < 0.5 else [0]
    k = rng.randrange(2)
    a[0] = 1
    return b[0], k


def global_box(rng):
    BOX.clear()
    if rng.random() < 0.5:
        BOX.append(1)
    k = rng.randrange(2)
    k += rng.randrange(2)
    return k, len(BOX)


def generator(rng):
    def steps():
        k = 0
        while True:
            k += rng.randrange(2)
            yield k

    found = 0
    for _, k in zip(range(3), steps(), strict=False):
        found = found * 3 + k
    return found


class Counter:
    def __init__(self):
        self.count = 0

    def add(self, rng):
        if rng.random() < 0.5:
            self.count += 1
        return self.count


def in_attributes(rng):
    counter = Counter()
    counter.add(rng)
    counter.add(rng)
    return counter.add(rng)


def narrowed_outside(rng):
    u = rng.random()
    return asked(u) + (10 if u < 0.75 else 20)


def asked(u):
    if u < 0.5:
        return 1
    return 2


def narrowed_inside(rng):
    u = rng.random()
    return peek(u) + (10 if u < 0.75 else 20)


def peek(u):
    found = u < 0.5
    found = 1
    return found


def steps(rng):
    k = 0
    for i in range(3):
        k += rng.randrange(2)
        yield k if i == 2 else 0


def hidden_generator(rng):
    make, last, extra = steps, 0, 0
    for last in make(rng):  # noqa: B007
        extra = rng.randrange(2)
    return last, extra


def either_generator(rng):
    last = extra = 0
    for last in steps(rng) if rng.random() < 0.5 else range(2):  # noqa: B007
        extra = rng.randrange(2)
    return last, extra


class Kept:
    def __init__(self, rng):
        self.make = lambda: steps(rng)

    def last(self, rng):
        found = 0
        for found in self.make():  # noqa: B007
            extra = rng.randrange(2)
        return found, extra


class Bag:
    def __init__(self, rng):
        self.rng = rng

    def __iter__(self):
        return steps(self.rng)


def own_iterator(rng):
    bag, found, extra = Bag(rng), 0, 0
    for found in bag:  # noqa: B007
        extra = rng.randrange(2)
    return found, extra


def iterator_in_a_list(rng):
    bags, found, extra = [Bag(rng)], 0, 0
    for found in bags[0]:  # noqa: B007
        extra = rng.randrange(2)
    for (found,) in zip(*bags, strict=True):  # noqa: B007
        extra += rng.randrange(2)
    return found, extra


def generator_of_an_object(rng):
    return Kept(rng).last(rng)


def iterator_kept(rng):
    numbers = iter([1, 2, 3, 4])
    found = 0
    while rng.random() < 0.5 and found < 6:
        found += next(numbers)
    return found, next(numbers, None)


def by_name(rng):
    u = rng.randrange(2)
    v = rng.randrange(2)
    return sorted((k, int(w)) for k, w in locals().items() if k in "uv") and (u + v if v else locals()["u"])


HIDDEN = [
    *(on_the_stack, random_range, one_or_the_other, nested_loops, growing, forgotten, aliases, global_box, generator),
    *(in_attributes, narrowed_outside, narrowed_inside, iterator_kept, by_name),
    *(hidden_generator, either_generator, generator_of_an_object, own_iterator, iterator_in_a_list),
]


@pytest.mark.parametrize("function", HIDDEN, ids=lambda f: f.__name__)
def test_no_state_is_overlooked(function):
    check(function, 2)


# ------------------------------------------------------------------ loops without end


def die(rng):
    while True:
        r = rng.getrandbits(3)
        if r < 6:
            return r


def ruin(rng):
    p = 2
    while 0 < p < 5:
        p += 1 if rng.randrange(3) else -1
    return p


def patterns(rng):
    last = []
    while True:
        last.append(rng.randrange(2))
        if len(last) > 2:
            last.pop(0)
        if last == [1, 0]:
            return "10"
        if last == [1, 1]:
            return "11"


def for_and_while(rng):
    total = 0
    for _ in range(2):
        while rng.random() < 0.5:
            total = (total + 1) % 2
    return total


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (die, {r: Fr(1, 6) for r in range(6)}),
        (ruin, {5: Fr(24, 31), 0: Fr(7, 31)}),
        (patterns, {"10": Fr(1, 2), "11": Fr(1, 2)}),
        (for_and_while, {0: Fr(5, 9), 1: Fr(4, 9)}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_geometric_series_are_summed(function, wanted):
    found = law(function, 53)
    assert found.residual == 0
    assert dict(zip(found.outputs, found.lower, strict=True)) == wanted
    assert found.runs < 200


def counting(rng):
    n = 0
    while rng.random() < 0.5:
        n += 1
    return n


def test_an_endless_law_has_a_residual():
    budget = Budget(residual=Fr(1, 10**6))
    found = law(counting, 53, budget)
    assert 0 < found.residual <= Fr(1, 10**6)
    assert all(p == Fr(1, 2 ** (n + 1)) for n, p in zip(found.outputs, found.lower, strict=True))
    few = law(counting, 53, Budget(runs=10))
    assert found.residual < few.residual < 1


def stuck(rng):
    if rng.random() < 0.25:
        while True:
            pass
    return 1


def stuck_drawing(rng):
    k = 0
    while rng.random() < 0.25 or k:
        k = 1
    return 1


def test_an_endless_loop_ends_at_the_budget():
    found = law(stuck, 53, Budget(steps=1000))
    assert (found.residual, found.lower) == (Fr(1, 4), (Fr(3, 4),))
    assert "test_law.py line" in found.endless
    found = law(stuck_drawing, 53)
    assert (found.residual, found.lower) == (Fr(1, 4), (Fr(3, 4),))


# ------------------------------------------------------------------ 53 bits


def geometric(rng):
    return math.floor(math.log(rng.random()) / -0.5)


def test_a_float_geometric_to_the_last_mantissa():
    found = law(geometric, 53)
    assert found.assumptions == ("math.log",)
    assert found.residual == 0
    table_ = dict(zip(found.outputs, found.lower, strict=True))
    assert table_.pop(Raised("ValueError")) == Fr(1, 2**53)
    edge = 2**53
    for n in sorted(table_):  # the larger the number, the smaller the output
        below = edge - table_[n] * 2**53
        assert below.denominator == 1
        assert {math.floor(math.log(m / 2**53) / -0.5) for m in (edge - 1, int(below))} == {n}
        edge = int(below)
        assert edge == 1 or math.floor(math.log((edge - 1) / 2**53) / -0.5) > n
    assert edge == 1


def test_remainders_of_wide_numbers_are_biased_as_they_are():
    found = law(lambda rng: rng.getrandbits(64) % 6)
    assert dict(zip(found.outputs, found.lower, strict=True)) == {
        r: Fr(2**64 // 6 + (1 if r < 2**64 % 6 else 0), 2**64) for r in range(6)
    }


def test_two_floats_leave_a_residual():
    found = law(lambda rng: rng.random() < rng.random(), 53, Budget(runs=500))
    assert 0 < found.residual < Fr(1, 50)
    lower = dict(zip(found.outputs, found.lower, strict=True))
    half = Fr(2**53 - 1, 2**54)
    assert lower[True] <= half <= lower[True] + found.residual


# ------------------------------------------------------------------ what cannot be followed


def unrounded(rng):
    return rng.random()


def printed(rng):
    return f"{rng.random():.3f}"


def seeded(rng):
    return random.Random(3).random() < 0.5


def system_bytes(rng):
    import os

    return os.urandom(1)


def normal(rng):
    return rng.gauss(0, 1) < 0


def numpy_normal(rng):
    return np.random.default_rng().normal() < 0


def to_float(rng):
    return float(rng.random()) < 0.5


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (unrounded, "the output takes more than"),
        (printed, "a format needs the number itself"),
        (seeded, "a generator with a seed"),
        (system_bytes, "os.urandom cannot be followed"),
        (normal, "needs the number itself"),
        (numpy_normal, "Generator.normal cannot be followed"),
        (to_float, "needs the number itself"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_followed_says_where(function, words):
    with pytest.raises(Refused, match=words) as caught:
        law(function, 53)
    if function is not unrounded:
        first = function.__code__.co_firstlineno
        assert any(f"test_law.py line {first + k}: " in str(caught.value) for k in range(1, 5))


CALLS = [0]


def timed(rng):
    import time

    return time.perf_counter_ns() % 1000, rng.random() < 0.5


def remembers(rng):
    CALLS[0] += 1
    return CALLS[0] % 2, rng.random() < 0.5


@pytest.mark.parametrize("function", [timed, remembers], ids=lambda f: f.__name__)
def test_what_is_no_function_of_its_draws_is_refused(function):
    with pytest.raises(Refused, match=r"not a function of its draws|where only a plain number is taken"):
        law(function, 53)


def test_everything_is_put_back():
    names = [(math, "log"), (random, "random"), (random, "seed"), (np.random, "default_rng"), (np.random, "rand")]
    before = [getattr(*name) for name in names], vars(random.Random).copy(), vars(random.SystemRandom).copy()
    for function in (threshold, seeded, timed):
        with contextlib.suppress(Refused):
            law(function, 53)
        assert before == ([getattr(*name) for name in names], vars(random.Random), vars(random.SystemRandom))
    assert isinstance(random.random(), float)


# ------------------------------------------------------------------ sources


def looked_up_sources(_):
    return (
        *(random.random() < 0.5, random.randint(1, 2), secrets.randbelow(2), secrets.SystemRandom().random() < 0.25),
        *(int(np.random.default_rng().integers(2)), np.random.rand() < 0.5, np.random.RandomState().randint(2)),
    )


def test_sources_that_the_code_looks_up():
    found = law(looked_up_sources, 53)
    assert found.residual == 0
    assert len(found.outputs) == 128
    assert set(found.lower) == {Fr(1, 256), Fr(3, 256)}


def vectors(rng):
    values = rng.random(3)
    return tuple(bool(v) for v in values < 0.5), int(np.sum(np.floor(2 * values)))


def numpy_choice(rng):
    return str(rng.choice(["a", "b", "c"], p=[0.25, 0.25, 0.5])), int(rng.binomial(1, 0.5)), rng.permutation(2)


def test_numpy_draws():
    found = law(vectors, 53)
    assert (found.residual, set(found.lower), len(found.outputs)) == (0, {Fr(1, 8)}, 8)
    found = law(numpy_choice, 53)
    assert found.residual == 0
    some = {o[0]: 0 for o in found.outputs}
    for output, p in zip(found.outputs, found.lower, strict=True):
        some[output[0]] += p
    assert some == {"a": Fr(1, 4), "b": Fr(1, 4), "c": Fr(1, 2)}


def test_a_source_is_what_it_passes_for():
    assert isinstance(Source(), random.Random)
    assert isinstance(Source(), secrets.SystemRandom)
    assert isinstance(numpy_generator(), np.random.Generator)
    assert isinstance(NUMPY_STATE(), np.random.RandomState)


# ------------------------------------------------------------------ programs by chance

CONSTANTS = st.sampled_from(["0.25", "0.5", "0.3", "1", "2", "3", "-1", "-0.75"])
UNARY = [
    "-{}",
    "abs({})",
    "math.floor({} * 3)",
    "math.log({} + 0.1)",
    "np.floor({} * 2)",
    "round({}, 1)",
    "np.sqrt({})",
]
UNARY += ["math.exp({})", "int({} * 2)", "({}) % 2", "({}) // 2", "np.abs({})", "1 / {}", "({}) ** 2", "2 ** ({})"]
BINARY = ["{} + {}", "{} - {}", "{} * {}", "({}) / ({})", "max({}, {})"]


@st.composite
def expressions(draw, names, depth=2):
    leaf = draw(st.sampled_from(names))
    if depth == 0 or draw(st.booleans()):
        return leaf
    if draw(st.integers(0, 2)):
        return draw(st.sampled_from(UNARY)).format(f"({draw(expressions(names, depth - 1))})")
    other = draw(st.one_of(CONSTANTS, expressions(names, depth - 1)))
    pair = [f"({draw(expressions(names, depth - 1))})", f"({other})"]
    return draw(st.sampled_from(BINARY)).format(*(pair if draw(st.booleans()) else pair[::-1]))


@st.composite
def conditions(draw, names):
    relation = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
    return f"{draw(expressions(names))} {relation} {draw(CONSTANTS)}"


@st.composite
def blocks(draw, names, indent, depth):
    lines = []
    for _ in range(draw(st.integers(1, 2))):
        kind_ = draw(st.integers(0, 5 if depth else 2))
        name = draw(st.sampled_from("abc"))
        if kind_ <= 2:
            lines.append(f"{indent}{name} = {draw(expressions(names))}")
        elif kind_ <= 4:
            lines.append(f"{indent}if {draw(conditions(names))}:")
            lines += draw(blocks(names, indent + "    ", depth - 1))
            lines.append(f"{indent}else:")
            lines += draw(blocks(names, indent + "    ", depth - 1))
        else:
            lines.append(f"{indent}k = 0")
            lines.append(f"{indent}while k < 2 and {draw(conditions(names))}:")
            lines.append(f"{indent}    k += 1")
            lines += draw(blocks(names, indent + "    ", 0))
    return lines


@st.composite
def programs(draw):
    draws = st.sampled_from(["rng.random()", "rng.randrange(3)", "rng.getrandbits(2)", "rng.randint(-1, 1)"])
    lines = ["def program(rng):", "    c = 1"]
    lines += [f"    {name} = {draw(draws)}" for name in "ab"]
    lines += draw(blocks(["a", "b", "c"], "    ", 2))
    return "\n".join(
        [*lines, f"    return round({draw(expressions(['a', 'b', 'c'], 1))}, 1), {draw(conditions(['a', 'c']))}"]
    )


def compiled(text):
    return made(text, "program")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_programs_by_chance(text):
    program = compiled(text)
    with np.errstate(all="ignore"):
        wanted = enumerated(program, 3)
    found = law(program, 3)
    assert found.residual == 0
    assert table(found) == wanted


def test_the_border_between_two_floats_is_named_and_soon_left():
    found = law(lambda rng: math.floor(rng.random() + rng.random()), 53, Budget(border=Fr(1, 20)))
    assert 0 < found.residual <= Fr(1, 20)
    assert found.runs < 500
    assert found.boxed == "in the output: "
    lower = dict(zip(found.outputs, found.lower, strict=True))
    assert lower[0] <= Fr(1, 2) <= lower[0] + found.residual
    assert law(lambda rng: rng.random() < rng.random(), 53, Budget(border=Fr(1, 20))).boxed.startswith("test_law.py")
    assert law(lambda rng: rng.random() < 0.5, 53).boxed is None


def test_a_law_that_does_not_fit_plain_runs_is_refused_where_nothing_was_merged(monkeypatch):
    monkeypatch.setattr(law_of_code, "_gathered", lambda *_: {key(0): Fr(1), key(1): Fr(0)})

    def key(value):
        return int, repr(value)

    words = r"does not fit plain runs \([0-9]+ of 200 give .*\), so no law is given: the code keeps state"
    with pytest.raises(Refused, match=words):
        law(lambda rng: rng.randrange(2), 53)


def test_ends_are_run_again_whatever_the_trials_show(monkeypatch):
    monkeypatch.setattr(law_of_code, "TRIALS", 0)
    calls = []

    def counted(rng):
        calls.append(1)
        return len(calls), rng.random() < 0.5

    with pytest.raises(Refused, match="not a function of its draws"):
        law(counted, 53)
