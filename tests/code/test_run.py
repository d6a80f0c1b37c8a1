"""One run along a path of decisions: cuts of draws, scripts that are repeated, runs that end."""

from fractions import Fraction

import pytest

from dpaudit.code.run import Changed, Draw, Halted, Past, Piece, Refused, Run
from tests.code.snippets import drawn


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


@pytest.mark.parametrize("question", [lambda d: d.lo, lambda d: d.hi, lambda d: d.width, lambda d: d.state()])
def test_nothing_may_be_asked_of_a_draw_that_is_over(question):
    draw = drawn(4)
    draw.__class__ = Past
    with pytest.raises(Refused, match="keeps draws from one run to the next"):
        question(draw)
