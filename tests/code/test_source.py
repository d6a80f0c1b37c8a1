"""Every function of the random modules is followed or refused: none draws, or tells of its state, behind our back."""

import _random
import copy
import os
import pickle
import random
import secrets

import numpy as np
import pytest

import dpaudit
from dpaudit.code.context import in_place
from dpaudit.code.run import RUNS, Refused, Run
from dpaudit.numbers.errors import InputError

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


def again(x, rng):
    state = random.getstate()
    first = random.getrandbits(4)
    random.setstate(state)
    return first == random.getrandbits(4)


def put_back(x, rng):
    random.setstate((3, (0,) * 625, None))
    return random.getrandbits(1)


STATES = [again, put_back, lambda x, rng: random.seed(1) or random.getrandbits(1)]
STATES += [lambda x, rng: len(random.randbytes(1)), lambda x, rng: len(os.getrandom(1))]
STATES += [lambda x, rng: _random.Random().getrandbits(1)]


@pytest.mark.parametrize("sample", STATES)
def test_the_state_of_a_generator_is_refused_with_its_line(sample):
    with pytest.raises(InputError, match=HERE):
        dpaudit.pmf(sample, 0, data=[0, 1])


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda rng: pickle.loads(pickle.dumps(rng))])
@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, random.Random, np.random.PCG64])
def test_a_copy_of_a_generator_draws_the_same_and_is_refused(twin, make):
    def sample(x, rng):
        made = getattr(random if make is random.Random else np.random, make.__name__)()
        other = twin(made)
        return (made.random() < 0.5) == (other.random() < 0.5)

    with pytest.raises(InputError, match=HERE + ".*(a copy of a|getstate)"):
        dpaudit.pmf(sample, 0, data=[0, 1])


KEPT = [random.Random(1)]


def test_what_python_draws_by_itself_is_noticed():
    drawn = random.Random.__base__.random

    def sample(x, rng):
        return drawn(KEPT[0]) < 0.5

    with pytest.raises(InputError, match="it draws from a generator that it keeps"):
        dpaudit.pmf(sample, 0, data=[0, 1])
