"""Is EHDL, calibrated on the local sensitivity, not ε-differentially private? The documents claim so."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Table, annotate, check, scan, search, variables
from dpaudit.claims.batches import Statement, each, single
from dpaudit.claims.shown import brief, refined, significant, text
from dpaudit.forall.every_n import family_of
from dpaudit.forall.every_n_proof import Theory, prove
from dpaudit.forall.ranged import Ranged, read
from dpaudit.mechanisms import PosteriorMechanism
from dpaudit.mechanisms.exponential import EHDL
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import Effort
from proofs_checks.points import Prior, maker, rationals
from proofs_checks.privacy.tools import epsilon_batches, loss_steps, true_epsilon
from proofs_checks.setting.lemmas import g

EXCEEDS = Statement("true ε / ε", ">", "1")
STAYS = Statement("true ε", "<=", "ε")
LIMIT_ABOVE = Statement("½(LS₂/LS₁ + 1/LS₂ − 1/LS₁), the limit of loss/ε at x = 2, x′ = 1", ">", "1")
LIMIT_BELOW = Statement("½(LS₂/LS₁ + 1/LS₂ − 1/LS₁), the limit of loss/ε at x = 2, x′ = 1", "<", "1")
DIGITS = 10
LIMIT_PROVED = Statement("lim true ε/ε, every pair and output", "<=", "½(LS₂/LS₁ + 1/LS₂ − 1/LS₁) + 10⁻¹⁰")
UNIFORM = (1, 1)
WORDS = "prior (1,1); every ordered adjacent pair and output"
EPS = rationals("1/100 1 16")
DEFAULT = Grid(WORDS, n=range(1, 61), eps=EPS) + Grid(WORDS, n=[100, 200, 400], eps=EPS)
WIDE = Grid(WORDS, n=range(1, 201), eps=rationals("1/100 1/10 1 4 16")) + Grid(WORDS, n=[400, 1000], eps=EPS)
SHOWN = (1, 2, 4, 10, 20, 50, 100, 200, 400, 1000)
FAR = (1000, 10000)
"""From here on only the pair x = 2, x′ = 1 is examined: a lower bound of the true ε, attained at small ε."""
MAIN = (rationals("1/10 1/10"), Fraction(1), range(1, 161))
"""Prior, ε and n of the main witness: the Beta system, equal prior."""
DIRICHLET = (
    (rationals("1000 100 100"), Fraction(8), range(1, 9)),
    (rationals("1/1000" + 7 * " 1000"), Fraction(1, 100), range(1, 3)),
)
MORE = (
    (rationals("1/10 1/10"), Fraction(1, 10), range(1, 101)),
    (rationals("1/4 1/4"), Fraction(1), range(300, 401)),
)


def limit(alpha: Fraction | int) -> Ball:
    """lim true ε/ε of the pair x = 2, x′ = 1 at output 2 as n → ∞, ε fixed, α the prior of the first cell.

    Nearly all candidates end at distance → 1, so the loss over ε tends to ½(LS₂/LS₁ + 1/LS₂ − 1/LS₁) with
    LS₁ = √(1 − g(α)) and LS₂ = √(1 − g(1+α)).
    """
    first, second = (1 - g(alpha)).sqrt(), (1 - g(1 + alpha)).sqrt()
    return (second / first + 1 / second - 1 / first) / 2


def one_pair(n: int, eps: Fraction) -> Ball:
    """The loss over ε of x = 2 against x′ = 1 at output 2: a lower bound of true ε/ε, cheap at any n."""
    mechanism = maker("EHDL")(Point(n=n, eps=eps))
    law, index = mechanism.law(), list(mechanism.outputs()).index((2, n - 2))
    loss = law.log_probabilities((2, n - 2))[index] - law.log_probabilities((1, n - 1))[index]
    return loss / ball(eps)


def theory() -> Theory:
    """The theorem on true ε/ε for EHDL with prior (1,1), every n and every ε."""
    ranged = read("EHDL", n="all", eps="all")
    assert isinstance(ranged, Ranged)
    return prove(family_of(ranged), ranged, Effort(digits=DIGITS), every_epsilon=True)


MOST_SHARE = Fraction(1)
"""What true ε/ε is to stay below: 1 is ε-DP."""


def private_for_every_n(found: Theory) -> Proof:
    """The proof that true ε < ε for every n and every ε > 0, prior (1,1)."""
    n, m, one = found.first, found.m, MOST_SHARE
    proof = Proof().says(
        "every ε at once",
        "ln Σe^(−tq) − ln Σe^(−tp) ≤ t·max(p_i − q_s(i)) for any bijection s: put both rows p = H(x,·)/(2LS(x)), "
        "q = H(x′,·)/(2LS(x′)) into order, and max(q − p) + max(p_(i) − q_(i)) bounds loss/ε for every ε > 0",
    )
    proof.knows("n → ∞", "ψ is concave, so H_n(x,r) falls with n to √(1 − u₁(x,r)): two ends bound a block of n")
    words = f"max over every pair ≤ {at_most(max(b.value.upper for b in found.below))} < 1"
    below = all(b.value.within(-1, one) for b in found.below) and [b.n for b in found.below] == list(range(1, n))
    proof.cases(f"n < {n}", words, f"n = 1…{n - 1}, every pair, in balls", below)
    ends = max(closed.most for closed in found.cover)
    blocks = f"in {len(found.cover)} blocks of n (EVERY_N.md §3, §6)"
    words = f"x < {m} or n − 1 − x < {m}, every n ≥ {n}, {blocks}: ≤ {at_most(ends)} < 1"
    proof.certified("the ends", words, ends < one, "over blocks of n, the last one without end")
    shifted = "rows compared after a shift by one record (EVERY_N.md §4)"
    words = f"{m} ≤ x ≤ n − 1 − {m}, {shifted}: ≤ {at_most(found.middle)} < 1"
    proof.certified("the middle", words, found.middle < one, "the bound falls with x")
    return proof.concludes(STAYS, "<")


@check("ehdl.not-private.uniform", grid=DEFAULT, wide=WIDE, weight=16, audits=("EHDL", {}))
def uniform(ctx: Context) -> Outcome:
    """There are n, ε with true ε > ε for EHDL, prior (1,1) (P1 §4.1.2, D2 §1.2, A3 §5.1)."""
    seen: dict[tuple[int, str], str] = {}

    def sides(mechanism: PosteriorMechanism) -> tuple[Ball, Ball]:
        share = true_epsilon(mechanism) / ball(mechanism.epsilon)
        seen.setdefault((mechanism.model.n, str(mechanism.epsilon)), certain_digits(share))
        return share, ball(1)

    batches = each(ctx.grid, maker("EHDL"), sides, steps=loss_steps)
    searched = search(EXCEEDS, (replace(batch, where={**batch.where, "prior": UNIFORM}) for batch in batches))
    found, top = theory(), brief(refined(lambda: limit(1)))
    outcome = private_for_every_n(found).excludes(searched)
    words = (
        f"true ε ≤ {at_most(found.supremum.upper)}·ε for every n and every ε, and true ε/ε → {top} as n → ∞ for every "
        "ε: EHDL with prior (1,1) is ε-DP"
    )
    room = ball(Fraction(1, 10**DIGITS))
    same = single({"prior": UNIFORM, "n": "→ ∞"}, lambda: (ball(found.limit.upper), limit(1) + room))
    part = scan(LIMIT_PROVED, [same]).part("true ε/ε tends to the limit of the pair x = 2, x′ = 1 as n → ∞, every ε")
    return outcome.with_table(table(seen, top)).having(words if outcome.verdict is Verdict.IMPOSSIBLE else "", [part])


def certain_digits(share: Ball) -> str:
    """The leading digits that are certain."""
    value = significant(share, 8)
    return "?" if value is None else brief(value)


def table(seen: dict[tuple[int, str], str], top: str) -> Table:
    """true ε/ε by n and ε; beyond the searched n the pair x = 1, x′ = 2 alone; and its limit."""
    columns = [str(eps) for eps in EPS]
    rows = [(f"{n}", *(seen.get((n, eps), "–") for eps in columns)) for n in SHOWN if (n, columns[0]) in seen]
    for n in FAR:
        values = [brief(refined(lambda n=n, eps=eps: one_pair(n, eps))) for eps in EPS]  # type: ignore[misc]
        rows.append((f"{n} (x = 2, x′ = 1 only)", *values))
    rows.append(("→ ∞ (near it only where n·e^(−2ε) is large)", *(top for _ in EPS)))
    return Table(("n", *(f"ε = {eps}" for eps in columns)), tuple(rows))


# ------------------------------------------------------------------ any prior


def least(prior: Prior, eps: Fraction, sizes: range) -> Outcome:
    """The witness of true ε > ε with the least n of ``sizes``."""
    grid = Grid(n=sizes, prior=[prior], eps=[eps])
    batches = epsilon_batches(grid, maker("EHDL"), lambda mechanism: mechanism.epsilon)
    return search(replace(STAYS, relation=">"), batches)


def one_record() -> Proof:
    """The proof that EHDL is ε-DP at n = 1, for every k and prior."""
    (e,) = variables("e")
    proof = Proof().says("n = 1", "every other candidate is adjacent, so 0 ≤ H(x,r)/LS(x) ≤ 1 for every x and r")
    proof.says("so", "H/LS changes by at most 1 between any x, x′")
    rate = lambda: EHDL.numerator(Point(epsilon=e)) == e  # type: ignore[arg-type]  # noqa: E731
    proof.holds("twice", "the numerator of EHDL's rate is ε, so (ε/2)·1 + (ε/2)·1 = ε bounds the loss", rate)
    return proof.concludes(STAYS, "<=")


@check(
    "ehdl.not-private.any-prior",
    grid=Grid("every ordered adjacent pair and output", n=MAIN[2], prior=[MAIN[0]], eps=[MAIN[1]]),
    weight=10,
    audits=("EHDL", {}),
)
def any_prior(ctx: Context) -> Outcome:
    """There are n, ε and a prior with true ε > ε for EHDL (P1 §4.1.2, D2 §1.2, A3 §5.1)."""
    prior, eps, _ = MAIN
    outcome = least(prior, eps, MAIN[2])
    parts, words = [], []
    for setting in (*DIRICHLET, *(MORE if ctx.wide else ())):
        other = least(*setting)
        k, sizes = len(setting[0]), setting[2]
        label = f"k = {k}, prior {text(setting[0])}, ε = {setting[1]}, n = {sizes[0]}…{sizes[-1]}"
        parts.append(other.part(f"{label}, least n first"))
        if other.witness is not None and k > 2:
            at = other.witness.parameters["n"]
            words.append(f"k = {k}: n = {at}, true ε {brief(other.witness.left.value)} > {setting[1]}")
    for alpha, statement in ((Fraction(3, 8), LIMIT_ABOVE), (Fraction(2, 5), LIMIT_BELOW)):
        found_ = scan(statement, [single({"prior": (alpha, alpha)}, lambda a=alpha: (limit(a), ball(1)))])  # type: ignore[misc]
        parts.append(found_.part(f"prior ({alpha}, {alpha}) as n → ∞, the pair x = 2, x′ = 1"))
    entry = ("true ε ≤ ε at n = 1, every k and prior", one_record())
    if outcome.witness is None:
        return annotate(outcome, entry).having(parts=parts)
    more = brief(outcome.witness.margin)
    least_n = outcome.finding or "and by no smaller n for this prior and ε"
    return annotate(outcome.having(f"ε is exceeded by {more}, {least_n}; {'; '.join(words)}", parts), entry)
