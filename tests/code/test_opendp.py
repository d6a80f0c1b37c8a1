"""OpenDP draws in Rust: a sampler that calls it is refused with what to do, however it calls it."""

import sys
from types import ModuleType

import pytest

import dpaudit
from dpaudit.numbers.errors import InputError
from tests.code.snippets import made

HEAD = """
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
        dpaudit.epsilon(made(f"{HEAD}\ndef sample(x, rng): return {call}"), data=[0, 1])
    assert opendp.measurement_invoke is before
    beside = made(f"{HEAD}\ndef sample(x, rng): return x ^ (rng.random() < 0.25)")
    assert str(dpaudit.epsilon(beside, data=[0, 1]).epsilon).startswith("1.098")
