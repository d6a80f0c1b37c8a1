"""Every proof for all n of setting and privacy can fail: its own statement is perturbed, and a line breaks."""

from fractions import Fraction

import pytest

from dpaudit.claims.outcome import EVERYWHERE
from dpaudit.claims.proof import NOT_THROUGH
from proofs_checks.privacy import ehdl as privacy_ehdl
from proofs_checks.privacy import exponential as privacy_exponential
from proofs_checks.privacy import laplace as privacy_laplace
from proofs_checks.privacy import laplace_dilation as privacy_laplace_dilation
from proofs_checks.privacy import premise as privacy_premise
from proofs_checks.privacy import premise_steps as privacy_premise_steps
from proofs_checks.privacy import sliding as privacy_sliding
from proofs_checks.privacy import smooth as privacy_smooth
from proofs_checks.setting import chances as setting_chances
from proofs_checks.setting import gs as setting_gs
from proofs_checks.setting import left as setting_left
from proofs_checks.setting import levels as setting_levels
from proofs_checks.setting import limits as setting_limits
from proofs_checks.setting import ls as setting_ls
from proofs_checks.setting import steps as setting_steps
from tests.claims.documents import EXPECTED, run_one, turned

COQ = ("Coq: ", "by hand: Coq theorem ")
FAMILIES = (
    "candidates.",
    "gs.",
    "prior.",
    "ls.",
    "l1.",
    "level.",
    "dp.",
    "ehdl.",
    "smooth.",
    "sliding.",
    "dilation.",
    "hellinger.",
)


def times(module, mech, factor):
    return module, "CLAIMED", {**module.CLAIMED, mech: factor}


def one_beyond_twelve(x, r):
    return 1 if sum(x) > 12 else 2


NINE_TENTHS, THREE_QUARTERS = Fraction(9, 10), Fraction(3, 4)
PERTURBED = [
    ("candidates.beta", setting_gs, "claimed_beta", lambda n: 2 * n),
    ("candidates.beta", setting_gs, "claimed_beta", lambda n: n + 1 if n < 3000 else n),
    ("gs.supremum", *turned(setting_gs, "GS_MOST", "<")),
    ("gs.supremum", setting_gs, "gs_constant", lambda: setting_gs.ball(Fraction(1, 2))),
    ("ls.reduction", setting_ls, "TIMES", 2),
    ("ls.statement-1", *turned(setting_ls, "GROWS", "=")),
    ("ehdl.second-step", *turned(privacy_premise_steps, "SECOND", "<")),
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
    ("dp.lszhang", *times(privacy_laplace, "LSZhang", NINE_TENTHS)),
    ("dp.lszhang.literal", *turned(privacy_laplace, "PRIVATE", "<")),
    ("dp.lsdim", *times(privacy_laplace, "LSDim", Fraction(3, 5))),
    ("dp.lshist", *times(privacy_laplace, "LSHist", NINE_TENTHS)),
    ("dp.ehd.exact-gs", *times(privacy_exponential, "EHD", NINE_TENTHS)),
    ("dp.ehd.prior-ge-1", *times(privacy_exponential, "EHD", NINE_TENTHS)),
    ("dp.ehds", *times(privacy_exponential, "EHDS", THREE_QUARTERS)),
    ("dp.mh", *times(privacy_exponential, "MH", THREE_QUARTERS)),
    ("ehdl.premise.beta", *turned(privacy_premise, "SMALLER", ">")),
    ("ehdl.not-private.uniform", privacy_ehdl, "MOST_SHARE", NINE_TENTHS),
    ("smooth.gamma", privacy_smooth, "smooth_bound", lambda gamma: gamma * 2),
    ("smooth.exp", privacy_smooth, "penalty", lambda gamma, steps: gamma * (steps + 1)),
    ("sliding.proved", privacy_sliding, "FACTOR", 1),
    ("sliding.proved", privacy_sliding, "proved_exponent", lambda t, a, b: t * (a - b)),
    ("dilation.laplace.small", privacy_laplace_dilation, "EPS_MOST", Fraction(5, 2)),
    ("dilation.laplace.small", privacy_laplace_dilation, "DELTA_MOST", Fraction(9, 10)),
    ("dilation.laplace.small", privacy_laplace_dilation, "claimed", lambda delta: delta / 3),
    ("dilation.laplace.small", privacy_laplace_dilation, "reach", lambda eps, length: eps / length),
]


@pytest.mark.parametrize(("claim", "module", "name", "value"), PERTURBED)
@pytest.mark.thin(2)
def test_the_proof_breaks_with_its_statement(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    result = run_one(claim)
    assert not result.error
    assert result.outcome.establishes not in EVERYWHERE
    assert NOT_THROUGH in result.outcome.finding


def test_every_proof_for_all_n_is_perturbed():
    proved = {i for i, entry in EXPECTED.items() if entry["establishes"] in EVERYWHERE and i.startswith(FAMILIES)}
    assert proved == {claim for claim, *_ in PERTURBED}


def test_every_line_of_a_proof_says_how_it_is_known():
    for claim in sorted({claim for claim, *_ in PERTURBED if not claim.startswith(("dp.", "smooth."))}):
        for line in run_one(claim).outcome.steps:
            tag = line.value.rpartition("  [")[2]
            assert tag.startswith(
                (
                    *(
                        "checked]",
                        "checked: ",
                        "certified by balls",
                        "by hand]",
                        "textbook]",
                        "checked on cases: ",
                        "cited: ",
                    ),
                    *COQ,
                )
            )
