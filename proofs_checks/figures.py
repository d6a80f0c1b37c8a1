"""Checks on the figures: who wins where, and how far the true epsilon stays below the nominal one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpaudit import audit, balls
from dpaudit.balls import Ball, ball
from dpaudit.mechanisms import PosteriorMechanism
from proofs_checks.core import Batch, Statement, scan
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import Outcome, Step
from proofs_checks.registry import Context, check

TRUE_EPSILON = Statement("true ε", "<", "nominal ε")
CONCRETE = (("MHdelta", Fraction(4, 5)), ("MHdelta", Fraction(1)), ("MH", Fraction(1)))


def mechanism(name: str, n: int, eps: Fraction) -> PosteriorMechanism:
    """Returns the mechanism of Figure 6: prior (1,1), δ = 0.0005 where there is one, γ = 1."""
    return audit.posterior_mechanism(name, n, None, None, eps, {"delta": "0.0005"} if name == "MHdelta" else {})


def true_epsilon(subject: PosteriorMechanism) -> tuple[Ball, audit.EpsilonResult]:
    """Returns a ball that contains the true epsilon, narrow enough for the precision in force; and the audit."""
    digits = balls.working_bits() * 30 // 100 - 20
    result = audit.epsilon(subject, digits=digits)
    return balls.from_ends(ball(result.epsilon.lower), ball(result.epsilon.upper)), result


@check(
    "fig.concrete-epsilon",
    grid=Grid("every ordered adjacent pair and every output", n=range(90, 181, 15), mech=CONCRETE),
    wide=Grid("every ordered adjacent pair and every output", n=range(90, 181), mech=CONCRETE),
    weight=9,
)
def concrete_epsilon(ctx: Context) -> Outcome:
    """True ε < nominal ε for n = 90…180 (P1 Fig. 6: MHdelta, ε = 0.8; A3 Fig. 6: ε = 1, MHdelta and MH)."""

    def batches() -> Iterator[Batch]:
        for point in ctx.grid:
            name, eps = point.mech
            subject = mechanism(name, point.n, eps)

            def sides(subject: PosteriorMechanism = subject) -> list[tuple[tuple[()], Ball, Ball]]:
                return [((), true_epsilon(subject)[0], ball(subject.epsilon))]

            def steps(_: object, subject: PosteriorMechanism = subject) -> list[Step]:
                value, result = true_epsilon(subject)
                at = result.witness
                pair = f"ln P_x(r) − ln P_x′(r), x = {at.x}, x′ = {at.x_prime}, r = {at.output}"
                return [step("largest loss", pair, value), step("nominal ε", "", subject.epsilon)]

            where = {"mech": name, "n": point.n, "prior": (1, 1), "eps": eps}
            yield Batch(where, sides, steps=steps)

    return scan(TRUE_EPSILON, batches())
