"""The parts of the law of code, each against plain counting: cuts of draws, questions to them, chains of states."""

import math
import operator
import random
from fractions import Fraction
from itertools import groupby, product

import pytest

from dpaudit.code import chain, lazy, monotone, numpy_steps
from dpaudit.code.run import Changed, Draw, Halted, Past, Piece, Refused, Run

numpy_steps.install()


# ------------------------------------------------------------------ draws


def drawn(size, lo=0, hi=None, stride=1, offset=0):
    """A draw of a fresh run, of which this is known."""
    draw = Run(()).draw(size)
    draw.lo, draw.hi, draw.stride, draw.offset = lo, size if hi is None else hi, stride, offset
    return draw


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
        with pytest.raises(Changed, match="another way in a second run"):
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
        with pytest.raises(Changed, match="draws otherwise in a second run"):
            [run.next_plain(size) for size in sizes]


def test_a_trial_draws_evenly_and_ends_after_very_many_draws(monkeypatch):
    seen = []
    for trial in range(300):
        run = Run((), None, 53, ())
        run.trial = trial
        seen.append((run.next_plain(3), run.next_plain(2)))
    counts = [seen.count(pair) for pair in product(range(3), range(2))]
    assert min(counts) > 25
    monkeypatch.setattr("dpaudit.code.run.MOST_DRAWS", 3)
    run = Run((), None, 53, ())
    run.trial = 0
    with pytest.raises(Halted):
        [run.next_plain(2) for _ in range(4)]
    assert len(run.draws) == 3


@pytest.mark.parametrize("question", [lambda d: d.lo, lambda d: d.hi, lambda d: d.width, lambda d: d.state()])
def test_nothing_may_be_asked_of_a_draw_that_is_over(question):
    draw = drawn(4)
    draw.__class__ = Past
    with pytest.raises(Refused, match="keeps draws from one run to the next"):
        question(draw)


# ------------------------------------------------------------------ monotone questions


def stepped(rnd, low, high):
    """A rising function of low .. high - 1, at random, and its values."""
    values = sorted(rnd.choices(range(6), k=high - low))
    return lambda a: values[a - low], values


def test_stretches_are_where_a_function_is_constant():
    rnd = random.Random(1)
    for _ in range(300):
        low = rnd.randrange(5)
        draw = drawn(60, low, low + rnd.randint(1, 50))
        at, values = stepped(rnd, draw.lo, draw.hi)
        wanted, a = [], draw.lo
        for _, group in groupby(values):
            wanted.append((a, a := a + len(list(group))))
        assert monotone.stretches(draw, at, len(wanted)) == wanted
        assert monotone.stretches(draw, at, len(wanted) - 1) is None
        counted = monotone.count(lambda env, draw=draw, at=at: at(env[draw]), {draw: 1}, len(wanted))
        assert counted == len(wanted)


def corners(directions, rnd):
    """A condition on the draws that goes from false to true in these directions, at random."""
    weights = {draw: rnd.randrange(4) * up for draw, up in directions.items()}
    bound = rnd.randrange(-20, 20)
    return lambda env: sum(weights[draw] * a for draw, a in env.items()) >= bound


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_condition_is_decided_on_every_box_by_itself(count):
    """All ways together: the boxes are a partition of the draws, and the condition is constant on each."""
    rnd = random.Random(count)
    for _ in range(15):
        sizes = [rnd.randint(1, 6) for _ in range(count)]
        ups, seed = [rnd.choice((1, -1)) for _ in range(count)], rnd.random()
        seen, total, todo = {}, Fraction(0), [((), Fraction(1))]
        while todo:
            script, share = todo.pop()
            run = Run(script)
            draws = [run.draw(size) for size in sizes]
            directions = dict(zip(draws, ups, strict=True))
            condition = corners(directions, random.Random(seed))
            truth = monotone.decide(condition, directions, "asked")
            for place, found in run.alternatives:
                shares = math.prod((piece.share for piece in run.taken[len(script) : place]), start=share)
                todo += [((*run.taken[:place], piece), shares * piece.share) for piece in found]
            total += math.prod((piece.share for piece in run.taken[len(script) :]), start=share)
            for point in product(*(range(draw.lo, draw.hi) for draw in draws)):
                assert point not in seen
                seen[point] = truth
                assert condition(dict(zip(draws, point, strict=True))) == truth
        assert len(seen) == math.prod(sizes)
        assert total == 1


