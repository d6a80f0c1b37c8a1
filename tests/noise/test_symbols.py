"""What code with noise may do, and what it may not: one line with the file, the line and what to do instead."""

import re
from fractions import Fraction as F
from math import ceil, floor

import pytest

import dpaudit
from dpaudit.noise.explore import explore
from dpaudit.noise.law import finite_law

HEAD = """import math, numpy as np
from fractions import Fraction as F
import dpaudit
class M:
    def __init__(self): self.seen = 0
    def datasets(self): return [0, 1]
    def sample(self, x, noise: dpaudit.Noise):
        a, b, c = x + noise.laplace(1), noise.laplace(1), noise.laplace(2)
        k = noise.discrete_laplace(1)
        return {code}
"""
LINE = 10
BAD = [
    ("noise.laplace(0)", LINE, "must be > 0"),
    ("noise.laplace(-1)", LINE, "must be > 0"),
    ("noise.laplace(0.5)", LINE, "is a float: write an int, a Fraction or text such as '0.5'"),
    ("noise.laplace(math.inf)", LINE, "is a float: write an int, a Fraction or text such as '1/10'"),
    ("noise.laplace(np.float64(2.5))", LINE, "is a float64: write an int, a Fraction or text such as '2.5'"),
    ("np.int64(1) + a", LINE, "a draw is passed to numpy: use lists"),
    ("np.clip(a, 0, 1)", LINE, "a draw is passed to numpy: use lists"),
    ("noise.gaussian(True)", LINE, "is a bool"),
    ("noise.exponential(a)", LINE, "is a draw"),
    ("noise.uniform(2, 1)", LINE, "low < high"),
    ("noise.bernoulli(2)", LINE, "between 0 and 1"),
    ("noise.bernoulli(dpaudit.exp(1))", LINE, "between 0 and 1"),
    ("noise.argmax([])", LINE, "empty list"),
    ("a + 0.1 > 0", LINE, "is a float"),
    ("a + b > c", LINE, "three draws in one comparison"),
    ("(a > 2 * b, a > b)", LINE, "cycle of comparisons"),
    ("(a > b, b > c + 5, c > a - 1)", LINE, "form a cycle: take noise.argmax"),
    ("math.sqrt(a)", LINE, "float() or a function of math is applied to a draw"),
    ("float(a)", LINE, "float() or a function of math"),
    ("int(a)", LINE, "write floor, ceil or round"),
    ("bool(a)", LINE, "used as a truth value"),
    ("str(a)", LINE, "turned into text"),
    ("f'{a}'", LINE, "turned into text"),
    ("a * b", LINE, "a product of two draws is not linear"),
    ("1 / a", LINE, "a division by a draw is not linear"),
    ("a / b", LINE, "a division by a draw is not linear"),
    ("a / 0", LINE, "divided by zero"),
    ("a ** 2", LINE, "not linear"),
    ("a % 1", LINE, "write floor(v / n)"),
    ("{a: 1}", LINE, "unhashable"),
    ("math.floor(a)", 7, "clamp it"),
    ("k", 7, "clamp it"),
    ("int(k)", LINE, "clamp it"),
    ("k > a", LINE, "another draw"),
    ("k + math.floor(a)", LINE, "two rounded or whole draws"),
    ("round(a, 2)", LINE, "round() to digits"),
    ("[1][5]", LINE, "IndexError"),
    ("object()", 7, "the output has a object: return ints, Fractions"),
    ("(a, a + 1)", 7, "made of the same draws"),
    ("a + b + c", 7, "adds several draws"),
    ("(a, b) if a > b else 0", 7, "depend on each other through comparisons"),
    ("(setattr(self, 'seen', self.seen + 1), self.seen)", 7, "must not keep state between runs"),
]


@pytest.mark.parametrize(("code", "line", "rule"), BAD, ids=[row[0] for row in BAD])
def test_bad_code_is_refused_with_its_line(tmp_path, code, line, rule):
    path = tmp_path / "mine.py"
    path.write_text(HEAD.format(code=code))
    with pytest.raises(dpaudit.InputError) as caught:
        dpaudit.epsilon(f"{path}:M")
    said = str(caught.value.rule)
    assert rule in said
    assert f"mine.py line {line}: " in said
    assert "\n" not in said


