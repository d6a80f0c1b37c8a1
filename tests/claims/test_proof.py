"""One Proof: what it takes to be PROVED for all values, what is left if it fails, and claims that cite each other."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dpaudit.claims import Context, Grid, Kind, Proof, Statement, scan, search, single, variables
from dpaudit.claims.catalogue import Library, load
from dpaudit.claims.checks import Check
from dpaudit.claims.claim import Claim
from dpaudit.claims.outcome import BY_ALGEBRA, BY_COUNTEREXAMPLE, BY_WITNESS, NO_WITNESS, NOTHING, ON_GRID
from dpaudit.claims.proof import NO_CONTENT, Line
from dpaudit.claims.runner import run_many
from dpaudit.numbers.balls import ball
from proofs_checks.privacy import smooth
from tests.proofs_checks.documents import run_one, verdict_of

LESS = Statement("n", "<=", "bound")
(N,) = variables("n")


def grid(bound):
    """The outcome of n <= bound for n = 1, 2."""
    return scan(LESS, [single({"n": n}, lambda n=n: (ball(n), ball(bound))) for n in (1, 2)])


def sound():
    return Proof().equal("square", "(n+1)² = n² + 2n + 1", (N + 1) ** 2, N**2 + 2 * N + 1)


def test_a_proof_with_a_line_for_all_values_proves_for_all_n():
    assert verdict_of(sound().says("so", "it holds").outcome()) == ("PROVED", BY_ALGEBRA)


@pytest.mark.parametrize(
    "proof",
    [
        Proof(),
        Proof().says("clearly", "it holds"),
        Proof().says("clearly", "it holds").knows("Stirling", "n! is large"),
        Proof().cases("small n", "it holds", "n = 1, 2, 3", True).says("so", "it holds"),
        Proof().requires("the relation", True).concludes(LESS, "<="),
        Proof({"other": ""}).uses("other", "it follows"),
    ],
)
def test_an_argument_by_hand_is_not_a_proof_by_algebra(proof):
    assert verdict_of(proof.outcome()) == ("UNDECIDED", NOTHING)
    settled = proof.settle(("n = 1, 2", grid(5)))
    assert (*verdict_of(settled), settled.grid, settled.finding) == ("PROVED", ON_GRID, "n = 1, 2", NO_CONTENT)


def test_a_proof_assistant_would_count():
    proof = Proof()
    proof.lines.append(Line("formal", "a theorem", Kind.COQ))
    assert verdict_of(proof.outcome()) == ("PROVED", BY_ALGEBRA)


@pytest.mark.parametrize(
    "broken",
    [
        sound().equal("wrong", "n = n + 1", N, N + 1),
        sound().cases("few", "on cases", "n = 1", lambda: False),
        sound().holds("no formula", "n > 3 asks a symbol for its size", lambda: bool(N > 3)),
        sound().requires("what is claimed", False),
        sound().concludes(LESS, ">="),
        Proof({"other": "REFUTED (by counterexample)"}).using(sound()).uses("other", "it follows"),
    ],
)
def test_one_rule_when_a_proof_fails(broken):
    assert verdict_of(broken.outcome()) == ("UNDECIDED", NOTHING)
    left = broken.settle(("n = 1, 2", grid(5)))
    assert (*verdict_of(left), left.grid) == ("PROVED", ON_GRID, "n = 1, 2")
    assert "does not go through" in left.finding
    assert verdict_of(broken.settle(("n = 1, 2", grid(1)))) == ("REFUTED", BY_COUNTEREXAMPLE)


def test_a_counterexample_on_any_grid_wins_over_a_proof():
    outcome = sound().settle(("n = 1, 2", grid(5)), ("far out", grid(1)))
    assert (*verdict_of(outcome), outcome.grid) == ("REFUTED", BY_COUNTEREXAMPLE, "far out")


@pytest.mark.parametrize("value", [0.5, 1j, None, ball(1)])
def test_an_identity_is_about_exact_things(value):
    with pytest.raises(TypeError, match=r"same: .* is no exact number or polynomial"):
        Proof().equal("same", "it is itself", value, value)


def test_constants_are_compared_by_balls_and_never_by_floats():
    assert Proof().less("less", "1 < 2", lambda: ball(1), lambda: Fraction(2)).failed == []
    with pytest.raises(TypeError, match="a side is a ball"):
        Proof().less("less", "1 < 2", lambda: 1.0, lambda: 2.0)


def test_bookkeeping_is_enforced_and_not_shown():
    proof = sound().requires("the claimed factor", True).concludes(LESS, "<")
    assert [step.label for step in proof.steps] == ["square"]


def test_every_line_says_how_it_is_known():
    proof = Proof({"other": ""}).says("a", "").knows("b", "").cases("c", "", "n = 1", True).uses("other", "")
    proof.using(sound()).holds("d", "", False)
    tags = [step.value.rpartition("  ")[2] for step in proof.steps]
    assert tags == [
        "[by hand]",
        "[textbook]",
        "[checked on cases: n = 1]",
        "[cited: PROVED]",
        "[checked: identity]",
        "[FAILED]",
    ]


def test_what_is_proved_not_to_exist_is_impossible():
    def searched(bound):
        return search(LESS, [single({"n": 3}, lambda: (ball(3), ball(bound)))])

    assert verdict_of(sound().excludes(searched(2))) == ("IMPOSSIBLE", BY_ALGEBRA)
    assert verdict_of(sound().excludes(searched(4))) == ("PROVED", BY_WITNESS)
    assert verdict_of(Proof().says("a", "b").excludes(searched(2))) == ("UNWITNESSED", NO_WITNESS)


# ------------------------------------------------------------------ claims that cite each other


def library(**claims):
    """A library of claims: name = (uses, whether its own line holds)."""

    def run(uses, holds):
        def decide(ctx):
            proof = ctx.proof().using(sound()).holds("own line", "", holds)
            for used in uses:
                proof.uses(used, "it follows")
            return proof.settle(("", grid(5)))

        return decide

    checks = {
        name: Check(name, run(uses, holds), Grid(n=[1]), Grid(n=[1]), uses=uses)
        for name, (uses, holds) in claims.items()
    }
    return Library({name: Claim(name, "mine", "", name) for name in claims}, checks)


def test_a_claim_falls_with_what_it_cites_and_with_what_that_cites():
    given = {"far": (("near",), True), "near": (("base",), True), "base": ((), True)}
    (found,) = run_many(library(**given), ["far"], jobs=1)
    assert (*verdict_of(found.outcome), found.to_dict()["uses"]) == ("PROVED", BY_ALGEBRA, ["near"])
    (found,) = run_many(library(**given | {"base": ((), False)}), ["far"], jobs=1)
    assert verdict_of(found.outcome) == ("PROVED", ON_GRID)
    assert "near, which is PROVED (exhaustive on the grid)" in found.outcome.finding


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": (("b",), True), "b": (("a",), True)}, "in a circle: a → b → a"),
        ({"a": (("nobody",), True)}, "a uses nobody, which has no check"),
    ],
)
def test_circles_and_unknown_claims_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        run_many(library(**given), ["a"], jobs=1)


def test_a_citation_must_be_declared():
    with pytest.raises(ValueError, match="not declared"):
        Context(Grid(n=[1])).proof().uses("smooth.gamma", "")


@pytest.mark.parametrize("claim", ["dp.ehds", "dp.mh"])
def test_if_smooth_gamma_breaks_then_the_theorems_that_cite_it_fall(claim, monkeypatch):
    known = load()
    broken = replace(known.checks["smooth.gamma"], run=lambda ctx: grid(1))
    (found,) = run_many(replace(known, checks={**known.checks, "smooth.gamma": broken}), [claim], jobs=1)
    assert verdict_of(found.outcome) == ("PROVED", ON_GRID)
    assert "smooth.gamma, which is REFUTED (by counterexample)" in found.outcome.finding
    assert "for all n" not in found.outcome.grid


def test_a_wrong_smooth_sensitivity_breaks_its_proof_and_the_theorem(monkeypatch):
    monkeypatch.setattr(smooth, "penalty", lambda gamma, steps: gamma * steps * Fraction(2))
    result = run_one("dp.ehds")
    assert verdict_of(result.outcome) != ("PROVED", BY_ALGEBRA)
    assert "smooth.gamma" in result.outcome.finding
