"""A sampler gets the random source that its annotation names; no function draws, or tells of a state, behind it."""

import copy
import functools
import pickle
import random
import secrets
import sys
from types import ModuleType

import numpy as np
import pytest

import dpaudit
from dpaudit.code.context import in_place
from dpaudit.code.run import RUNS, Refused, Run
from dpaudit.numbers.errors import InputError
from tests.code.snippets import law, made, sampler

HEAD = """
import functools, numpy as np
from typing import TYPE_CHECKING, Annotated, Optional
if TYPE_CHECKING:
    from numpy.random import RandomState as Hidden
R, G = np.random.RandomState, np.random.Generator
"""
LATER = "from __future__ import annotations\n"
SIGNATURES = """
rng: np.random.RandomState
rng: R
rng: R | None = None
rng: Optional[R] = None
rng: Annotated[R, 'ours']
rng=R(1)
rng: R, top=4
rng: 'absent.RandomState'
"""


def outputs(sample, **settings):
    return dpaudit.pmf(sample, 0, **{"data": [0, 1], **settings}).outputs


@pytest.mark.parametrize("head", [HEAD, LATER + HEAD], ids=["at once", "as text"])
@pytest.mark.parametrize("signature", SIGNATURES.strip().split("\n"))
def test_the_annotation_names_the_source(signature, head):
    sample = made(f"{head}\ndef sample(x, {signature}): return int(rng.randint(0, 4))")
    assert outputs(sample) == (0, 1, 2, 3)  # Python's own randint has 4 too


GIVEN = f"""{LATER}{HEAD}
def plain(x, rng: R): return int(rng.randint(0, 4))
def with_first(k, x, rng: R): return int(rng.randint(0, k))
@functools.wraps(plain)
def wrapped(*given): return plain(*given)
class Called:
    def __call__(self, x, rng: R): return int(rng.randint(0, 4))
    def method(self, x, rng: R): return int(rng.randint(0, 4))
    @staticmethod
    def static(x, rng: R): return int(rng.randint(0, 4))
class Mechanism:
    def datasets(self): return [0, 1]
    def sample(self, x, rng: R): return int(rng.randint(0, 4))
"""
WAYS = """
wrapped; functools.partial(with_first, 4); Called(); Called().method; Called.static; Mechanism()
Mechanism; type('Sub', (Mechanism,), {'sample': Mechanism.sample})()
"""


@pytest.mark.parametrize("way", [way.strip() for way in WAYS.strip().replace("\n", ";").split(";")])
def test_the_annotation_holds_however_the_sampler_is_given(way):
    given = eval(way, {**made(GIVEN, "plain").__globals__})
    assert dpaudit.pmf(given, 0, **({} if hasattr(given, "datasets") else {"data": [0, 1]})).outputs == (0, 1, 2, 3)


def test_other_sources_are_told_apart():
    def generator(x, rng: np.random.Generator):
        return type(rng).__name__, int(rng.integers(0, 2))

    def pythons(x, rng: random.Random):
        return rng.randint(0, 4)

    assert outputs(generator) == (("Generator", 0), ("Generator", 1))
    assert outputs(pythons) == (0, 1, 2, 3, 4)


def test_an_annotation_that_names_nothing_is_refused():
    with pytest.raises(InputError, match='the annotation "Hidden" of rng names nothing'):
        outputs(made(f"{LATER}{HEAD}\ndef sample(x, rng: Hidden): return int(rng.randint(0, 4))"))


LIMITS = [
    ("rng.choice(np.arange(4).reshape(2, 2), axis=1)", "along another axis"),
    ("rng.choice(4, size=2, replace=False, shuffle=False)", "without shuffling"),
    ("rng.shuffle(np.arange(4).reshape(2, 2), axis=1)", "shuffle along another axis"),
    ("rng.permutation(np.arange(4).reshape(2, 2), axis=1)", "permutation along another axis"),
    ("rng.random(2, out=np.zeros(2))", "out="),
    ("rng.binomial(2, 0.5)", "other than one trial"),
    ("rng.random(dtype=np.float32)", "another dtype than float64"),
    ("rng.choice([[1, 2], [3, 4]], size=2)", "several choices among rows"),
    ("rng.choice(3, size=2, replace=False, p=[0.5, 0.25, 0.25])", "without replacement and with probabilities"),
]