def test_no_except_of_the_code_swallows_a_refusal(tmp_path):
    path = tmp_path / "mine.py"
    body = "        try:\n            return float(noise.laplace(1))\n        except Exception:\n            return 0\n"
    start = "import dpaudit\nclass M:\n    def datasets(self): return [0, 1]\n"
    path.write_text(start + "    def sample(self, x, noise: dpaudit.Noise):\n" + body)
    with pytest.raises(dpaudit.InputError, match="float"):
        dpaudit.epsilon(f"{path}:M")


def test_a_function_alone_is_taken_too(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import dpaudit\ndef noisy(x, noise: dpaudit.Noise, scale):\n    return x + noise.laplace(scale) > 1\n"
    )
    found = dpaudit.epsilon(f"{path}:noisy", settings={"data": "0,1", "scale": "2"})
    assert re.match("0.49", str(found.epsilon)) or found.closed_form_text == "1/2"


OTHERS = [
    ("        return x if random.random() < 1e-9 else noise.laplace(1) > 0", 8, "draws from another source than noise"),
    ("        return x if np.random.random() < 1e-9 else noise.laplace(1) > 0", 8, "draws from another source"),
    ("        return x if self.rng.random() < 1e-9 else noise.laplace(1) > 0", 8, "draws from another source"),
    ("        SEEN.append(x)\n        return noise.laplace(1) > 0", 7, "must not keep state"),
    ("        self.many += 1\n        return noise.laplace(1) > 0", 7, "must not keep state"),
    ("        while True: noise.laplace(1)", 8, "no path through the code ends: bound this loop"),
    ("        while True:\n            v = noise.laplace(1)\n            if v > 0: return v", 10, "bound this loop"),
    ("        return noise.laplace(1) // 2", 8, "write floor(v / n)"),
    ("        return 0.5 if noise.laplace(1) > 0 else 1", 7, "the output has a float: return ints, Fractions"),
    ("        return round(floor(noise.laplace(9)), -1)", 8, "round() to digits"),
]
START = """import random; from math import floor; import numpy as np; import dpaudit
SEEN = []
class Part: size = 1
class M:
    many = 0
    def __init__(self): self.rng, self.part, self.data = np.random.default_rng(), Part(), np.arange(3)
    def datasets(self): return [0, 1]
    def sample(self, x, noise: dpaudit.Noise):
"""


@pytest.mark.parametrize(("code", "line", "rule"), OTHERS)
def test_state_and_other_sources_are_refused_with_their_line(tmp_path, code, line, rule):
    path = tmp_path / "mine.py"
    path.write_text(START + code + "\n")
    with pytest.raises(dpaudit.InputError) as caught:
        dpaudit.epsilon(f"{path}:M")
    assert rule in str(caught.value.rule)
    assert f"mine.py line {line + 1 if line > 7 else 8}: " in str(caught.value.rule)


