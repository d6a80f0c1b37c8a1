"""Corollaries 4.5.1, 4.5.2 and 4.5.3 of N0 and N4: from which n on LSHist beats EHD, and the other way round.

The statements give thresholds as O(.); decided here are the thresholds that their proofs derive. What the statements'
own expressions give with the constant 1 is a part of each outcome.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpaudit.claims import Context, Grid, Outcome, Part, Proof, annotate, check, variables
from dpaudit.mechanisms.closed_form import positive_on_unit_interval
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import Model
from dpaudit.posterior.sensitivity import gs_constant
from dpaudit.studies.accuracy.bounds import HALF, e_global
from proofs_checks.accuracy.ehd import weights_lemma, weights_proof
from proofs_checks.accuracy.far import Rows, crossing_holds
from proofs_checks.accuracy.lemmas import gamma_lemma
from proofs_checks.accuracy.lshist import CLOSED, closed_proof, near_law
from proofs_checks.accuracy.rows import ONE, Q, Span, distances, separated, within_ls
from proofs_checks.accuracy.sides import EHD, LSHIST, Comparison, Hypothesis, at, balanced_x, equal
from proofs_checks.accuracy.stated import STATED
from proofs_checks.points import priors, rationals

UNIFORM = priors("1 1")
CROSSING = 300
"""Even n up to here are certified for 4.5.2 at kappa = 0, uniform prior."""
SMALL_T = Fraction(1, 8)
"""For "a reasonable small t": what counts as small in a part of 4.5.1."""


THRESHOLD_1 = Hypothesis("2κ+1 < n·e^(−ε)(1−e^(−κε))", lambda kappa, n, q, k, u: (2 * kappa + 1, n * q * (1 - k)))
PRINTED_1 = Hypothesis("2κ+1 < n·e^(−ε)(1−e^(−ε))", lambda kappa, n, q, k, u: (2 * kappa + 1, n * q * (1 - q)))
THRESHOLD_2 = Hypothesis(
    "n(2 − e^(−κε) − e^(−(κ+1)ε)) < 4κe^(−ε)+2, the claim's times 2",
    lambda kappa, n, q, k, u: (n * (2 - k - k * q), 4 * kappa * q + 2),
)
THRESHOLD_3 = Hypothesis("3 < n·e^(−ε/(2GS₀))(1−e^(−ε))", lambda kappa, n, q, k, u: (3, n * u * (1 - q)))
PRINTED_3 = Hypothesis("1 < n·e^(−ε)(1−e^(−ε))", lambda kappa, n, q, k, u: (1, n * q * (1 - q)))
"""The proofs' thresholds (4.5.2's times 2), and those of the statements with the constant 1."""


FIRST = Comparison(LSHIST, ">", EHD, hypothesis=THRESHOLD_1)
SECOND = Comparison(LSHIST, "<", EHD, hypothesis=THRESHOLD_2)
THIRD = Comparison(
    replace(LSHIST, meaning="Pr[R_g] of LSHist"),
    ">",
    replace(EHD, meaning="Pr[R_g] of EHD"),
    sets=lambda model, a: [within_ls(model, a)],
    hypothesis=THRESHOLD_3,
    threshold="≤ LS(x)",
)

PRIORS_1 = priors(
    "1 1", "1/2 1/2", "2 2", "1/100 1/100", "1 2", "2 1", "1 1/2", "1/2 1", "1 1/10", "1 1/100", "1 1/1000"
)
EPS_1 = rationals("1 1/2 2/3 3/4 1/4 1/8 2")
UNIFORM_1 = Grid("every x, κ ≥ 1", n=range(13, 27), prior=UNIFORM, eps=EPS_1)
GRID_1 = Grid(
    "every data set x, every separating t with κ ≥ 1; n > 12 by the hypothesis",
    n=range(13, 16),
    prior=PRIORS_1,
    eps=EPS_1,
)


def supposes(comparison: Comparison, relation: str, low: Any, high: Any) -> Proof:
    """A proof that shows the relation where low < high, as symbols; both must be the statement's own."""
    given = comparison.hypothesis
    same = given is not None and given.sides(*SYMBOLS) == (low, high)
    proof = Proof().requires("the relation of the statement", comparison.relation == relation)
    return proof.requires("the hypothesis of the statement", same)


