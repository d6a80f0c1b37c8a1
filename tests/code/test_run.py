"""One run along a path of decisions: cuts of draws, repeated scripts, runs that end though the code catches it."""

import asyncio
import concurrent.futures
import os
import signal
import threading
import time
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.code.run import Changed, Draw, Halted, Past, Piece, Refused, Run
from dpaudit.numbers.errors import InputError
from tests.code.snippets import cases, drawn, exact, law, sampler


def numbers(draw):
    return [draw.m(a) for a in range(draw.lo, draw.hi)]


def pieces(draw, act):
    """All pieces of a cut: the one that is taken, and those that are left for later."""
    before = len(draw.run.taken)
    act(draw)
    others = [piece for place, found in draw.run.alternatives if place == before for piece in found]
    return [draw.run.taken[before], *others]


def inside(draw, piece):
    other = Draw(draw.run, draw.number, draw.size)
    other.take(piece)
    return numbers(other)


@pytest.mark.parametrize("modulus", [1, 2, 3, 5])
@pytest.mark.parametrize(("lo", "hi", "stride", "offset"), [(0, 12, 1, 0), (3, 11, 1, 0), (1, 7, 2, 5), (4, 6, 3, 1)])
def test_classes_of_remainders_are_a_partition_with_their_shares(lo, hi, stride, offset, modulus):
    draw = drawn(100, lo, hi, stride, offset)
    before = numbers(draw)
    found = pieces(draw, lambda d: d.cut_residues("classes", modulus))
    parts = [inside(draw, piece) for piece in found]
    assert sorted(m for part in parts for m in part) == before
    assert [piece.share for piece in found] == [Fraction(len(part), len(before)) for part in parts]
    for part in parts:
        assert len({(m - offset) // stride % modulus for m in part}) == 1
    assert numbers(draw) == parts[0]
    assert len(parts[0]) == max(map(len, parts)), "the likeliest is followed"


def test_a_cut_keeps_stride_and_offset_and_gives_every_piece_its_share():
    draw = drawn(100, 2, 10, 3, 1)
    before = numbers(draw)
    found = pieces(draw, lambda d: d.cut("thirds", lambda: [(2, 4), (4, 9), (9, 10)]))
    assert [piece.share for piece in found] == [Fraction(5, 8), Fraction(2, 8), Fraction(1, 8)]
    assert sorted(m for piece in found for m in inside(draw, piece)) == before
    assert (draw.lo, draw.hi, draw.stride, draw.offset) == (4, 9, 3, 1)


def test_a_script_is_repeated_and_anything_else_is_refused():
    def halves(draw):
        draw.cut("half", lambda: [(0, 1), (1, 2)])

    first = Run(())
    halves(first.draw(2))
    (_, (left,)), *_ = first.alternatives
    again = Run((left,))
    draw = again.draw(2)
    assert again.repeats("half")
    assert not again.repeats("another")
    halves(draw)
    assert (numbers(draw), again.taken, again.alternatives) == ([1], [left], [])
    assert not again.repeats("half")
    for other in (Piece("another", 0, 1, 2, Fraction(1, 2)), Piece("half", 1, 1, 2, Fraction(1, 2))):
        with pytest.raises(Changed, match="another path in a second run"):
            halves(Run((other,)).draw(2))


def test_a_run_that_is_ended_or_refused_stays_so_though_the_code_catches_it():
    halted, refused = Run(()), Run(())
    with pytest.raises(Halted):
        halted.halt()
    with pytest.raises(Refused, match="why"):
        refused.stop(Refused("why"))
    for run, error in ((halted, Halted), (refused, Refused)):
        for act in (lambda run: run.draw(2), lambda run: run.next_plain(2), lambda run: run.choose("s", 0, list)):
            with pytest.raises(error):
                act(run)


def test_a_run_is_left_where_it_is_too_unlikely():
    run = Run(())
    run.least = 1 / 4
    draw = run.draw(8)
    draw.cut("a", lambda: [(0, 2), (2, 8)])
    assert run.mass == 3 / 4
    with pytest.raises(Halted):
        draw.cut("b", lambda: [(2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8)])
    assert len(run.taken) == 2


def test_plain_numbers_are_taken_in_turn_and_must_fit():
    run = Run((), None, 53, (1, 2))
    assert [run.next_plain(2), run.next_plain(3)] == [1, 2]
    for given, sizes in (((1, 2), (2, 3, 2)), ((2,), (2,)), ((), (2,))):
        run = Run((), None, 53, given)
        with pytest.raises(Changed, match="draws differently in a second run"):
            [run.next_plain(size) for size in sizes]


@pytest.mark.parametrize("question", [lambda d: d.lo, lambda d: d.hi, lambda d: d.width, lambda d: d.state()])
def test_nothing_may_be_asked_of_a_draw_that_is_over(question):
    draw = drawn(4)
    draw.__class__ = Past
    with pytest.raises(Refused, match="keeps draws from one run to the next"):
        question(draw)


# ------------------------------------------------------------------ code that catches everything

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
    with pytest.raises(InputError, match=r"test_run.py line [0-9]+: .*cannot be followed") as caught:
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