def test_objects_and_arrays_among_the_attributes_are_no_state(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(START + "        return x + noise.laplace(self.part.size + len(self.data)) > 0\n")
    assert dpaudit.epsilon(f"{path}:M").closed_form_text == "1/4"


def test_a_loop_without_end_is_bounded_and_says_its_residual(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(START + "        n = 0\n        while x + noise.laplace(1) < 1: n += 1\n        return min(n, 3)\n")
    notes = dpaudit.epsilon(f"{path}:M").to_dict()["notes"]
    assert "mine.py line 10: the paths beyond this branch are not explored, residual 2.22e-18" in notes[0]


def law(code):
    """The probabilities of finitely many outputs, exactly."""
    return {output: value.form for output, value in finite_law(explore(code, dict)).values.values()}


def clamped(value, low=-2, high=3):
    return int(min(max(value, low), high))


def first(noise):
    return noise.laplace(2)


def whole(noise):
    return noise.discrete_laplace(2)


def steps(bars):
    """Which bars a draw reaches, asked one by one from the largest down."""

    def value(draw):
        for n, bar in reversed(list(enumerate(bars, start=-1))):
            if draw > bar:
                return n
        return -2

    return value


BARS = [F(-3, 2), F(-1, 2), F(1, 2), F(3, 2), F(5, 2)]
ALIKE = [
    (first, lambda a: 1 - a > 2, lambda a: a < -1),
    (first, lambda a: a - 1 > 2, lambda a: a > 3),
    (first, lambda a: 1 + a * 2 >= 2 - a, lambda a: a > F(1, 3)),
    (first, lambda a: -a / 3 > 1, lambda a: a < -3),
    (first, lambda a: abs(a) > 1, lambda a: a > 1 or a < -1),
    (first, lambda a: (a + F(1, 2) > a, a > a, a >= a, a < a, a <= a), lambda a: (True, False, True, False, True)),
    (first, lambda a: (a < a + F(1, 2), a - 1 > a, a == a, a == a + 1), lambda a: (True, False, True, False)),
    (first, lambda a: (a == 1, a == "a", a == None, a == a * 2), lambda a: (False,) * 4),  # noqa: E711
    (first, lambda a: 0 * a + 5, lambda a: 5),
    (first, lambda a: clamped(round(a)), steps(BARS)),
    (first, lambda a: clamped(floor(a)), steps([n + F(1, 2) for n in BARS])),
    (first, lambda a: clamped(floor(2 * a)), steps([n / 2 + F(1, 4) for n in BARS])),
    (first, lambda a: clamped(ceil(a)), steps([n - F(1, 2) for n in BARS])),
    (first, lambda a: clamped(floor(a) * 2 + 1, -3, 5), lambda a: 2 * clamped(floor(a), -2, 2) + 1),
    (whole, lambda k: k - 1 >= 2, lambda k: k >= 3),
    (whole, lambda k: 3 - k >= 1, lambda k: k <= 2),
    (whole, lambda k: k + k >= 3, lambda k: k > 1),
    (whole, lambda k: (k - k, k + (-k), 0 * k), lambda k: (0, 0, 0)),
    (whole, lambda k: k > -k, lambda k: k >= 1),
    (whole, lambda k: -k > k + 3, lambda k: k < -1),
    (whole, lambda k: (k / 2 >= F(3, 4), k / -2 > 1), lambda k: (not k < 2, k <= -3)),
    (whole, lambda k: (k < k, k <= k, k == k, k > k - 1), lambda k: (False, True, True, True)),
    (whole, lambda k: (k == 2, k == "k", k == F(1, 2)), lambda k: (not (k > 2 or k < 2), False, False)),
    (whole, lambda k: (k / -2 >= 1, k / -2 <= F(1, 2)), lambda k: (k <= -2, k >= -1)),
    (whole, lambda k: abs(k) >= 2, lambda k: k >= 2 or k <= -2),
    (whole, lambda k: clamped(floor(round(ceil(k)))), lambda k: clamped(k)),
    (whole, lambda k: [10, 20, 30][int(min(max(k, 0), 2))], lambda k: 10 if k < 1 else 20 if k < 2 else 30),
]


@pytest.mark.parametrize(("draw", "code", "other"), ALIKE)
def test_every_operation_is_what_comparisons_with_numbers_say(draw, code, other):
    assert law(lambda noise: code(draw(noise))) == law(lambda noise: other(draw(noise)))


def test_the_smallest_of_three():
    codes = (
        lambda noise: noise.argmin([1 + noise.laplace(1), noise.laplace(2), F(1, 2)]),
        lambda noise: noise.argmax([-1 - noise.laplace(1), -noise.laplace(2), F(-1, 2)]),
    )
    assert law(codes[0]) == law(codes[1])
    assert sum(law(codes[0])) == 0 + 1 + 2


def bounded_first(a, c, d, factor):
    return c > 1, c > d + 1, factor * a > c


def in_a_row(z, a, c, factor):
    return z > factor * a, factor * a > factor * c + 3, z > 2


SCALED = [(bounded_first, 3, (1, 2, 1), (3, 2, 1)), (bounded_first, -3, (1, 2, 1), (3, 2, 1))]
SCALED += [(in_a_row, 3, (2, 1, 1), (2, 3, 3)), (in_a_row, F(1, 2), (2, 1, 4), (2, F(1, 2), 2))]


@pytest.mark.parametrize(("code", "factor", "scales", "multiplied"), SCALED)
def test_a_multiple_of_a_draw_is_a_draw_of_that_scale(code, factor, scales, multiplied):
    """Also where draws were compared before, and are rescaled."""
    one = law(lambda noise: code(*map(noise.laplace, scales), factor))
    assert one == law(lambda noise: code(*map(noise.laplace, multiplied), 1 if factor > 0 else -1))
    assert len(one) > 4
