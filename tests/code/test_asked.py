"""A sampler gets the random source that its annotation names, however it is given; a stand-in's limits are refusals."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Annotated, Optional

import numpy as np
import pytest

import dpaudit
from dpaudit.numbers.errors import InputError

if TYPE_CHECKING:
    from numpy.random import RandomState as Hidden

R = np.random.RandomState
MAIN = """
import functools
import numpy as np
R = np.random.RandomState

def one(x, rng: R):
    return int(rng.randint(0, 4))

def two(x, k, rng: R):
    return int(rng.randint(0, 4))

three = functools.partial(two, 0)

class Called:
    def __call__(self, x, rng: "R"):
        return int(rng.randint(0, 4))

called = Called()
"""


def plain(x, rng: np.random.RandomState):
    return int(rng.randint(0, 4))


def alias(x, rng: R):
    return int(rng.randint(0, 4))


def text(x, rng: "R"):  # noqa: UP037
    return int(rng.randint(0, 4))


def union(x, rng: R | None = None):
    return int(rng.randint(0, 4))


def optional(x, rng: Optional[R] = None):  # noqa: UP045
    return int(rng.randint(0, 4))


def annotated(x, rng: Annotated[R, "ours"]):
    return int(rng.randint(0, 4))


def by_default(x, rng=R(1)):  # noqa: B008
    return int(rng.randint(0, 4))


def with_setting(x, rng: R, top=4):
    return int(rng.randint(0, top))


def unresolved(x, rng: absent.RandomState):  # noqa: F821
    return int(rng.randint(0, 4))


def with_first(k, x, rng: R):
    return int(rng.randint(0, k))


@functools.wraps(plain)
def wrapped(*given):
    return plain(*given)


class Called:
    def __call__(self, x, rng: R):
        return int(rng.randint(0, 4))

    def method(self, x, rng: R):
        return int(rng.randint(0, 4))

    @staticmethod
    def static(x, rng: R):
        return int(rng.randint(0, 4))


class Mechanism:
    def datasets(self):
        return [0, 1]

    def sample(self, x, rng: R):
        return int(rng.randint(0, 4))


class SubSampled(Mechanism):
    @dpaudit.sampler
    def sample(self, x, rng: R):
        return int(rng.randint(0, 4))


FUNCTIONS = [plain, alias, text, union, optional, annotated, by_default, with_setting, unresolved, wrapped]
GIVEN = [
    *FUNCTIONS,
    dpaudit.sampler(alias),
    functools.partial(with_setting, top=4),
    functools.partial(with_first, 4),
    Called(),
    Called().method,
    Called.static,
]


@pytest.mark.parametrize("given", [*GIVEN, Mechanism(), Mechanism, SubSampled()])
def test_the_annotation_names_the_source_however_the_sampler_is_given(given):
    data = {} if isinstance(given, Mechanism) or given is Mechanism else {"data": [0, 1]}
    law = dpaudit.pmf(given, 0, **data)
    assert law.outputs == (0, 1, 2, 3)  # Python's own randint has 4 too


@pytest.mark.parametrize("name", ["one", "three", "called"])
def test_the_annotation_holds_in_a_file(tmp_path, name):
    (tmp_path / "mine.py").write_text(MAIN)
    assert dpaudit.pmf(f"{tmp_path}/mine.py:{name}", 0, data=[0, 1]).outputs == (0, 1, 2, 3)


def test_other_sources_are_told_apart():
    def generator(x, rng: np.random.Generator):
        return type(rng).__name__, int(rng.integers(0, 2))

    def pythons(x, rng: random.Random):
        return rng.randint(0, 4)

    assert dpaudit.pmf(generator, 0, data=[0, 1]).outputs == (("Generator", 0), ("Generator", 1))
    assert dpaudit.pmf(pythons, 0, data=[0, 1]).outputs == (0, 1, 2, 3, 4)


def test_an_annotation_that_names_nothing_is_refused():
    def hidden(x, rng: Hidden):
        return int(rng.randint(0, 4))

    with pytest.raises(InputError, match='the annotation "Hidden" of rng names nothing'):
        dpaudit.pmf(hidden, 0, data=[0, 1])


def rows():
    return np.arange(4).reshape(2, 2)


G = np.random.Generator
LIMITS = [
    (lambda rng: rng.choice(rows(), axis=1), "along another axis"),
    (lambda rng: rng.choice(4, size=2, replace=False, shuffle=False), "without shuffling"),
    (lambda rng: rng.shuffle(rows(), axis=1), "shuffle along another axis"),
    (lambda rng: rng.permutation(rows(), axis=1), "permutation along another axis"),
    (lambda rng: rng.random(2, out=np.zeros(2)), "out="),
]


@pytest.mark.parametrize("kind", ["Source", "Generator"])
@pytest.mark.parametrize(("call", "words"), LIMITS)
def test_what_a_stand_in_lacks_is_a_refusal_with_its_line(call, words, kind):
    def caught(x, rng):
        try:
            return str(call(rng)) if rng.random() < 0.5 else 0
        except TypeError:
            return "caught"

    def annotated(x, rng: G):
        return caught(x, rng)

    with pytest.raises(InputError, match=f"test_asked.py line [0-9]+: .*{words}"):
        dpaudit.pmf(annotated if kind == "Generator" else caught, 0, data=[0, 1])


def test_a_seed_is_refused():
    with pytest.raises(InputError, match="seed"):
        dpaudit.pmf(lambda x, rng: int(np.random.RandomState(seed=3).randint(2)), 0, data=[0, 1])
    with pytest.raises(InputError, match="seed"):
        dpaudit.pmf(lambda x, rng: int(np.random.Generator(np.random.PCG64(seed=3)).integers(2)), 0, data=[0, 1])


def test_an_error_of_the_library_stays_an_output():
    def empty(x, rng: G):
        return int(rng.integers(0, 0)) if rng.random() < 0.5 else 0

    assert [str(r) for r in dpaudit.pmf(empty, 0, data=[0, 1]).outputs] == ["0", "raises ValueError"]


SEEDED, STATE = np.random.default_rng(1), np.random.RandomState(1)
LOOKED_UP, BITS = SEEDED.integers, np.random.PCG64(1)


def test_a_generator_in_a_global_name_is_followed():
    def held(x, rng):
        return int(SEEDED.integers(2)) + 2 * int(STATE.randint(2))

    before = SEEDED, STATE
    assert dpaudit.pmf(held, 0, data=[0, 1]).outputs == (0, 1, 2, 3)
    assert before == (SEEDED, STATE)


def kept(inside):
    def sample(x, rng):
        return int(inside().integers(2)) if rng.randrange(1000) == 0 else 2

    return sample


HIDING = [
    kept(lambda generators=[SEEDED]: generators[0]),
    kept(lambda generator=SEEDED: generator),
    lambda x, rng: int(LOOKED_UP(2)) if rng.randrange(1000) == 0 else 2,
    lambda x, rng: int(BITS.random_raw()) % 2 if rng.randrange(1000) == 0 else 2,
]


@pytest.mark.parametrize("sample", HIDING)
def test_a_generator_that_none_can_stand_in_for_is_refused_however_rarely_it_draws(sample):
    with pytest.raises(InputError, match="it draws from a generator that it keeps"):
        dpaudit.pmf(sample, 0, data=[0, 1])


REFUSED = [
    (lambda rng: rng.binomial(2, 0.5), "other than one trial"),
    (lambda rng: rng.random(dtype=np.float32), "another dtype than float64"),
    (lambda rng: rng.choice([[1, 2], [3, 4]], size=2), "several choices among rows"),
    (
        lambda rng: rng.choice(3, size=2, replace=False, p=[0.5, 0.25, 0.25]),
        "without replacement and with probabilities",
    ),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_a_refusal_stands_though_the_code_catches_everything(call, words):
    def caught(x, rng: G):
        try:
            return str(call(rng))
        except BaseException:
            return "caught"

    with pytest.raises(InputError, match=f"test_asked.py line [0-9]+: .*{words}"):
        dpaudit.pmf(caught, 0, data=[0, 1])


def test_a_run_that_is_left_is_no_output_though_the_code_catches_everything():
    def caught(x, rng):
        while True:
            try:
                if rng.randrange(2):
                    return 1
            except BaseException:
                return 2

    law = dpaudit.pmf(caught, 0, data=[0, 1])
    assert [(r, str(p)) for r, p in zip(law.outputs, law.probabilities, strict=True)] == [(1, "1")]


RAISED = [lambda rng: rng.choice([]), lambda rng: rng.choice(2, p=[0.5, float("nan")]), lambda rng: rng.binomial(1, 2)]


@pytest.mark.parametrize("call", RAISED)
def test_what_numpy_raises_is_an_output(call):
    def raising(x, rng: G):
        return int(call(rng)) if rng.random() < 0.5 else 0

    assert [str(r) for r in dpaudit.pmf(raising, 0, data=[0, 1]).outputs] == ["0", "raises ValueError"]
