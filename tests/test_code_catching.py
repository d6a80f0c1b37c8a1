"""Code that catches everything, also the end of a run: it is followed, and no run of it goes on for ever."""

import os
import signal
import threading
import time
from fractions import Fraction

import pytest

from dpaudit.code.law import Budget, Session
from dpaudit.code.run import Refused
from dpaudit.code.source import Source


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
    return Session(Budget(**budget)).law(lambda: sample(rng))


@pytest.mark.parametrize(("sample", "count"), [(retried, 3), (retried_twice, 3), (nested, 2)])
def test_a_run_that_is_caught_ends(sample, count):
    found = law(sample)
    assert dict(zip(found.outputs, found.lower, strict=True)) == {k: Fraction(1, count) for k in range(count)}
    assert found.residual == 0


@pytest.mark.parametrize("lines", [2000, 2001, 2002])
def test_a_loop_without_end_that_catches_everything_is_left(lines):
    """Whichever line is the last one that it may run: inside of what catches, or not."""

    def for_ever(rng):
        while True:
            try:  # noqa: SIM105
                rng.randrange(4)
            except:  # noqa: E722
                pass

    found = law(for_ever, lines=lines, seconds=5)
    assert (found.outputs, found.residual) == ((), 1)


def test_a_refusal_that_is_caught_keeps_its_reason():
    def formatted(rng):
        while True:
            try:
                return float("%f" % rng.random())  # noqa: UP031
            except:  # noqa: E722
                pass

    with pytest.raises(Refused, match=r"test_code_catching.py line [0-9]+: (?!it keeps)"):
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
