"""Real outputs: suprema and delta against quadrature and closed forms."""

from fractions import Fraction as F
from itertools import pairwise

import noise.quadrature as ref
import pytest
from mpmath import e, erfc, exp, log, mpf, quad, sqrt

import dpaudit
from dpaudit.evidence import certificate
from dpaudit.noise import losses
from dpaudit.noise.densities import Normal
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.verdict import Verdict


class Mechanism:
    """Code with noise on given data."""

    def __init__(self, data, code):
        self.data, self.code = data, code

    def datasets(self):
        return self.data

    def sample(self, x, noise: dpaudit.Noise):
        return self.code(x, noise)


def epsilon(data, code, **more):
    return dpaudit.epsilon(Mechanism(data, code), **more)


def delta(data, code, at):
    return dpaudit.delta(Mechanism(data, code), at).delta


CLOSED = [
    ("a count", [0, 1], lambda x, noise: x + noise.laplace(3), "1/3"),
    ("a sum of two draws", [0, 1], lambda x, noise: x + noise.laplace(3) + noise.laplace(5), "1/5"),
    ("a scaled count", [0, 1], lambda x, noise: (x + noise.laplace(3)) * F(-2, 7) + 5, "1/3"),
    ("two counts", [0, 1], lambda x, noise: (x + noise.laplace(3), -x + noise.laplace(2)), "5/6"),
    ("running sums", [0, 1], lambda x, noise: _sums([x, x, x], noise), "3/2"),
    ("an unused draw", [0, 1], lambda x, noise: (noise.laplace(1), x + noise.laplace(4)), "1/4"),
    ("the same law", [0, 1], lambda x, noise: noise.laplace(1), "0"),
    ("a coin beside it", [0, 1], lambda x, noise: (noise.bernoulli(F(1, 3)), x + noise.laplace(4)), "1/4"),
    ("the largest value", [(0, 0), (1, 1)], lambda x, noise: max(q + noise.laplace(2) for q in x), "1"),
]


def _sums(x, noise):
    found, total = [], 0
    for q in x:
        total = total + q + noise.laplace(2)
        found.append(total)
    return found


@pytest.mark.parametrize(("data", "code", "value"), [row[1:] for row in CLOSED], ids=[row[0] for row in CLOSED])
def test_the_supremum_in_closed_form(data, code, value):
    found = epsilon(data, code)
    assert found.closed_form_text == value
    assert found.epsilon.contains(F(value))


def test_the_largest_ratio_in_the_middle_of_a_piece():
    """The same noise on uniform draws of two widths: the densities differ most at 0, on the border of two cells."""
    found = epsilon([1, 3], lambda w, noise: noise.uniform(F(-w, 2), F(w, 2)) + noise.laplace(1)).epsilon
    exact = log(3 * (1 - exp(-mpf(1) / 2)) / (1 - exp(-mpf(3) / 2)))
    assert found.lower - F(1, 10**12) <= F(str(exact)) <= found.upper + F(1, 10**12)


UNBOUNDED = [
    ("Gaussian noise", [0, 1], lambda x, noise: x + noise.gaussian(1)),
    ("exponential noise", [0, 1], lambda x, noise: x + noise.exponential(1)),
    ("uniform noise", [0, 1], lambda x, noise: x + noise.uniform(0, 3)),
    ("another scale", [1, 2], lambda x, noise: noise.laplace(x)),
    ("another shape", [0, 1], lambda x, noise: noise.laplace(1) if x else None),
]


@pytest.mark.parametrize(("data", "code"), [row[1:] for row in UNBOUNDED], ids=[row[0] for row in UNBOUNDED])
def test_an_unbounded_loss(data, code):
    assert epsilon(data, code).epsilon.is_infinite


def test_the_narrower_of_two_gaussians_has_a_largest_ratio():
    f, g = Normal(F(1), F(0)), Normal(F(4), F(1))
    with balls.precision(128):
        found, back = losses._best(f, g), losses._best(g, f)
        points = [mpf(k) / 1000 for k in range(-900, 0)]
        ratio = max(ref.normal_pdf(v, mpf(1)) / ref.normal_pdf(v - 1, mpf(2)) for v in points)
        assert abs(mpf(str(found.loss.mid().str(20, radius=False))) - log(ratio)) < 1e-6
    assert back.infinite
    assert found.where == "v = -1/3"


def test_delta_at_infinity_of_uniform_noise():
    notes = epsilon([0, 1], lambda x, noise: x + noise.uniform(0, 3)).to_dict()["notes"]
    assert "δ(∞) = 0.333333 " in notes[0]


@pytest.mark.parametrize("at", ["0", "1/10", "1/4", "1/3", "2"])
def test_delta_of_a_count(at):
    """delta = 1 - e^((at - a)/2) for the shift a = 1/3 in units of the scale, and 0 from there on."""
    found = delta([0, 1], lambda x, noise: x + noise.laplace(3), at)
    expected = max(mpf(0), 1 - exp((ref.number(F(at)) - mpf(1) / 3) / 2))
    assert abs(mpf(found.lower.numerator) / found.lower.denominator - expected) < 1e-14
    assert found.contains(0) or at not in ("1/3", "2")


