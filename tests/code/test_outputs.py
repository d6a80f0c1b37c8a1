"""What a sampler returns, raises or never comes to: two outputs are never one, and every refusal names its line."""

import os
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

import dpaudit
from dpaudit.numbers.errors import InputError
from tests.code.snippets import law, sampler, texts


def texts_of(sample):
    return texts(law(sample))


HERE = r"test_outputs.py line [0-9]+: "


class Spins:
    """One run in eight has no end, and draws nothing."""

    def __init__(self, way=0):
        self.way, self.budget = way, {"seconds": 1}

    def datasets(self):
        return [0, 1]

    def sample(self, x, rng):
        if rng.random() < 0.125:
            if self.way:
                return sum(1 for _ in iter(int, 1))
            while True:
                pass
        return 1


@pytest.mark.parametrize("way", [0, 1])
def test_a_loop_that_does_not_draw_keeps_to_the_budget_and_is_named(way):
    start = time.process_time()
    audit = dpaudit.delta(Spins(way), at=1).to_dict()
    assert time.process_time() - start < 20  # two data sets, a second each
    said = " ".join(audit["notes"])
    assert "test_outputs.py line" in said
    assert "abandoned there as endless" in said
    assert Fraction(1, 8) <= Fraction(audit["residual"]) < Fraction(126, 1000)


TWINS = [
    lambda x, rng: [0] if x else (0,),
    lambda x, rng: {1: 2} if x else ((1, 2),),
    lambda x, rng: [0] if rng.random() < 0.5 else (0,),
    lambda x, rng: (1, [0] if x else (0,)),
    lambda x, rng: np.array([0]) if x else (0,),
]


@pytest.mark.parametrize("sample", TWINS)
def test_outputs_that_differ_in_their_containers_alone_are_refused(sample):
    with pytest.raises(InputError, match=r"two different outputs count as one, \(.*: return one kind"):
        dpaudit.epsilon(sample, data=[0, 1])


def test_one_kind_of_container_is_as_good_as_another():
    def inner(rng):
        return (rng.randrange(2),)

    def lists(x, rng):
        return [*inner(rng), {"a": rng.randrange(2)}, np.zeros(1, int)]

    assert dpaudit.pmf(lists, 0, data=[0, 1]).outputs[0] == (0, (("a", 0),), (0,))


class Shown:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return "Shown"


NO_VALUES = [lambda rng: rng, lambda rng: rng.random, lambda rng: print, lambda rng: type("Thing", (), {})()]
NO_VALUES += [lambda rng: Shown(rng.getrandbits(1)), lambda rng: Shown(int(rng.getrandbits(1)))]


@pytest.mark.parametrize("what", NO_VALUES)
def test_what_is_no_value_is_no_output(what):
    for sample in (lambda x, rng: what(rng), lambda x, rng: (1, what(rng)) if rng.random() < 0.5 else 0):
        with pytest.raises(InputError, match=HERE + r"the output is a .*; return numbers, text or tuples of them"):
            dpaudit.pmf(sample, 0, data=[0, 1])


def interrupts(x, rng):
    if rng.random() < 0.5:
        raise KeyboardInterrupt
    return 0


def interrupted(x, rng):
    os.kill(os.getpid(), 2)
    for _ in range(100):
        rng.random()
    return 0


def test_an_interrupt_that_the_code_raises_is_refused_and_the_users_is_not():
    with pytest.raises(InputError, match=f"{HERE}KeyboardInterrupt"):
        dpaudit.pmf(interrupts, 0, data=[0, 1])
    with pytest.raises(KeyboardInterrupt):
        dpaudit.pmf(interrupted, 0, data=[0, 1])


def test_code_that_always_raises_is_named_by_its_line():
    with pytest.raises(InputError, match=f"always raises NameError: {HERE}name 'absent'"):
        dpaudit.pmf(lambda x, rng: absent, 0, data=[0, 1])  # noqa: F821


HASHING = """
import dpaudit

def hashed(x, rng):
    return hash(str(x)) % 2 + rng.randrange(2)

def ordered(x, rng):
    return [*{"a", "b", str(x)}][rng.randrange(2)]

def neither(x, rng):
    return rng.randrange(2)

for function in (hashed, ordered, neither):
    print([s for s in dpaudit.epsilon(function, data=[0, 1]).to_dict()["assumptions"] if "hash()" in s])
"""


def test_what_hangs_on_the_hashes_of_text_is_named(tmp_path):
    (tmp_path / "mine.py").write_text(HASHING)
    command = [sys.executable, str(tmp_path / "mine.py")]
    environment = {**os.environ, "PYTHONHASHSEED": "random"}
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "mine.py line 5: the order of a set, or hash(), of text" in printed[0]
    assert "mine.py line 8: the order of a set, or hash(), of text" in printed[1]
    assert printed[2] == "[]"


def test_equal_sets_are_one_output_in_whatever_order_they_were_filled():
    assert str(dpaudit.epsilon(lambda x, rng: {0, 8} if x else {8, 0}, data=[0, 1]).epsilon) == "0"
    assert texts_of(lambda rng: {0, 8} if rng.getrandbits(1) else {8, 0}) == {"frozenset({0, 8})": 1}


EXCEPTIONS = """
class A(Exception): pass
class Outer:
    class A(Exception): pass
def one():
    class Local(Exception): pass
    return Local
def other():
    class Local(Exception): pass
    return Local
"""


def test_two_exceptions_of_one_name_are_two_outputs():
    kinds = 'A, Outer.A, type("ValueError", (Exception,), {}), ValueError'
    found = texts_of(sampler(f"raise ({kinds})[rng.randrange(4)]", EXCEPTIONS))
    assert found == {
        f"raises {name}": Fraction(1, 4) for name in ("A", "Outer.A", "ValueError", "a_snippet.ValueError")
    }
    found = texts_of(sampler("raise (one, other)[rng.randrange(2)]()", EXCEPTIONS))
    assert [*found.values()] == [Fraction(1, 2)] * 2


def test_an_exit_of_the_code_is_an_output():
    body = "if rng.getrandbits(2) == 0: sys.exit(3)\nif rng.getrandbits(1): raise SystemExit\nreturn 0"
    assert texts_of(sampler(body, sys=sys)) == {"0": Fraction(3, 8), "raises SystemExit": Fraction(5, 8)}
