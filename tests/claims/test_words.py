"""What --explain prints is enough to redo a counterexample by hand: here it is done, from the printed numbers alone."""

import re
from fractions import Fraction
from functools import partial
from math import exp, gamma, isclose, log, sqrt

from dpaudit.claims import Grid, Point
from dpaudit.claims.words import explain
from dpaudit.mechanisms.exponential import MH
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from proofs_checks.points import exponential_at
from proofs_checks.privacy.delta import normaliser_batches
from proofs_checks.privacy.dilation import TIE
from proofs_checks.privacy.real_prior import RealRow, dilated
from proofs_checks.privacy.scores import score_batches
from proofs_checks.privacy.sliding import always, slide_steps, stated_right
from proofs_checks.privacy.tools import delta_steps
from tests.proofs_checks.documents import run_one


def number(text):
    """The first number of a printed value, brackets left out."""
    return float(re.match(r"[^\[]*?-?[\d.]+(?:\[\d+)?", text.replace("[-", "-"))[0].replace("[", ""))


def listed(text):
    """The distances by candidate."""
    return [float(value) for value in re.findall(r": ([\d.]+)", text)]


def by_label(steps):
    return {line.label: line for line in steps}


def test_the_dirichlet_counterexample_can_be_redone_by_hand():
    eps, delta = 8, 1e-8
    point = Point(
        n=3, eps=Fraction(8), delta=Fraction(1, 10**8), prior=(Fraction(100), Fraction(100), Fraction(1, 1000))
    )
    with balls.precision(192):
        lines = by_label(delta_steps(exponential_at(partial(MHdelta, over="adjacent"), point), Fraction(8)))
    smooth = number(lines["γ"].value)
    assert isclose(smooth, log(1 - eps / (2 * log(delta / 8))), rel_tol=1e-12)
    rows = {}
    for name in ("x", "x′"):
        away = int(re.search(r"= (\d+);", lines[f"LS(x″) for {name}"].formula)[1])
        s = number(lines[f"LS(x″) for {name}"].value) * exp(-smooth * away)
        assert isclose(s, number(lines[f"S({name})"].value), rel_tol=1e-12)
        rate = eps / (2 * s)
        weights = [exp(-rate * h) for h in listed(lines[f"H({name}, ·)"].value)]
        assert isclose(sum(weights), number(lines[f"NL({name})"].value), rel_tol=1e-5)
        rows[name] = [w / sum(weights) for w in weights]
    found = sum(max(0, p - exp(eps) * q) for p, q in zip(rows["x"], rows["x′"], strict=True))
    assert isclose(found, number(lines["δ(ε)"].value), rel_tol=1e-3)
    assert found > 10**5 * delta


def test_the_distances_of_the_algebraic_prior_can_be_redone_by_hand():
    with balls.precision(192):
        lines = by_label(dilated(TIE, 5, Fraction(1), Fraction(1, 25)).steps(None))
        row = RealRow(TIE, Fraction(1), Fraction(1, 25))
    alpha = number(lines["α"].value)
    power = [float(Fraction(c)) for c in re.findall(r"-?\d+/\d+", lines["a tie"].value)]
    assert abs(sum(c * alpha ** (len(power) - 1 - i) for i, c in enumerate(power))) < 1e-9
    low, high = map(float, re.findall(r"-?[\d.]+(?=…)", lines["signs of it"].value))
    assert low < 0 < high

    def distance(x, r):
        near = gamma(alpha + (x + r) / 2) * gamma(7 - (x + r) / 2)
        return sqrt(1 - near / sqrt(gamma(alpha + x) * gamma(7 - x) * gamma(alpha + r) * gamma(7 - r))) if x != r else 0

    h = [distance(1, r) for r in range(7)]
    assert all(isclose(a, b, abs_tol=1e-8) for a, b in zip(h, listed(lines["H(x,r), r = 0…n"].value), strict=True))
    assert isclose(h[0], h[6], rel_tol=1e-9)
    weights = [exp(-v / (2 * number(lines["S_exp(x)"].value))) for v in h]
    assert isclose(sum(weights), number(lines["NL(x)"].value), rel_tol=1e-9)
    assert isclose((weights[0] + weights[6]) / sum(weights), number(lines["Pr[u = −a]"].value), rel_tol=1e-9)
    right = exp(1 / 2) * weights[5] / sum(weights) + 1 / 50
    assert (weights[0] + weights[6]) / sum(weights) > right + 0.014
    assert abs(number(lines["λ"].value)) <= number(lines["γ, the largest |λ|"].value)
    assert row.source == 1