def test_delta_of_gaussian_noise():
    found = delta([0, 1], lambda x, noise: (x + noise.gaussian(2), x + noise.gaussian(2)), 1)
    mu = sqrt(mpf(2)) / 2
    phi = lambda t: erfc(-t / sqrt(2)) / 2  # noqa: E731
    expected = phi(mu / 2 - 1 / mu) - e * phi(-mu / 2 - 1 / mu)
    assert abs(mpf(found.lower.numerator) / found.lower.denominator - expected) < 1e-14


@pytest.mark.parametrize("at", ["0", "1/5"])
def test_delta_of_the_largest_value_is_what_quadrature_gives(at):
    x, y = (0, 1), (1, 1)
    found = delta([x, y], lambda x, noise: max(q + noise.laplace(2) for q in x), at)
    f, g = (ref.largest_value_density(z, "laplace", mpf(2)) for z in (x, y))
    grid = [*range(-40, -8, 2), *(mpf(k) / 4 for k in range(-32, 33)), *range(10, 42, 2)]
    factor = exp(ref.number(F(at)))

    def excess(a, b):
        return sum(quad(lambda v: max(mpf(0), a(v) - factor * b(v)), [s, t]) for s, t in pairwise(grid))

    expected = max(excess(f, g), excess(g, f))
    assert abs(mpf(found.lower.numerator) / found.lower.denominator - expected) < 1e-6


def test_an_interior_supremum():
    """Two draws with different scales, the smaller one compared: the largest ratio lies inside a piece."""

    def code(x, noise):
        value = x + noise.laplace(2)
        return value if value + noise.laplace(1) > 0 or value > 1 else "hidden"

    found = epsilon([0, 1], code)
    assert F(1, 2) <= found.epsilon.lower < 2
    assert found.epsilon.width < F(1, 10**14)


@pytest.mark.parametrize(("claim", "verdict"), [("1/3", Verdict.PROVED), ("333/1000", Verdict.REFUTED)])
def test_a_claim_is_decided_exactly(claim, verdict):
    assert epsilon([0, 1], lambda x, noise: x + noise.laplace(3), claim=claim).claim.verdict is verdict


def test_profile_and_explain_take_real_outputs():
    mechanism = Mechanism([0, 1], lambda x, noise: x + noise.laplace(2))
    assert [str(value)[:8] for _, value in dpaudit.profile(mechanism, at="0,1/2").deltas] == ["0.221199", "0"]
    assert dpaudit.explain(mech=mechanism).attained.lower > F(61, 100)


def test_what_needs_a_table_is_refused_in_words(tmp_path):
    mechanism = Mechanism([0, 1], lambda x, noise: x + noise.laplace(2))
    with pytest.raises(dpaudit.InputError, match="releases real numbers, so it has no table"):
        dpaudit.pmf(mechanism, 0)
    with pytest.raises(dpaudit.InputError, match="releases real numbers; a certificate needs a table"):
        certificate.write(dpaudit.epsilon(mechanism), str(tmp_path / "c.json"))
    with pytest.raises(dpaudit.InputError, match="releases real numbers; a table has finitely many outputs"):
        dpaudit.export_table(mechanism, str(tmp_path / "t.csv"))


GAUSSIAN = Mechanism([(0, 0), (1, 1)], lambda x, noise: [x[0] + noise.gaussian(4), x[1] + noise.gaussian(3)])
MU = F(1, 16) + F(1, 9)
CLAIMS = [
    (f"rho={MU / 2}", Verdict.PROVED),
    (f"rho={MU / 2 - F(1, 10**6)}", Verdict.REFUTED),
    ("mu=5/12", Verdict.PROVED),
    ("mu=41/100", Verdict.REFUTED),
    (f"alpha=3,eps={3 * MU / 2}", Verdict.PROVED),
    ("alpha=3,eps=1/4", Verdict.REFUTED),
]


@pytest.mark.parametrize(("claim", "verdict"), CLAIMS)
def test_gaussian_noise_has_its_divergences_exactly(claim, verdict):
    """mu^2 = (1/4)^2 + (1/3)^2 = (5/12)^2; the loss is unbounded, but no output is impossible."""
    assert dpaudit.judge(GAUSSIAN, claim=claim).claim.verdict is verdict


@pytest.mark.parametrize("claim", ["rho=1/8", "mu=1", "alpha=2,eps=1"])
def test_an_impossible_output_refutes_every_divergence(claim):
    mechanism = Mechanism([0, 1], lambda x, noise: x + noise.uniform(0, 3))
    assert dpaudit.judge(mechanism, claim=claim).claim.verdict is Verdict.REFUTED


def test_divergences_of_other_densities_are_not_guessed():
    mechanism = Mechanism([0, 1], lambda x, noise: x + noise.laplace(2))
    with pytest.raises(dpaudit.InputError, match="not known in closed form"):
        dpaudit.judge(mechanism, claim="rho=1/8")