def test_a_step_that_is_not_monotone_is_noticed():
    falling = drawn(8)
    with pytest.raises(Refused, match=r"math\.log is not monotone here"):
        monotone.decide(lambda env: env[falling] < 4, {falling: 1}, "s", frozenset(["math.log"]))
    for wrong in (9, 10, 13, 14):  # the condition changes at 12, and is wrong near to it
        dented = drawn(32)
        with pytest.raises(Refused, match=r"math\.log is not monotone near a point where the code branches"):
            monotone.decide(lambda env, d=dented, w=wrong: (env[d] >= 12) != (env[d] == w), {dented: 1}, "s", LOG)
    dented = drawn(32)
    monotone.decide(lambda env: (env[dented] >= 12) != (env[dented] == 8), {dented: 1}, "s", LOG)  # too far to be seen
    for up in (1, -1):
        dented = drawn(32)
        at = {11: 1, 12: 2, 13: 1}
        with pytest.raises(Refused, match=r"math\.log is not monotone near a point where the result changes"):
            monotone.force(
                lambda env, d=dented, up=up, at=at: up * at.get(env[d], 3 * (env[d] > 12)), {dented: up}, "s", LOG
            )


LOG = frozenset(["math.log"])


def test_a_number_of_too_many_values_is_not_listed():
    draw = drawn(8)
    with pytest.raises(Refused, match="a thing takes more than 7 values"):
        monotone.force(lambda env: env[draw], {draw: 1}, "s", frozenset(), 7, "a thing")
    draw = drawn(8)
    assert monotone.force(lambda env: env[draw], {draw: 1}, "s", frozenset(), 8) == draw.lo
    assert draw.width == 1


def test_zeros_of_two_signs_are_two_values():
    assert monotone.same(math.nan, math.nan)
    assert not monotone.same(0.0, -0.0)
    assert not monotone.same(1, 1.0)
    assert not monotone.same(1, True)
    assert not monotone.same(1, 2)
    assert monotone.same((1, 2), (1, 2))


# ------------------------------------------------------------------ chains of states


def solved(edges):
    """The expected visits from state 0 on, by plain elimination of x = e + x P."""
    size = len(edges)
    rows = [[Fraction(u == v) - edges[u].get(v, 0) for u in range(size)] + [Fraction(v == 0)] for v in range(size)]
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(size):
            if k != i and rows[k][i]:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def chains():
    rnd = random.Random(3)
    for _ in range(60):
        size = rnd.randint(1, 7)
        yield [
            {v: Fraction(rnd.randint(1, 3), 4 * size) for v in range(size) if rnd.random() < 0.6} for _ in range(size)
        ]


def test_visits_are_those_of_a_plain_elimination():
    for edges in chains():
        wanted = solved(edges)
        assert chain.visits(edges, chain.Exact()) == wanted
        down = chain.Down()
        below = chain.visits(edges, down)
        for found, exact in zip(below, wanted, strict=True):
            assert 0 <= exact - Fraction(found, down.one) < Fraction(1, 2**490)
        assert chain.visits(edges, chain.Floats()) == pytest.approx([float(x) for x in wanted])


@pytest.mark.parametrize("kind", [chain.Exact(), chain.Down(), chain.Floats()])
def test_a_state_that_never_leaves_gives_nothing(kind):
    found = chain.visits([{1: Fraction(1, 2), 2: Fraction(1, 2)}, {1: Fraction(1)}, {}], kind)
    assert found == [kind.one, kind.zero, kind.one / 2 if kind.one == 1 else kind.one >> 1]
    assert chain.visits([{0: Fraction(1)}], kind) == [kind.zero]


def test_numbers_that_are_rounded_are_never_too_large():
    down, third = chain.Down(8), Fraction(1, 3)
    assert (down.of(third), down.times(down.of(third), down.one - 1), down.series(down.of(third))) == (85, 84, 383)
    with pytest.raises(chain.TooLong):
        chain.Exact().times(Fraction(1, 2**chain.LONGEST), Fraction(1, 3))
    assert chain.Exact().times(Fraction(1, 2 ** (chain.LONGEST - 1)), Fraction(1)) > 0


def test_comparisons_know_what_is_not_a_number():
    run = Run(())
    u = lazy.uniform(run)
    for relation in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq):
        assert relation(u, math.nan) is False
        assert relation(math.nan, u) is False
    assert (u != math.nan) is True
    assert not run.taken