SYMBOLS = variables("kappa", "n", "q", "K", "u")


def first_proof() -> Proof:
    """Proves Corollary 4.5.1 for balanced data and every equal prior."""
    kappa, n, q, k, _ = SYMBOLS
    proof = supposes(FIRST, ">", 2 * kappa + 1, n * q * (1 - k))
    proof.using(near_law(FIRST.left), weights_proof(FIRST.right, e_global)).less(
        "1/(2GS₀) < 13/12", "so u = e^(−ε/(2GS₀)) > q^(13/12)", lambda: 1 / (2 * gs_constant()), lambda: ball(13) / 12
    )
    proof.says(
        "m = 2κ+1, Q = q^κ ≤ q, ℓ = (1+q)/2: EHD's odds against",
        "(n+1−m)u/m < odds; n > m/(q(1−Q)) gives odds > u(1/q−1+Q)/(1−Q); LSHist's odds against: Qℓ/(1−Qℓ)",
    )
    proof.says(
        "enough, as 1−Qℓ ≥ 1−Q", "q^(1/12)(1−q+qQ) > Qℓ; linear in Q, falling since q^(13/12) < ℓ: worst at Q = q"
    )
    s = Q
    return proof.positive(
        "with q = s¹²",
        "1 − s¹¹/2 − s¹² − s²³/2 + s²⁴ > 0 on 0 < s < 1",
        ONE - HALF * s**11 - s**12 - HALF * s**23 + s**24,
    )


def least_n_proof() -> Proof:
    """Proves that the hypothesis of 4.5.1 needs n > 12."""
    proof = Proof()
    for kappa in range(1, 6):
        gap = (2 * kappa + 1) * ONE - 12 * Q * (ONE - Q**kappa)
        square = kappa == 1 and gap == 3 * (ONE - 2 * Q) ** 2
        proof.holds(f"κ = {kappa}", f"{2 * kappa + 1} − 12q(1−q^{kappa}) ≥ 0", square or positive_on_unit_interval(gap))
    return proof.says("κ ≥ 6", "2κ+1 > 12 > 12q(1−q^κ)")


def small_t(model: Model, a: int) -> list[Span]:
    """The near outputs for the separating thresholds t <= SMALL_T: those whose distances are all below it."""
    with balls.precision(128):
        row = distances(model, a)
        below = [balls.certainly_less(h, ball(SMALL_T)) for h in row]
        return [(lo, hi) for lo, hi in separated(model, a) if below[lo] and below[hi]]


@check("acc.4.5.1", grid=GRID_1.wider(n=range(13, 31)), weight=2)
def corollary_1(context: Context) -> Outcome:
    """Decides Corollary 4.5.1 with the threshold of its proof."""
    found = FIRST.run(context.grid)
    printed = replace(FIRST, hypothesis=PRINTED_1).run(Grid(n=range(1, 13), prior=UNIFORM, eps=EPS_1))
    heavy = [at(28, "10000 10000", "1/8")]
    return annotate(
        found,
        ("no n ≤ 12 meets the hypothesis", least_n_proof()),
        ("uniform prior", FIRST.run(UNIFORM_1)),
        ("balanced data, every equal prior", first_proof()),
        (f"thresholds t ≤ {SMALL_T} only, prior (10⁴, 10⁴)", replace(FIRST, sets=small_t).run(heavy)),
        ("statement's threshold (2κ+1)e^ε/(1−e^(−ε)), κ = 0 included, uniform prior", printed),
    )


