"""Code that was refused with wrong words, left half followed, or noisy: it is followed now, or the reason is true."""

import random
import sys
from collections import namedtuple
from fractions import Fraction

import numpy as np
import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.code.law import Session
from dpaudit.code.run import Refused
from dpaudit.code.source import Source, numpy_generator


def law(sample, rng=None):
    """The exact law of sample(rng), where nothing stays open."""
    found = Session().law(lambda: sample(rng or Source()))
    assert found.residual == 0
    return dict(zip(found.outputs, found.lower, strict=True))


def test_the_first_largest_of_many_coins_is_exact():
    found = law(lambda rng: int(np.argmax(rng.integers(0, 2, size=20))))
    assert found == {k: Fraction(1, 2 ** (k + 1)) + (Fraction(1, 2**20) if k == 0 else 0) for k in range(20)}
    assert law(lambda rng: rng.random() * 4 < rng.randrange(4)) == {False: Fraction(5, 8), True: Fraction(3, 8)}


def test_whole_numbers_of_very_many_values_are_not_called_floats():
    class Wide:
        budget = {"residual": "1/20"}  # noqa: RUF012

        def datasets(self):
            return [0, 1]

        def sample(self, x, rng):
            return rng.getrandbits(40) < rng.getrandbits(40)

    said = " ".join(dpaudit.delta(Wide(), at=0).to_dict()["notes"])
    assert "test_code_leftovers.py line" in said
    assert "several draws of many values decide there together" in said


def distinct(rng):
    seen = set()
    while len(seen) < 3:
        seen.add(int(rng.integers(0, 5)))
    return tuple(sorted(seen))


def test_a_loop_that_fills_a_set_comes_back_to_its_states():
    assert set(law(distinct).values()) == {Fraction(1, 10)}


def order(rng):
    entries = {0}
    if rng.randrange(2):
        entries = set()
        entries.add(8)
        entries.add(0)
        entries.discard(8)
    while rng.randrange(2):
        pass
    entries.add(8)
    return next(iter(entries))


def test_sets_of_equal_entries_whose_order_will_differ_are_two_states():
    """An entry that was taken out leaves a mark, on which the place of the next one depends."""
    assert law(order) == {0: Fraction(1, 2), 8: Fraction(1, 2)}


def test_a_set_is_one_output_in_whatever_order():
    def either(x, rng):
        made = set()
        for entry in (0, 8) if x else (8, 0):
            made.add(entry)
        return made, rng.randrange(2)

    assert dpaudit.epsilon(either, data=[0, 1]).epsilon.upper == 0


@pytest.mark.parametrize("text", [str, repr, lambda values: f"{values}"])
def test_the_text_of_an_array_of_draws_is_that_of_a_plain_one(text):
    for make in (lambda rng: rng.integers(0, 2, size=2), lambda rng: rng.integers(0, 2, size=(2, 2)) / 2):
        found = law(lambda rng, make=make: text(make(rng)), numpy_generator())
        values = [0, 1]
        shown = [text(np.array([a, b])) for a in values for b in values]
        assert set(found) == set(shown) or len(found) == 16
        assert sum(found.values()) == 1
    with pytest.raises(Refused, match=r"leftovers.py line [0-9]+: the text of an array needs the numbers themselves"):
        law(lambda rng: text(rng.random(2)))


def test_the_place_of_a_draw_in_a_sorted_array_by_its_method():
    sums = np.array([0.25, 0.5])
    found = law(lambda rng: int(sums.searchsorted(rng.random(), side="right")))
    assert found == {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 2)}
    assert law(lambda rng: [(u <= u, u < u, u == u) for u in [rng.random()]]) == {((True, False, True),): 1}


# ------------------------------------------------------------------ sub-samplers


@dpaudit.sampler
def a_float(rng):
    return rng.random()


def test_a_sub_sampler_that_returns_a_float_is_named():
    with pytest.raises(
        Refused, match=r"leftovers.py line [0-9]+: what the sub-sampler a_float returns takes more than"
    ):
        law(lambda rng: a_float(rng) < 0.5)