@pytest.mark.parametrize(("call", "words"), LIMITS)
def test_what_a_stand_in_lacks_is_a_refusal_with_its_line_though_the_code_catches_everything(call, words):
    body = f"    try: return str({call}) if rng.random() < 0.5 else 0\n    except BaseException: return 'caught'"
    with pytest.raises(InputError, match=f"snippet_[0-9]+.py line [0-9]+: .*{words}"):
        outputs(made(f"{HEAD}\ndef sample(x, rng: G):\n{body}"))


def test_what_numpy_has_is_refused_with_the_annotation_that_brings_it():
    with pytest.raises(InputError, match=r"line [0-9]+: integers is numpy's: annotate the parameter, rng: np.random.G"):
        outputs(lambda x, rng: rng.integers(2))


SEEDED, STATE = np.random.default_rng(1), np.random.RandomState(1)


def test_a_generator_in_a_global_name_is_followed():
    before = SEEDED, STATE
    assert outputs(lambda x, rng: int(SEEDED.integers(2)) + 2 * int(STATE.randint(2))) == (0, 1, 2, 3)
    assert before == (SEEDED, STATE)


def test_sources_show_what_they_are_as_without_an_audit():
    kept = [np.random.default_rng(1), np.random.RandomState(1)]
    assert outputs(lambda x, rng: int(hasattr(rng, "a_name_of_nothing"))) == (0,)
    assert outputs(lambda x, rng: int(isinstance(kept[0], np.random.Generator))) == (1,)
    assert outputs(lambda x, rng: int(isinstance(kept[1], np.random.Generator))) == (0,)


def hiding():
    """Functions that draw from a generator none of whose names leads to it.

    The generators are new: ``tests/conftest.py`` takes those of an imported module out of what is searched.
    """
    plain, kept, seeded, bits = (
        random.Random.__base__.random,
        [random.Random(1)],
        np.random.default_rng(1),
        np.random.PCG64(1),
    )
    looked_up = seeded.integers
    return {
        "in a list": lambda: plain(kept[0]) < 0.5,
        "in a default": lambda generators=[seeded]: generators[0].integers(2),
        "in a partial": functools.partial(lambda generator: generator.integers(2), seeded),
        "a method looked up before": lambda: looked_up(2),
        "raw bits": lambda: bits.random_raw() % 2,
    }


@pytest.mark.parametrize("where", hiding())
def test_a_generator_that_none_can_stand_in_for_is_refused_however_rarely_it_draws(where):
    drawn = hiding()[where]
    with pytest.raises(InputError, match="it draws from a generator stored"):
        outputs(lambda x, rng: int(drawn()) if rng.randrange(1000) == 0 else 2)


# ------------------------------------------------------------------ every function of the modules

HERE = r"test_source.py line [0-9]+: "
ARGUMENTS = [(), (2,), (1, 2), ([1, 2],), ([1, 2], 1), (1, 0.5), (1, 2, 3), (1, 2, 3, 4)]
MAKE_SOURCES = {"Random", "SystemRandom", "default_rng", "Generator", "RandomState", "seed", "BitGenerator"}
MAKE_SOURCES |= {"MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"}
MODULES = [(random, {*MAKE_SOURCES, "main"}), (secrets, {*MAKE_SOURCES, "compare_digest"}), (np.random, MAKE_SOURCES)]


def outcome(function, given):
    """What a call does in a run: "draws", "refused", or "neither"; None where it does not take these arguments."""
    run = Run((), None)
    RUNS.append(run)
    try:
        function(*given)
    except Refused as reason:
        return None if "with these arguments" in str(reason) else "refused"
    except Exception:
        return "draws" if run.draws else None
    finally:
        RUNS.remove(run)
    return "draws" if run.draws else "neither"