PRIORS_2 = priors("1 1", "1/2 1/2", "2 2", "6 6", "10 10", "1 2", "2 1")
EPS_2 = rationals("1 1/2 2 9/4 1/4 1/100 5")
GRID_2 = Grid("every data set x, every separating t, κ ≥ 0", n=range(1, 9), prior=PRIORS_2, eps=EPS_2)
BALANCED_2 = Grid("", n=range(2, 21, 2), prior=PRIORS_2, eps=EPS_2)


def second_proof() -> Proof:
    """Proves Corollary 4.5.2 for balanced data, every equal prior and kappa >= 1."""
    kappa, n, q, k, _ = SYMBOLS
    hypothesis = n * (2 - k - k * q), 4 * kappa * q + 2
    proof = supposes(SECOND, "<", *hypothesis)
    proof.using(near_law(SECOND.left), weights_proof(SECOND.right, e_global))
    proof.says(
        "EHD: weights fall with the distance", "the mean near weight is at least the mean weight: Pr ≥ (2κ+1)/(n+1)"
    )
    proof.says(
        "LSHist: P = 1−½(q^κ+q^(κ+1))",
        "= ½(1−q)(Σ_{i<κ} q^i + Σ_{i≤κ} q^i) ≤ (κ+½)(1−q) ≤ 2κ(1−q) for κ ≥ 1",
    )
    proof.equal(
        "so 2κq+1+P ≤ 2κ+1", "2κ+1 − (2κq+1) = 2κ(1−q)", 2 * kappa + 1 - (2 * kappa * q + 1), 2 * kappa * (1 - q)
    )
    return proof.says("n < (2κq+1)/P", "n+1 < (2κq+1+P)/P ≤ (2κ+1)/P, so P < (2κ+1)/(n+1) ≤ EHD's Pr")


def crossing_part() -> Part:
    """Corollary 4.5.2 at kappa = 0 as a part: balanced data, the uniform prior, every eps, n up to CROSSING."""
    with balls.precision(96):
        rows = Rows(Fraction(1), CROSSING)
        holds = all(crossing_holds(n, rows) for n in range(2, CROSSING + 1, 2))
    proof = Proof().says("κ = 0: LSHist's Pr is ½(1−q), EHD's is 1/Σw; hypothesis 1−q < 2/n", "to show: (1−q)Σw < 2")
    proof.says("1−q < 2/(n+1)", "Σw ≤ n+1 is enough")
    proof.cases(
        "2/(n+1) ≤ 1−q < 2/n",
        "Σw rises with q: (1−b)·Σw(a) ≤ 2 on pieces b < q ≤ a that cover it",
        f"n = 2, 4, …, {CROSSING}, certified by balls row by row",
        holds,
    )
    return proof.on_cases(f"balanced data, uniform prior, κ = 0, n = 2, 4, …, {CROSSING}, every ε > 0")


@check("acc.4.5.2", grid=GRID_2)
def corollary_2(context: Context) -> Outcome:
    """Decides Corollary 4.5.2 with its threshold."""
    found = SECOND.run(context.grid)
    s = Q
    always = Proof().says("n = 1, x = (0, 1), uniform prior, s = e^(−ε/2)", "LSHist 1−s²/2; EHD 1/(1+s), as H = GS₀")
    always.positive("LSHist·(1+s) − 1 = ½s(1−s)(2+s)", "> 0 on 0 < s < 1", (ONE - HALF * s**2) * (ONE + s) - ONE)
    balanced = replace(SECOND, data=balanced_x)
    return annotate(
        found,
        ("n = 1, x = (0, 1), uniform prior: it fails for every ε > 0", always),
        ("balanced data, every equal prior, κ ≥ 1", second_proof()),
        ("balanced data, equal priors, κ = 0 included", balanced.run(BALANCED_2, equal)),
        crossing_part(),
    )


PRIORS_3 = priors("1 1", "1/2 1/2", "2 2", "1/100 1/100", "1 2", "1/1000 1", "1/10000000 1")
EPS_3 = rationals("2/3 3/4 1/2 1 1/4 2")
GRID_3 = Grid(
    "every data set x; R_g by exact BC²; n > 12 by the hypothesis", n=range(13, 17), prior=PRIORS_3, eps=EPS_3
)
UNIFORM_3 = Grid("", n=range(5, 31), prior=UNIFORM, eps=EPS_3)
STRICT_3 = [at(55, "1e-30 1", "3/50")]