def test_a_smooth_sensitivity_names_where_it_is_attained():
    grid = Grid(n=[4], eps=[4], delta=[Fraction(1, 2)], prior=[(Fraction(1, 10**4), Fraction(1000))])
    with balls.precision(128):
        (batch,) = normaliser_batches(grid)
        lines = by_label(batch.steps(((1, 3), (2, 2))))
    assert "x″ = (1, 3), d = d(y, x″) = 1" in lines["LS(x″) for y"].formula
    s, t = (number(lines[f"S({name})"].value) for name in "xy")
    assert isclose(t, s * exp(-number(lines["γ"].value)), rel_tol=1e-9)


def explained(claim):
    return list(explain(run_one(claim).outcome))


def test_the_rate_does_not_read_as_a_probability():
    lines = explained("dp.ehd.any-prior")
    assert "  4. w, the rate in P_x(r) = e^(−w·H(x,r))/NL(x): ε/(2Δ(x)) = 1.079327610867697[5, 6]" in lines
    assert "  3. Δ(x): GS₀ = √(1 − π/4) = 0.463251375176104[2, 3]" in lines


def test_a_part_is_said_to_hold_for_the_values_that_it_names_and_no_more():
    for claim in ("dp.ehd.any-prior", "acc.floor-law", "dilation.laplace.any"):
        parts = [line for line in explained(claim) if line.startswith("part: ")]
        assert parts
        assert all(line.endswith((": PROVED (by algebra)", ": PROVED (computer-assisted)")) for line in parts)


def test_a_bound_that_is_known_exactly_is_shown_exactly():
    assert "  right    0.45" in explained("dilation.laplace.any")
    assert "  right    1e-8" in explained("dp.mhdelta.dirichlet")


def test_the_threshold_and_the_near_outputs_are_explained():
    lines = "\n".join(explained("acc.4.2.strict"))
    assert "LS(x): the largest H(x,x′) over the neighbors x′ of x = 0.4632" in lines
    assert "near: the outputs r, by their first cell, with H(x,r) < LS(x) = r = 1" in lines
    assert "κ: near outputs to the right of x = 0; to the left 0" in lines


def test_the_second_bound_of_mh_can_be_redone_by_hand():
    lines = by_label(run_one("acc.mh-second.stated").outcome.counterexample.steps)
    t, s, nl = (number(lines[name].value) for name in ("t", "S(x)", "NL(x)"))
    assert lines["the bound"].formula == "|R|·e^(−εt/S(x)) / NL(x)"
    assert isclose(2 * exp(-2 * t / s) / nl, number(lines["the bound"].value), rel_tol=1e-12)


def test_lemma_5_5_can_be_redone_by_hand():
    lines = by_label(run_one("dp.lemma-5.5").outcome.counterexample.steps)
    s, s_, nl, nl_, d = (number(lines[name].value) for name in ("S(x)", "S(x′)", "NL(x)", "NL(x′)", "D"))
    k = s / s_ * log(nl / nl_)
    assert isclose(k, number(lines["K"].value), rel_tol=1e-12)
    assert isclose(
        d, 2 * exp((number(lines["H(x′,r)"].value) - number(lines["H(x,r)"].value)) / (2 * s)), rel_tol=1e-12
    )
    own, other = map(int, re.findall(r"C_. = (\d)", lines["candidates"].value))
    assert isclose(other / own * d * exp(1 / 2), number(lines["e^ε′"].value.lstrip("[")), rel_tol=1e-12)
    assert isclose(d / own * (1 - 3 * exp(1 / (2 * (1 - k)))), number(lines["δ"].value), rel_tol=1e-12)


def test_the_exponent_of_the_sliding_property_is_exact_where_it_is_known():
    with balls.precision(128):
        batch = next(
            iter(score_batches(Grid(n=[1], eps=[1], prior=[(1, 1)]), MH, always, stated_right, extra=slide_steps))
        )
        found = {tag: by_label(batch.steps(tag))["exponent"].value for tag, _, _ in batch.sides()}
    assert found[(0, 1), (0, 1), (1, 0)] == "1/2"
    assert found[(0, 1), (1, 0), (0, 1)] == "-1/2"
    assert found[(0, 1), (1, 0), (1, 0)] == "0"
