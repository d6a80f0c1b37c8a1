"""The Laplace family: laws as polynomials, representatives of all pairs and outputs, boxes of outputs."""

from fractions import Fraction
from math import prod

import pytest

from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.laplace import cell_law
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import worst_loss, worst_loss_by_search
from dpaudit.reference import definitions as ref


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_cell_laws_are_the_laplace_law(n):
    scale = Fraction(3, 2)
    with balls.precision(300):
        q = (-balls.ball(1 / scale)).exp()
        for c in range(n + 1):
            expected = ref.laplace_cell(n, c, scale, 60)
            for o in range(n + 1):
                term = cell_law(n, c, o)
                value = q**term.exponent * sum(balls.ball(Fraction(str(a))) * q**i for i, a in enumerate(term.poly))
                lower, upper = balls.ends(value)
                assert lower - Fraction(1, 10**55) <= ref.exact_value(expected[o]) <= upper + Fraction(1, 10**55)


SMALL = [(n, k) for k in (2, 3, 4) for n in range(1, 9) if (n + 1) ** k <= 1000]


@pytest.mark.parametrize(("n", "k"), SMALL)
@pytest.mark.parametrize("name", ["LSZhang", "LSDim", "LSHist"])
def test_the_representatives_have_every_ratio_that_there_is(name, n, k):
    """What the closed form rests on: the ratios of all pairs and outputs are those of the representatives."""
    mechanism = make_mechanism(name, make_model(n, k), 1, {})
    chosen = list(mechanism.representatives())
    outputs = set(mechanism.outputs())
    assert all(x in mechanism.model.index and y in mechanism.neighbors(x) and o in outputs for x, y, o in chosen)
    assert {mechanism.ratio(*witness) for witness in chosen} == {
        mechanism.ratio(x, y, output)
        for x in mechanism.model.histograms
        for y in mechanism.neighbors(x)
        for output in mechanism.outputs()
    }


@pytest.mark.parametrize(("n", "k"), SMALL)
@pytest.mark.parametrize("name", ["LSZhang", "LSDim", "LSHist"])
def test_closed_form_is_the_maximum_over_everything(name, n, k):
    mechanism = make_mechanism(name, make_model(n, k), "5/7", {})
    form = mechanism.algebra().worst()
    search = worst_loss_by_search(mechanism, Effort(25))
    assert worst_loss(mechanism, Effort(25)).value.lower <= search.value.upper
    assert search.value.lower <= worst_loss(mechanism, Effort(25)).value.upper
    ratio = mechanism.polynomial(form.x, form.output).over(mechanism.polynomial(form.x_prime, form.output))
    assert ratio == form.ratio == mechanism.ratio(form.x, form.x_prime, form.output)
    assert sum(map(abs, (a - b for a, b in zip(form.x, form.x_prime, strict=True)))) == 2
    assert sum(form.x) == sum(form.x_prime) == n
    if form.rational() is not None:
        assert search.value.contains(form.rational())


@pytest.mark.parametrize(("name", "x"), [("LSZhang", (2, 1)), ("LSDim", (0, 3)), ("LSHist", (1, 1, 1))])
def test_exact_probabilities_are_polynomials_in_q(name, x):
    mechanism = make_mechanism(name, make_model(3, len(x)), "5/7", {})
    with balls.precision(200):
        q = (-balls.ball(mechanism.epsilon / mechanism.unit())).exp()
        for output, p in zip(mechanism.outputs(), mechanism.law().probabilities(x), strict=True):
            terms = mechanism.exact_probability(x, output)
            assert balls.overlap(balls.total([balls.ball(c) * q**e for e, c in terms.items()]), p)
            assert balls.overlap(mechanism.point(x, output), p)
            assert all(terms.values())


@pytest.mark.parametrize("eps", ["1", "1/2"])
def test_a_box_of_outputs_leaves_out_little(eps):
    """Beyond ``most`` outputs the row is a box around x; what it leaves out is enclosed and at most the tail."""
    mechanism = make_mechanism("LSZhang", make_model(60), eps, {})
    x, tail = (10, 50), Fraction(1, 100)
    with balls.precision(200):
        whole = dict(zip(mechanism.outputs(), mechanism.law().probabilities(x), strict=True))
        every = mechanism.row(x, tail, mechanism.count_outputs())
        assert list(every.outputs) == list(whole)
        assert balls.is_zero(every.omitted)
        box = mechanism.row(x, tail, mechanism.count_outputs() - 1)
        assert all(balls.overlap(whole[output], p) for output, p in zip(box.outputs, box.probabilities, strict=True))
        left = balls.total([p for output, p in whole.items() if output not in set(box.outputs)])
        assert balls.overlap(left, box.omitted)
        assert balls.certainly_at_most(box.omitted, balls.ball(tail))
        assert balls.certainly_less(balls.ball(tail / 9), box.omitted)
        first, last = box.outputs[0], box.outputs[-1]
        assert len(box.outputs) == prod(b - a + 1 for a, b in zip(first, last, strict=True)) < len(whole)


def test_a_box_too_large_is_refused(monkeypatch):
    mechanism = make_mechanism("LSZhang", make_model(60), 1, {})
    size = len(mechanism.row((30, 30), Fraction(1, 100), 1).outputs)
    monkeypatch.setattr("dpaudit.mechanisms.laplace.MOST_OUTPUTS", size)
    mechanism.row((30, 30), Fraction(1, 100), 1)
    monkeypatch.setattr("dpaudit.mechanisms.laplace.MOST_OUTPUTS", size - 1)
    with pytest.raises(InputError, match=f"{size} outputs"):
        mechanism.row((30, 30), Fraction(1, 100), 1)


def test_the_last_cell_is_what_is_left():
    mechanism = make_mechanism("LSDim", make_model(3, 3), 1, {})
    for output, last in (((0, 0), 3), ((1, 1), 1), ((3, 0), 0), ((3, 3), 0)):
        assert mechanism.released(output) == (*output, last)
    assert make_mechanism("LSZhang", make_model(3), 1, {}).released([3, 3]) == (3, 3)