def _two_steps_agree() -> bool:
    """Whether BC(x, a+2)^2 = A/(A+1) (B-2)/(B-1) on a few models, exactly."""
    for model in (Model(5, (Fraction(1), Fraction(1))), Model(4, (Fraction(2, 3), Fraction(3)))):
        for a in range(model.n - 1):
            big_a, big_b = a + model.prior[0], model.n - a + model.prior[1]
            exact = bc_squared(model, (a, model.n - a), (a + 2, model.n - a - 2))
            claimed = big_a / (big_a + 1) * (big_b - 2) / (big_b - 1)
            if exact.constants or exact.rational * claimed.denominator != claimed.numerator:
                return False
    return True


def third_proof() -> Proof:
    """Proves Corollary 4.5.3 for every n and x if every alpha_i >= 2/3."""
    _, n, q, _, u = SYMBOLS
    proof = supposes(THIRD, ">", 3, n * u * (1 - q)).using(closed_proof(STATED[CLOSED]), gamma_lemma())
    proof.cases(
        "A = a+α₁, B = n−a+α₂",
        "BC(x,a+2)² = A/(A+1)·(B−2)/(B−1)",
        "n = 4, 5, exactly; for all n by hand",
        _two_steps_agree,
    )
    proof.says(
        "one step to the left, a ≥ 1", "BC(x,a−1)² = G(A−1)/(A−1)·G(B)/B > (1−1/(4(A−1)))(1−1/(4B)), by G(z) > z−¼"
    )
    t = Q
    big_a = t + HALF * 10 / 3
    proof.nonnegative("A ≥ 5/3: A/(A+1) ≤ 1−1/(4(A−1))", "4(A−1) − (A+1) = 3A−5 ≥ 0", 4 * (big_a - 1) - (big_a + 1))
    proof.nonnegative("(B−2)/(B−1) < 1−1/(4B)", "4B − (B−1) = 3B+1 > 0", 4 * t - (t - 1))
    proof.says("so H(x,a+2) > H(x,a±1), likewise a−2", "R_g = {a−1, a, a+1} as far as they exist: |R_g| ≤ 3")
    return proof.using(weights_lemma(THIRD.right, e_global)).says(
        "EHD on R_g", "≤ 3/((n+1)u) < 3/(nu) < 1−q < 1−½(q+q²) ≤ LSHist on R_g"
    )


@check("acc.4.5.3", grid=GRID_3.wider(n=range(13, 41)), weight=2)
def corollary_3(context: Context) -> Outcome:
    """Decides Corollary 4.5.3 with the threshold of its proof."""
    found = THIRD.run(context.grid)
    uniform = third_proof().settle(("prior (1, 1)", THIRD.run(UNIFORM_3)))
    printed = replace(THIRD, hypothesis=PRINTED_3).run(Grid(n=range(1, 13), prior=UNIFORM, eps=EPS_3))
    least = Proof().less("2GS₀ < 1, so u < q", "u(1−q) < q(1−q)", lambda: 2 * gs_constant(), lambda: ball(1))
    least.equal(
        "so n·u(1−q) > 3 needs n > 12", "1 − 4q(1−q) = (1−2q)² ≥ 0", ONE - 4 * Q * (ONE - Q), (ONE - 2 * Q) ** 2
    )
    return annotate(
        found,
        ("no n ≤ 12 meets the hypothesis", least),
        ("every prior with αᵢ ≥ 2/3, the uniform one among them", uniform),
        ("without a tie: prior (10⁻³⁰, 1), n = 55, ε = 3/50", THIRD.run(STRICT_3)),
        ("statement's threshold e^ε/(1−e^(−ε)), uniform prior", printed),
    )