@pytest.mark.parametrize(("module", "others"), MODULES)
def test_every_function_of_a_module_is_followed_or_refused(module, others):
    names = {name for name in dir(module) if not name.startswith("_") and callable(getattr(module, name))} - others
    with in_place():
        for name in names:
            found = {outcome(getattr(module, name), given) for given in ARGUMENTS} - {None}
            assert found & {"draws", "refused"}, name


@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState, random.Random, np.random.PCG64])
def test_every_method_of_a_source_is_followed_or_refused(kind):
    with in_place():
        source = {"Generator": np.random.default_rng}.get(kind.__name__)
        source = source or getattr(random if kind is random.Random else np.random, kind.__name__)
        for name in [name for name in dir(kind) if not name.startswith("_")]:
            if name in ("VERSION", "seed", "lock"):
                continue
            found = {outcome(lambda *a, n=name: getattr(source(), n)(*a), given) for given in ARGUMENTS} - {None}
            assert found & {"draws", "refused"}, name


STATES = [
    "kept, a = random.getstate(), random.getrandbits(4)\nrandom.setstate(kept)\nreturn a == random.getrandbits(4)",
    "random.setstate((3, (0,) * 625, None))\nreturn random.getrandbits(1)",
    *("random.seed(1)\nreturn random.getrandbits(1)", "return len(random.randbytes(1))", "return len(os.getrandom(1))"),
    "return _random.Random().getrandbits(1)",
]


@pytest.mark.parametrize("body", STATES)
def test_the_state_of_a_generator_is_refused_with_its_line(body):
    with pytest.raises(Refused, match=r"snippet_[0-9]+.py line [0-9]+: "):
        law(sampler(body, "import _random, os, random"))


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda rng: pickle.loads(pickle.dumps(rng))])
@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, random.Random, np.random.PCG64])
def test_a_copy_of_a_generator_draws_the_same_and_is_refused(twin, make):
    def sample(x, rng):
        made = getattr(random if make is random.Random else np.random, make.__name__)()
        other = twin(made)
        return (made.random() < 0.5) == (other.random() < 0.5)

    with pytest.raises(InputError, match=HERE + ".*(a copy of a|getstate)"):
        outputs(sample)


# ------------------------------------------------------------------ OpenDP, which draws in Rust

OPENDP = """
class Held:  # a measurement as OpenDP has it: the call imports what draws when it is made
    def __call__(self, arg):
        from opendp.core import measurement_invoke
        return measurement_invoke(self, arg)
    def invoke(self, arg): return self(arg)
def query(x):
    from opendp.core import queryable_eval
    return queryable_eval(None, x)
def caught(x):
    try: return Held()(x)
    except BaseException: return x
"""


@pytest.fixture
def opendp(monkeypatch):
    """A module with the names through which OpenDP draws."""
    package, core = ModuleType("opendp"), ModuleType("opendp.core")
    core.measurement_invoke = core.queryable_eval = lambda this, arg: arg
    package.core = core
    monkeypatch.setitem(sys.modules, "opendp", package)
    monkeypatch.setitem(sys.modules, "opendp.core", core)
    return core


@pytest.mark.parametrize("call", ["Held()(x)", "Held().invoke(x)", "query(x)", "caught(x)"])
def test_a_call_is_refused_with_what_to_do_and_a_sampler_beside_it_is_followed(opendp, call):
    before = opendp.measurement_invoke
    with pytest.raises(InputError, match=r"OpenDP draws its own randomness, in Rust.*as draw\(x\)"):
        dpaudit.epsilon(made(f"{OPENDP}\ndef sample(x, rng): return {call}"), data=[0, 1])
    assert opendp.measurement_invoke is before
    beside = made(f"{OPENDP}\ndef sample(x, rng): return x ^ (rng.random() < 0.25)")
    assert str(dpaudit.epsilon(beside, data=[0, 1]).epsilon).startswith("1.098")
