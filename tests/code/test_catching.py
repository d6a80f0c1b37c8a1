"""Code that catches everything, also the end of a run: it is followed, and no run of it goes on for ever."""

import asyncio
import concurrent.futures
import os
import signal
import threading
import time
from fractions import Fraction

import pytest

from dpaudit.code.law import Budget, Session
from dpaudit.code.run import Refused
from dpaudit.code.source import Source
from tests.code.snippets import made

HALF = Fraction(1, 2)


def retried(rng):
    while True:
        try:
            r = rng.randrange(4)
            if r == 3:
                raise ValueError
            return r
        except:  # noqa: E722
            pass


def retried_twice(rng):
    tried = 0
    while True:
        try:
            return retried(rng)
        except BaseException:
            tried += 1


def nested(rng):
    while True:
        try:
            while True:
                try:
                    r = rng.randrange(4)
                    if r == 0:
                        raise KeyError
                    if r < 3:
                        return r - 1
                except:  # noqa: E722
                    pass
        except BaseException:
            pass


def law(sample, **budget):
    rng = Source()
    return Session(Budget(**budget)).law(sample, (rng,))


@pytest.mark.parametrize(("sample", "count"), [(retried, 3), (retried_twice, 3), (nested, 2)])
def test_a_run_that_is_caught_ends(sample, count):
    found = law(sample)
    assert dict(zip(found.outputs, found.lower, strict=True)) == {k: Fraction(1, count) for k in range(count)}
    assert found.residual == 0


@pytest.mark.parametrize("steps", [2000, 2001, 2002])
def test_a_loop_without_end_that_catches_everything_is_left(steps):
    """Whichever turn is the last one that it may take: inside of what catches, or not."""

    def for_ever(rng):
        while True:
            try:  # noqa: SIM105
                rng.randrange(4)
            except:  # noqa: E722
                pass

    found = law(for_ever, steps=steps, seconds=5)
    assert (found.outputs, found.residual) == ((), 1)


def test_a_refusal_that_is_caught_keeps_its_reason():
    def formatted(rng):
        while True:
            try:
                return float("%f" % rng.random())  # noqa: UP031
            except:  # noqa: E722
                pass

    with pytest.raises(Refused, match=r"test_catching.py line [0-9]+: (?!it keeps)"):
        law(formatted)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals come to the main thread")
def test_an_interrupt_ends_also_code_that_catches_it():
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def stubborn(rng):
        while True:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                rng.random()
            except BaseException:
                pass

    with pytest.raises(KeyboardInterrupt):
        law(stubborn, seconds=20)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals come to the main thread")
def test_an_interrupt_ends_code_that_catches_it_and_draws_no_more():
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def asleep(rng):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            pass
        while rng is not None:
            time.sleep(0.01)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        law(asleep, seconds=15)
    assert time.monotonic() - began < 8


def test_a_slow_loop_ends_with_the_seconds():
    def slow(rng):
        while rng.randrange(100) < 100:
            time.sleep(0.05)

    began = time.monotonic()
    assert law(slow, seconds=1).residual == 1
    assert time.monotonic() - began < 10


LEFT_EARLY = [
    ("with held():\n    if rng.randrange(2): return 1\nreturn 2", {"1": HALF, "2": HALF}),
    ("try:\n    if rng.randrange(2): return 1\nfinally:\n    seen = 1\nreturn 1 + seen", {"1": HALF, "2": HALF}),
    (
        "while True:\n    with held():\n        if rng.randrange(2): return 1\n        if rng.randrange(2): break\nreturn 2",  # noqa: E501
        None,
    ),
    (
        "while True:\n    try:\n        if rng.randrange(2): return 1\n        if rng.randrange(2): break\n    finally:\n        rng.randrange(2)\nreturn 2",  # noqa: E501
        None,
    ),
    (
        "try:\n    while rng.randrange(2): pass\n    raise KeyError\nexcept KeyError:\n    return rng.randrange(2)",
        {"0": HALF, "1": HALF},
    ),
    (
        "try:\n    return 1 / rng.randrange(2)\nexcept ZeroDivisionError:\n    raise KeyError from None\nfinally:\n    rng.randrange(3)",  # noqa: E501
        {"1.0": HALF, "raises KeyError": HALF},
    ),
]


@pytest.mark.parametrize(("body", "expected"), LEFT_EARLY)
def test_with_and_finally_and_early_returns_are_followed(body, expected):
    text = "\n".join(f"    {line}" for line in body.split("\n"))
    found = law(made(f"from contextlib import nullcontext as held\ndef sample(rng):\n{text}"), seconds=20)
    shown = {str(o): p for o, p in zip(found.outputs, found.lower, strict=True)}
    for name, p in (expected or {"1": Fraction(2, 3), "2": Fraction(1, 3)}).items():
        assert shown[name] <= p <= shown[name] + found.residual
    assert found.residual < Fraction(1, 10**9)


def in_a_thread(rng):
    thread = threading.Thread(target=lambda: rng.random())
    thread.start()
    thread.join()
    return 1


def in_a_pool(rng):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return pool.submit(lambda: rng.randrange(2)).result()


def in_a_child(rng):
    if os.fork() == 0:
        os._exit(0)
    return rng.randrange(2)


async def step(rng):
    return rng.randrange(3)


@pytest.mark.parametrize("sample", [in_a_thread, in_a_pool, in_a_child, lambda rng: asyncio.run(step(rng))])
def test_what_goes_on_beside_the_run_is_refused_in_one_line(sample):
    with pytest.raises(Refused, match=r"test_catching.py line [0-9]+: .*cannot be followed") as caught:
        law(sample, seconds=20)
    assert "\n" not in str(caught.value)
