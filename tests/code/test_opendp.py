"""OpenDP draws in Rust: a sampler that calls it is refused with what to do, however it calls it."""

import sys
from types import ModuleType

import pytest

import dpaudit
from dpaudit.numbers.errors import InputError


class Held:
    """A measurement as OpenDP has it: the call imports what draws when it is made."""

    def __call__(self, arg):
        from opendp.core import measurement_invoke

        return measurement_invoke(self, arg)

    def invoke(self, arg):
        from opendp.core import measurement_invoke

        return measurement_invoke(self, arg)


HELD = Held()


class Calls:
    def datasets(self):
        return [False, True]

    def sample(self, x, rng):
        return HELD(x)


class Invokes(Calls):
    def sample(self, x, rng):
        return HELD.invoke(x)


class Queries(Calls):
    def sample(self, x, rng):
        from opendp.core import queryable_eval

        return queryable_eval(self, x)


class Catches(Calls):
    def sample(self, x, rng):
        try:
            return HELD(x)
        except BaseException:
            return x


@pytest.fixture
def opendp(monkeypatch):
    """A module with the names through which OpenDP draws."""
    package, core = ModuleType("opendp"), ModuleType("opendp.core")
    core.measurement_invoke = core.queryable_eval = lambda this, arg: arg
    package.core = core
    monkeypatch.setitem(sys.modules, "opendp", package)
    monkeypatch.setitem(sys.modules, "opendp.core", core)
    return core


@pytest.mark.parametrize("kind", [Calls, Invokes, Queries, Catches])
def test_a_call_is_refused_with_what_to_do(opendp, kind):
    before = opendp.measurement_invoke
    with pytest.raises(InputError, match=r"OpenDP draws its own randomness, in Rust.*as draw\(x\)"):
        dpaudit.epsilon(kind)
    assert opendp.measurement_invoke is before


def test_a_sampler_beside_it_is_followed(opendp):
    class Response(Calls):
        def sample(self, x, rng):
            return x if rng.random() < 0.75 else not x

    assert str(dpaudit.epsilon(Response).epsilon).startswith("1.098")
