"""FLINT's precision belongs to the process: threads take turns, and nobody's precision leaks into another's answer."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from flint import ctx

import dpaudit
from dpaudit.numbers import balls

CLOSE = "0.31963257199846641"
"""Below the true ε of EHDS with n = 20, 0.319632571998466414994…, by 5e-18."""


def refuted(digits):
    return dpaudit.judge("EHDS", CLOSE, n=20, digits=digits).verdict is dpaudit.Verdict.REFUTED


@pytest.fixture
def often():
    """Threads change often, so that a race is seen."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_of_different_digits_give_the_answers_of_one(often):
    bits, digits = ctx.prec, [1, 15, 60, 400] * 12
    alone = {d: str(dpaudit.epsilon("EHDS", n=6, digits=d).epsilon) for d in set(digits)}
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda d: (d, str(dpaudit.epsilon("EHDS", n=6, digits=d).epsilon)), digits))
        verdicts = list(threads.map(refuted, digits))
    assert [text for d, text in found if text != alone[d]] == []
    assert verdicts == [True] * len(digits)
    assert ctx.prec == bits


def test_a_block_has_its_precision_to_itself(often):
    seen, bits = [], ctx.prec

    def work(own):
        for _ in range(200):
            with balls.precision(own):
                seen.append(own == balls.working_bits())
                with balls.precision(own + 64):  # a block within a block, of the same thread
                    seen.append(own + 64 == balls.working_bits())
                seen.append(own == balls.working_bits())

    threads = [threading.Thread(target=work, args=(64 * (i + 1),)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 6 * 200 * 3
    assert all(seen)
    assert ctx.prec == bits


@pytest.mark.parametrize("bits", [3, 53, 5000])
def test_no_answer_depends_on_the_precision_that_was_in_force(bits):
    """Every ball is computed within ``precision``: what the caller has set for himself plays no part, and stays."""

    def answers():
        found = (
            dpaudit.epsilon("EHDL", n=5, prior="1/3,1"),
            dpaudit.delta("LSDim", "1/2", n=5),
            dpaudit.judge("EHDS", "rho=1/50", n=5),
            dpaudit.explain("0.4"),
        )
        return [{k: v for k, v in answer.to_dict().items() if k != "seconds"} for answer in found]

    usual, before = answers(), ctx.prec
    try:
        ctx.prec = bits
        assert answers() == usual
        assert ctx.prec == bits
    finally:
        ctx.prec = before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_forked_within_a_block_of_another_thread_can_compute():
    inside, done = threading.Event(), threading.Event()

    def hold():
        with balls.precision(99):
            inside.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(60)
    child = os.fork()
    if not child:
        with balls.precision(128):
            os._exit(7)
    try:
        for _ in range(600):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            threading.Event().wait(0.05)
        else:
            os.kill(child, 9)
            os.waitpid(child, 0)
            pytest.fail("the child waits for a lock that nobody will give back")
        assert os.waitstatus_to_exitcode(status) == 7
    finally:
        done.set()
        thread.join()
