"""The two ">" with which the draft bounds EHDL's ratio of probabilities from below, in the case that it picks.

With r = BI(x), so that u(x,r) = 0, and A, B for the two local sensitivities, the ratio is Q(LS(x), LS(y)), where
    Q(A, B) = Σ_r′ e^(ε(u(x,r)/A + u(y,r′)/B)/2) / Σ_r′ e^(ε(u(y,r)/B + u(x,r′)/A)/2);
the draft exchanges LS(x) and LS(y) in the sums over r′.
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit.claims import Context, Grid, Outcome, Proof, Step, annotate, check, scan, step, variables
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.claims.shown import listed
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model
from proofs_checks.points import Pair, model_at
from proofs_checks.privacy.premise import PAIRS, PRIORS_3, case_pairs
from proofs_checks.privacy.tools import FEW
from proofs_checks.setting.exact import distance, exactly_less, local_exact

FIRST = Statement(
    "the ratio of probabilities", ">", "Σ e^(ε(u(x,r)+u(y,r′))/(2LS(x))) / Σ e^(ε(u(y,r)+u(x,r′))/(2LS(y)))"
)
SECOND = Statement(
    "Σ e^(ε(u(x,r)+u(y,r′))/(2LS(x))) / Σ e^(ε(u(y,r)+u(x,r′))/(2LS(y)))",
    ">",
    "e^(½ε(u(x,r)+u(y,r))/LS(x)) / e^(½ε(u(x,r)+u(y,r))/LS(y))",
)
EPS = Fraction(1)
CASE = Grid(f"{PAIRS}; ε = {EPS}", n=range(1, 4), prior=PRIORS_3).wider(n=range(1, 7))


class Quotients:
    """The three expressions of the draft at one pair x, y with r = BI(x), ε = EPS."""

    def __init__(self, model: Model, x: Histogram, y: Histogram) -> None:
        h = Hellinger(model)
        self.from_x, self.from_y = h.row(x), h.row(y)
        self.far = h.between(x, y)
        self.ls_x, self.ls_y = (distance(local_exact(model, c)) for c in (x, y))

    def total(self, row: list[Ball], sensitivity: Ball) -> Ball:
        """Σ_r′ e^(−εH/(2Δ))."""
        return balls.total([self.weight(value, sensitivity) for value in row])

    def weight(self, value: Ball, sensitivity: Ball) -> Ball:
        """e^(−εH/(2Δ))."""
        return (-ball(EPS / 2) * value / sensitivity).exp()

    def ratio(self) -> Ball:
        """Pr[EHDL(x) = r] / Pr[EHDL(y) = r]; u(x,r) = 0."""
        return self.total(self.from_y, self.ls_y) / (
            self.weight(self.far, self.ls_y) * self.total(self.from_x, self.ls_x)
        )

    def after_first(self) -> Ball:
        """What the first ">" puts below it: LS(x) above the line, LS(y) below it."""
        return self.total(self.from_y, self.ls_x) / (
            self.weight(self.far, self.ls_y) * self.total(self.from_x, self.ls_y)
        )

    def after_second(self) -> Ball:
        """What the second ">" puts below that: every r′ replaced by r."""
        return self.weight(self.far, self.ls_x) / self.weight(self.far, self.ls_y)


def quotient_batches(grid: Grid, second: bool) -> Batches:
    """Yields both sides of the first ">", or of the second, wherever the case of the draft occurs."""

    def sides(model: Model) -> Sides:
        for x, y in case_pairs(model):
            if exactly_less(local_exact(model, x), local_exact(model, y)):
                found = Quotients(model, x, y)
                middle = found.after_first()
                yield (x, y), *((middle, found.after_second()) if second else (found.ratio(), middle))

    def steps(model: Model, tag: Pair) -> list[Step]:
        found, places = Quotients(model, *tag), model.histograms
        rows = zip(("x", "y"), (found.from_x, found.from_y), strict=True)
        distances = [(f"H({name},r′)", listed(zip(places, row, strict=True))) for name, row in rows]
        first = "Σ e^(−εH(y,r′)/(2LS({}))) / (e^(−εH(x,y)/(2LS(y)))·Σ e^(−εH(x,r′)/(2LS({}))))"
        return [
            *(step(label, "", text) for label, text in distances if len(places) <= FEW),
            step("LS(x)", "the largest H(x,x′) to an adjacent x′", found.ls_x),
            step("LS(y) = H(x,y)", "", found.ls_y),
            step("the ratio", f"Pr[z = r] from x / from y, r = BI(x): {first.format('y', 'x')}", found.ratio()),
            step(
                "after the first >", f"LS(x) above the line, LS(y) below: {first.format('x', 'y')}", found.after_first()
            ),
            step("after the second >", "every r′ replaced by r", found.after_second()),
        ]

    return over(grid, model_at, sides, ("x", "y"), steps=steps)


@check("ehdl.first-step", grid=CASE)
def first_step(ctx: Context) -> Outcome:
    """The first ">" of D2 §1.2.2 holds wherever its case occurs."""
    h, small, gap = variables("h", "small", "gap")
    rule = Proof().says("above the line", "Σ e^(−εH(y,r′)/(2LS(y))) against the same with LS(x) > LS(y)")
    text = "H/LS(y) − H/LS(x) ≥ 0 at every r′: with i = 1/LS(x), 1/LS(y) = i + g, it is H·g"
    rule.equal("every exponent", text, h * (small + gap) - h * small, h * gap)
    rule.says("so", "the true numerator is the smaller one, strictly: H(y,r′) > 0 for some r′")
    rule.says(
        "below the line", "the true denominator, with LS(x), is the larger one, likewise; the common factor cancels"
    )
    rule.says("so", "the ratio is strictly BELOW what it is said to exceed, for every ε, n, prior and k")
    return annotate(
        scan(FIRST, quotient_batches(ctx.grid, second=False)),
        ("wherever LS(y) < LS(x) and r = BI(x) the opposite holds", rule),
    )


@check("ehdl.second-step", grid=CASE, uses=["ls.reduction"])
def second_step(ctx: Context) -> Outcome:
    """The second ">" of D2 §1.2.2 holds wherever its case occurs."""
    far, near, small, gap = variables("far", "near", "small", "gap")
    proof = ctx.proof().says(
        "the common factor e^(εH(x,y)/(2LS(y))) cancels",
        "left is Σ e^(−εH(y,r′)/(2LS(x))) against e^(−εH(x,y)/(2LS(x)))·Σ e^(−εH(x,r′)/(2LS(y)))",
    )
    proof.uses("ls.reduction", "H(y,r′) ≤ H(x,y) + H(x,r′) for every r′: compare the sums term by term")
    text = "with far = H(x,y), near = H(x,r′), small = 1/LS(x), small + gap = 1/LS(y): they differ by near·gap ≥ 0"
    proof.equal("the exponents", text, far * small + near * (small + gap) - (far + near) * small, near * gap)
    proof.says("so", "no term is smaller on the left, and at r′ ≠ BI(x), where H(x,r′) > 0, it is larger")
    proof.concludes(SECOND, ">")
    return proof.settle((str(ctx.grid), scan(SECOND, quotient_batches(ctx.grid, second=True))))
