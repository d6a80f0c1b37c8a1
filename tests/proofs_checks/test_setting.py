"""Every check of the setting can fail: a relation or a constant is changed; the verdict changes, or a proof breaks."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq

from dpaudit.claims import Proof
from dpaudit.numbers.verdict import Verdict
from proofs_checks.coq import THEOREMS
from proofs_checks.setting import chances as setting_chances
from proofs_checks.setting import definitions as setting_definitions
from proofs_checks.setting import exact as setting_exact
from proofs_checks.setting import gs as setting_gs
from proofs_checks.setting import left as setting_left
from proofs_checks.setting import lemmas
from proofs_checks.setting import levels as setting_levels
from proofs_checks.setting import limits as setting_limits
from proofs_checks.setting import ls as setting_ls
from proofs_checks.setting import printed as setting_printed
from proofs_checks.setting import steps as setting_steps
from proofs_checks.setting.catalogue import SETTING
from tests.proofs_checks.documents import breaks, changes_its_verdict, proved_everywhere, run_one, turned, unknown_lines


class Flat(setting_ls.Hellinger):
    """A distance whose values and local sensitivities are 1 everywhere."""

    def local(self, c):
        return setting_gs.ball(1)

    def between(self, c, d):
        return setting_gs.ball(1)


PERTURBED = [
    ("prior.beta-density", setting_printed, "PRINTED", 0),
    ("candidates.beta", *turned(setting_gs, "COUNT_BETA", "!=")),
    ("candidates.dirichlet", setting_gs, "printed", lambda n, m: setting_gs.comb(n + m - 1, m - 1)),
    ("gs.each-n", *turned(setting_gs, "GS_EACH", "<=")),
    ("gs.supremum", setting_gs, "GS0_SQUARED", replace(setting_gs.GS0_SQUARED, rational=fmpq(1, 15))),
    ("gs.any-prior", setting_gs, "gs_constant", lambda: setting_gs.ball(1)),
    ("ls.reduction", *turned(setting_ls, "REDUCTION", "<")),
    ("ls.statement-1", *turned(setting_ls, "GROWS", ">")),
    ("ls.statement-1.left", setting_left, "printed_last", setting_left.repaired_last),
    ("ls.statement-2.left", *turned(setting_left, "LEFT_STEP", "!=")),
    ("ls.statement-2", *turned(setting_ls, "RIGHT_STEP", "!=")),
    ("ls.statement-3", *turned(setting_ls, "ABOVE_BALANCED", ">=")),
    ("ls.monotone", setting_limits, "Hellinger", Flat),
    ("ls.limit.balanced", *turned(setting_limits, "BELOW_RATE", ">")),
    ("ls.limit.boundary", *turned(setting_limits, "LIMIT_ZERO", ">")),
    ("l1.sensitivity", *turned(setting_limits, "L1_MOST", "<")),
    ("l1.sensitivity", *turned(setting_limits, "FIRST_MOST", "<")),
    ("l1.proportional", setting_printed, "largest_change", lambda n, k: k),
    ("level.half", *turned(setting_levels, "HALF_OF_LEVEL", ">=")),
    ("level.two", *turned(setting_levels, "EXACTLY_TWO", "<=")),
    ("level.at-most-two", setting_levels, "two", lambda x, r: 1),
    ("level.same-steps", setting_levels, "Hellinger", Flat),
    ("level.5.1", *turned(setting_chances, "SAME_CHANCE", "<")),
    ("level.5.1", *turned(setting_chances, "OTHER_CHANCE", "=")),
    ("level.5.2", *turned(setting_chances, "LEVEL_SUM", "<")),
    ("ls.statement-1.induction", *turned(setting_steps, "AGAIN", "<")),
    ("hellinger.tv", *turned(setting_steps, "BELOW", ">")),
    ("hellinger.tv", *turned(setting_steps, "ABOVE", ">")),
    ("near.one-step", *turned(setting_steps, "ONE_STEP", "!=")),
    ("def.score-sign", setting_definitions, "PRINTED", setting_definitions.MEANT),
    ("def.dp-equality", setting_definitions, "WHOLE", setting_definitions.WHOLE_MEANT),
    ("def.adjacency", setting_definitions, "printed_adjacent", setting_definitions.meant_adjacent),
    ("def.ls-same-data", *turned(setting_definitions, "LS_PRINTED", "<=")),
]


FORMAL = {*THEOREMS, "gs.any-prior"}
"""The claims that ask Coq about a theorem."""


@pytest.mark.parametrize(("claim", "module", "name", "value"), [row for row in PERTURBED if row[0] not in FORMAL])
def test_a_perturbed_check_changes_its_verdict(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    assert changes_its_verdict(claim)


@pytest.mark.parametrize(("claim", "module", "name", "value"), [row for row in PERTURBED if row[0] in FORMAL])
def test_a_perturbed_check_with_a_theorem_changes_its_verdict(claim, module, name, value, monkeypatch):
    """Coq compiles what these checks cite, so they are not quick."""
    monkeypatch.setattr(module, name, value)
    assert changes_its_verdict(claim)


def one_beyond_twelve(x, r):
    return 1 if sum(x) > 12 else 2


PROOFS = [
    ("candidates.beta", setting_gs, "claimed_beta", lambda n: 2 * n),
    ("candidates.beta", setting_gs, "claimed_beta", lambda n: n + 1 if n < 3000 else n),
    ("gs.supremum", *turned(setting_gs, "GS_MOST", "<")),
    ("gs.supremum", setting_gs, "gs_constant", lambda: setting_gs.ball(Fraction(1, 2))),
    ("ls.reduction", setting_ls, "TIMES", 2),
    ("ls.statement-1", *turned(setting_ls, "GROWS", "=")),
    ("ls.statement-1", setting_ls, "balanced_points", lambda n: (n // 2 - (n > 500),)),
    ("ls.statement-1.algebra", setting_ls, "ROOT", -2),
    ("ls.statement-1.induction", *turned(setting_steps, "AGAIN", "=")),
    ("hellinger.tv", *turned(setting_steps, "BELOW", "=")),
    ("hellinger.tv", *turned(setting_steps, "ABOVE", "=")),
    ("ls.statement-2", setting_ls, "first_upper", lambda n: n // 2),
    ("ls.statement-2.left", setting_left, "last_upper", lambda n: (n + 1) // 2),
    ("ls.limit.balanced", setting_limits, "RATE", 1),
    ("l1.sensitivity", setting_limits, "L1_BOUND", 3),
    ("l1.sensitivity", setting_limits, "FIRST_BOUND", 2),
    ("level.at-most-two", setting_levels, "two", one_beyond_twelve),
    ("level.5.1", setting_chances, "log_weight", lambda rate, h: -rate * h * h),
    ("level.5.2", setting_chances, "claimed_sum", lambda count, chance: count * chance * (1 if count < 9 else 2)),
    ("level.5.2", setting_chances, "claimed_sum", lambda count, chance: (count + 1) * chance),
]
"""Proofs for all n: their own statement is perturbed, and a line breaks."""


@pytest.mark.parametrize(("claim", "module", "name", "value"), PROOFS)
@pytest.mark.thin(2)
def test_the_proof_breaks_with_its_statement(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    assert breaks(claim)


def test_every_claim_and_every_proof_for_all_n_is_perturbed():
    assert {claim for claim, *_ in (*PERTURBED, *PROOFS)} == {claim.id for claim in SETTING}
    assert {claim for claim, *_ in PROOFS} == proved_everywhere(SETTING)


def test_every_line_of_a_proof_says_how_it_is_known():
    for claim in sorted(proved_everywhere(SETTING)):
        assert unknown_lines(claim) == []


def test_a_false_identity_leaves_the_claim_undecided(monkeypatch):
    monkeypatch.setattr(setting_ls, "printed_sides", lambda n: ((n - 1) ** 2, (n + 3) ** 2))
    assert run_one("ls.statement-1.algebra").outcome.verdict is Verdict.UNDECIDED


def test_a_proof_with_a_failed_step_proves_nothing():
    proof = Proof()
    proof.holds("twice two", "2·2 = 5", 2 * 2 == 5)
    outcome = proof.outcome("all is well")
    assert outcome.verdict is Verdict.UNDECIDED
    assert "twice two" in outcome.finding


@pytest.mark.parametrize(
    ("lemma", "name", "value"),
    [
        ("adjacent_lemma", "step_of_g", lambda a: ((2 * a + 1) ** 2, 4 * a * (a + 2))),
        ("adjacent_lemma", "bc_squared", lambda model, x, y: setting_gs.GS0_SQUARED),
        ("outward_lemma", "step_of_g", lambda a: ((2 * a + 1) ** 2, 4 * a * (a + 2))),
        ("farther_lemma", "fmpq", lambda p, q=1: fmpq(p + 1, q)),
        ("farther_lemma", "g", lambda a: setting_gs.ball(1)),
    ],
)
def test_every_lemma_is_checked_and_can_fail(lemma, name, value, monkeypatch):
    assert getattr(lemmas, lemma)().outcome().verdict is Verdict.PROVED
    monkeypatch.setattr(lemmas, name, value)
    assert getattr(lemmas, lemma)().outcome().verdict is Verdict.UNDECIDED


def test_levels_are_exact_and_ordered():
    model = setting_gs.make_model(4)
    assert [level.count for level in setting_exact.levels(model, (2, 2))] == [1, 2, 2]
    assert [level.count for level in setting_exact.levels(model, (1, 3))] == [1, 1, 1, 1, 1]