Point = namedtuple("Point", "a b")
MADE = {
    "list": lambda rng, numpys: [rng.randrange(2), 3],
    "dict": lambda rng, numpys: {"a": [rng.randrange(2)]},
    "array": lambda rng, numpys: numpys.integers(0, 2, size=2),
    "whole": lambda rng, numpys: numpys.integers(0, 2),
    "float": lambda rng, numpys: np.float64(rng.randrange(2)),
    "set": lambda rng, numpys: {int(rng.randrange(2)), 7},
    "tuple": lambda rng, numpys: (rng.randrange(2), [0]),
    "point": lambda rng, numpys: Point(rng.randrange(2), 2),
}


def told(value):
    """The value with the types of all its parts."""
    if isinstance(value, dict):
        return "dict", *((name, told(entry)) for name, entry in value.items())
    if isinstance(value, list | tuple | np.ndarray):
        return type(value).__name__, *map(told, value)
    return type(value).__name__, str(value)


@pytest.mark.parametrize("kind", MADE)
def test_what_a_sub_sampler_returns_is_what_it_returns(kind):
    """Its type, a number of numpy too, and an object of its own for every draw."""
    part = dpaudit.sampler(MADE[kind])

    def sample(rng):
        first, second = part(rng, numpy_generator()), part(rng, numpy_generator())
        for value in (first, *(first if isinstance(first, tuple) else ())):
            if isinstance(value, list):
                value.append(5)
        if isinstance(first, np.ndarray):
            first[0] += 5
        return told(second)

    plain = {told(MADE[kind](random.Random(k), np.random.default_rng(k))) for k in range(60)}
    found = law(sample)
    assert found == {value: Fraction(1, len(plain)) for value in plain}


class Holder:
    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return f"Holder {self.held}"


class Row(list):
    pass


def test_a_draw_inside_an_output_is_made_known_or_the_output_is_refused_for_it():
    assert law(lambda rng: Point(rng.randrange(2), [rng.randrange(2)])) == {
        Point(a, (b,)): Fraction(1, 4) for a in (0, 1) for b in (0, 1)
    }
    for kind in (Holder, Row):
        with pytest.raises(Refused, match=f"the output is a {kind.__name__} that holds a draw"):
            law(lambda rng, kind=kind: kind([rng.randrange(2)]))
    assert len(law(lambda rng: str(Holder(int(rng.randrange(2)))))) == 2


# ------------------------------------------------------------------ noise of another kind


LOUD = """
import sys
def loud(x, rng):
    print("LOUD")
    print("SHRILL", file=sys.stderr)
    return x ^ (rng.random() < 0.25)

def imports(x, rng):
    import a_module_that_draws as module
    return helper() if rng.random() < module.share else x

def helper():
    import a_module_that_is_not_there
    return 0
"""


def test_what_a_sampler_prints_is_shown_once(tmp_path, capfd):
    (tmp_path / "mine.py").write_text(LOUD)
    assert main(["epsilon", "--mech", f"{tmp_path}/mine.py:loud", "--set", "data=0,1", "--json"]) == 0
    shown = capfd.readouterr()
    assert (shown.err.count("LOUD"), shown.err.count("SHRILL"), shown.out.count("LOUD")) == (1, 1, 0)


def test_what_a_sampler_imports_is_there_before_it_runs(tmp_path, monkeypatch):
    (tmp_path / "a_module_that_draws.py").write_text(
        "import numpy as np\nnoise = np.random.RandomState(1).rand(3)\nshare = 0.25\nfor k in range(3000): pass\n"
    )
    (tmp_path / "mine.py").write_text(LOUD)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "a_module_that_draws", raising=False)
    found = dpaudit.pmf(f"{tmp_path}/mine.py:imports", 0, data=[0, 1])
    assert [(str(r), str(p)) for r, p in zip(found.outputs, found.probabilities, strict=True)] == [
        ("0", "0.75"),
        ("raises ModuleNotFoundError", "0.25"),
    ]
