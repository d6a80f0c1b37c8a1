"""Code that catches everything, also the end of a run: it is followed, and no run of it goes on for ever."""

import asyncio
import concurrent.futures
import os
import signal
import threading
import time
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.code.run import Refused
from dpaudit.numbers.errors import InputError
from tests.code.snippets import cases, exact, law, sampler

RETRIED = """
while True:
    try:
        r = rng.randrange(4)
        if r == 3: raise ValueError
        return r
    except: pass
= uniform(range(3))
tried = 0
while True:
    try: return retried(rng)
    except BaseException: tried += 1
= uniform(range(3))
while True:
    try:
        while True:
            try:
                r = rng.randrange(4)
                if r == 0: raise KeyError
                if r < 3: return r - 1
            except: pass
    except BaseException: pass
= uniform(range(2))
while True:
    try:
        if rng.randrange(2): return 1
    except BaseException: return 2
= {1: 1}
"""
HEAD = """
from contextlib import nullcontext as held
def retried(rng):
    while True:
        try: return (0, 1, 2)[rng.randrange(4)]
        except: pass
"""


@pytest.mark.parametrize(("body", "expected"), cases(RETRIED))
def test_a_run_that_is_caught_ends(body, expected):
    assert exact(law(sampler(body, HEAD))) == expected


@pytest.mark.parametrize("steps", [2000, 2001, 2002])
def test_a_loop_without_end_that_catches_everything_is_left(steps):
    """Whichever turn is the last one that it may take: inside of what catches, or not."""
    found = law(sampler("while True:\n    try: rng.randrange(4)\n    except: pass"), steps=steps, seconds=5)
    assert (found.outputs, found.residual) == ((), 1)


def test_a_refusal_that_is_caught_keeps_its_reason():
    with pytest.raises(Refused, match=r"snippet_[0-9]+.py line 3: (?!it keeps)"):
        law(sampler("while True:\n    try: return float('%f' % rng.random())\n    except: pass"))


def stubborn(rng):
    while True:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            rng.random()
        except BaseException:
            pass


def asleep(rng):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    except KeyboardInterrupt:
        pass
    while rng is not None:
        time.sleep(0.01)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals come to the main thread")
@pytest.mark.parametrize("sample", [stubborn, asleep])
def test_an_interrupt_ends_also_code_that_catches_it(sample):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        law(sample, seconds=15)
    assert time.monotonic() - began < 8
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_slow_loop_ends_with_the_seconds():
    began = time.monotonic()
    assert law(sampler("while rng.randrange(100) < 100: time.sleep(0.05)", time=time), seconds=1).residual == 1
    assert time.monotonic() - began < 10


LEFT_EARLY = """
with held():
    if rng.randrange(2): return 1
return 2
= uniform("12")
try:
    if rng.randrange(2): return 1
finally: seen = 1
return 1 + seen
= uniform("12")
while True:
    with held():
        if rng.randrange(2): return 1
        if rng.randrange(2): break
return 2
= {"1": F(2, 3), "2": F(1, 3)}
while True:
    try:
        if rng.randrange(2): return 1
        if rng.randrange(2): break
    finally: rng.randrange(2)
return 2
= {"1": F(2, 3), "2": F(1, 3)}
try:
    while rng.randrange(2): pass
    raise KeyError
except KeyError: return rng.randrange(2)
= uniform("01")
try: return 1 / rng.randrange(2)
except ZeroDivisionError: raise KeyError from None
finally: rng.randrange(3)
= uniform(("1.0", "raises KeyError"))
"""


@pytest.mark.parametrize(("body", "expected"), cases(LEFT_EARLY))
def test_with_and_finally_and_early_returns_are_followed(body, expected):
    found = law(sampler(body, HEAD), seconds=20)
    shown = {str(o): p for o, p in zip(found.outputs, found.lower, strict=True)}
    assert all(shown[name] <= p <= shown[name] + found.residual for name, p in expected.items())
    assert found.residual < Fraction(1, 10**9)


def in_a_thread(x, rng):
    thread = threading.Thread(target=lambda: rng.random())
    thread.start()
    thread.join()
    return 1


def in_a_pool(x, rng):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return pool.submit(lambda: rng.randrange(2)).result()


def in_a_child(x, rng):
    return os.fork() == 0 or rng.randrange(2)


async def step(rng):
    return rng.randrange(3)


@pytest.mark.parametrize("sample", [in_a_thread, in_a_pool, in_a_child, lambda x, rng: asyncio.run(step(rng))])
def test_what_goes_on_beside_the_run_is_refused_in_one_line(sample):
    with pytest.raises(InputError, match=r"test_catching.py line [0-9]+: .*cannot be followed") as caught:
        dpaudit.pmf(sample, 0, data=[0, 1])
    assert "\n" not in str(caught.value)


UNSEEN = {"ENDS": []}
TEXT = """
def sample(x, rng):
    for end in ENDS: raise end
    try: return 1 if rng.randrange(2) else sample(x, rng)
    except BaseException as end: ENDS.append(end); raise
"""


def test_the_end_of_a_run_never_reaches_a_user_without_file_and_line():
    """Code that is not rewritten, for its source is not at hand, keeps the end of a run and raises it in another."""
    exec(compile(TEXT, "unseen.py", "exec"), UNSEEN)
    with pytest.raises(InputError, match=r"unseen.py line [0-9]+: it keeps draws from one run to the next"):
        dpaudit.pmf(UNSEEN["sample"], 0, data=[0, 1])