def test_the_profile_has_points_of_the_trade_off_function():
    """N(0, 1) against N(mu, 1): power = Phi(mu + Phi^-1(level)), here by Phi of both sides."""
    found = dpaudit.profile(GAUSSIAN, at="0,1/2,1")
    assert found.rho.contains(MU / 2)
    assert [value.contains(order * MU / 2) for order, value in found.renyi] == [True] * len(found.renyi)
    mu = mpf(5) / 12
    for part, at in zip(found.segments, (0, mpf("0.5"), 1), strict=True):
        edge = at / mu - mu / 2
        assert abs(float(part.power.lower) - float(erfc(edge / sqrt(2)) / 2)) < 1e-13
        assert abs(float(part.alpha.lower) - float(erfc((edge + mu) / sqrt(2)) / 2)) < 1e-13


def test_a_closed_form_at_one_epsilon_is_no_law_for_every_epsilon():
    """Scale 1/eps^2: true eps = eps^2, so the nominal eps for 1/4 is 1/2, not 1/4 * (1/4)/(1/16)."""

    class Square(Mechanism):
        def __init__(self, epsilon):
            self.data, self.code = [0, 1], lambda x, noise: x + noise.laplace(1 / epsilon**2)

    assert dpaudit.calibrate(Square, "1/4").nominal == F(1, 2)


def test_coins_and_whole_draws_weigh_densities_with_their_denominators():
    """A mixture over a logistic coin and a clamped discrete draw, whose chances have two denominators."""
    logistic = dpaudit.exp(1) / (1 + dpaudit.exp(1))

    def code(x, noise):
        move = 1 if noise.bernoulli(logistic) else 2
        if move == 2:
            move = int(min(max(noise.discrete_laplace(2), 0), 1))
        return move * x + noise.laplace(1)

    p, r = 1 / (1 + exp(-1)), exp(-0.5) / (1 + exp(-0.5))  # r = P(discrete draw >= 1)
    chance = {0: (1 - p) * (1 - r), 1: p + (1 - p) * r}

    def density(x):
        return lambda v: sum(c * ref.laplace_pdf(v - move * x, mpf(1)) for move, c in chance.items())

    f, g = density(1), density(0)
    edges = [mpf(k) / 64 for k in range(-64, 129)]
    ends = [*range(-40, -1), *edges, *range(3, 40)]
    expected = max(
        sum(quad(lambda v, a=a, b=b: max(mpf(0), a(v) - exp(mpf("0.25")) * b(v)), pair) for pair in pairwise(ends))
        for a, b in ((f, g), (g, f))
    )
    assert abs(float(delta([0, 1], code, "1/4").lower) - float(expected)) < 1e-5


def test_a_whole_draw_and_a_real_one_side_by_side():
    def code(x, noise):
        return min(max(x + noise.discrete_laplace(3), 0), 2), x + noise.laplace(2)

    assert str(epsilon([0, 1], code).closed_form) == "5/6"


def test_a_sum_of_gaussian_draws_is_one_gaussian():
    """Noise of two parties, 1 + 4 = variance 5: delta and mu are those of sigma = sqrt 5; a coin beside it is fine."""

    def code(x, noise):
        return noise.bernoulli(F(1, 3)), x + noise.gaussian(1) - noise.gaussian(2)

    mechanism = Mechanism([0, 1], code)
    mu = 1 / sqrt(mpf(5))
    expected = erfc((mpf("0.25") / mu - mu / 2) / sqrt(2)) / 2 - exp(0.25) * erfc((0.25 / mu + mu / 2) / sqrt(2)) / 2
    assert abs(float(delta([0, 1], code, "1/4").lower) - float(expected)) < 1e-13
    assert dpaudit.judge(mechanism, claim="rho=1/10").claim.verdict is Verdict.PROVED
    assert dpaudit.judge(mechanism, claim="rho=99/1000").claim.verdict is Verdict.REFUTED


def peak(low, high, known=None, ratio=None):
    return losses.Peak(balls.from_ends(ball(F(low)), ball(F(high))), "", known, ratio=ratio)


TWO, FOUR_HALVES = ({F(0): F(2)}, {F(0): F(1)}), ({F(0): F(4)}, {F(0): F(2)})


@pytest.mark.parametrize(
    ("rival", "ends", "known", "ratio"),
    [
        (peak(0, 1), (2, 3), F(5, 2), TWO),
        (peak(1, 4), (2, 4), None, None),
        (peak(2, 3, F(5, 2), FOUR_HALVES), (2, 3), F(5, 2), TWO),
        (peak(2, 3, F(9, 4), ({F(0): F(3)}, {F(0): F(1)})), (2, 3), None, None),
    ],
)
def test_the_largest_supremum_is_exact_only_if_all_that_may_be_it_agree(rival, ends, known, ratio):
    _, found = losses.largest([("a", peak(2, 3, F(5, 2), TWO)), ("b", rival)])
    low, high = balls.ends(found.loss)
    assert (low, high) == pytest.approx(ends, abs=1e-6)
    assert low <= ends[0]
    assert high >= ends[1]
    assert (found.known, found.ratio) == (known, ratio)
