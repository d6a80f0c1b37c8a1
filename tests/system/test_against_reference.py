"""The engine against the slow reference: epsilon with its witness, delta, distributions, sensitivities."""

from fractions import Fraction

import cases
import pytest
from agreement import DIGITS, DPS, REFERENCE_ERROR, agrees
from mpmath import mp

import dpaudit
from dpaudit.reference import definitions as ref


def audit_arguments(case):
    mech, n, prior, eps, gamma, delta, gs = case
    return {"mech": mech, "n": n, "prior": prior, "eps": eps, "gamma": gamma, "delta": delta, "gs": gs}


def name(case):
    return "-".join(str(part) for part in case if part is not None).replace(" ", "")


def test_there_are_enough_cases_of_every_kind():
    assert len(cases.CASES) >= 300
    assert {len(case[2]) for case in cases.CASES} == {2, 3, 4}
    assert {case[0] for case in cases.CASES} == set(ref.MECHANISMS)
    assert any(len(set(case[2])) > 1 for case in cases.CASES)


@pytest.mark.parametrize("case", cases.CASES, ids=name)
def test_epsilon_and_its_witness(case):
    value, attained = ref.epsilon(**cases.arguments(case), dps=DPS)
    result = dpaudit.epsilon(**audit_arguments(case), digits=DIGITS)
    assert agrees(result.epsilon, value)
    witness = result.witness
    assert (witness.x, witness.x_prime, witness.output) in attained
    bound = cases.claimed(case)
    if bound is None:
        assert result.claim.verdict is None
    elif case[0] != "MHdelta":
        expected = ref.exact_value(value) <= bound + REFERENCE_ERROR
        assert result.claim.verdict is (dpaudit.Verdict.PROVED if expected else dpaudit.Verdict.REFUTED)


def delta_of_pair(arguments, x, x_prime, at):
    """The hockey stick of one ordered pair, by the reference."""
    given = {key: value for key, value in arguments.items() if value is not None}
    p, p_prime = (ref.pmf(**given, x=c, dps=DPS) for c in (x, x_prime))
    with mp.workdps(DPS + 20):
        return mp.fsum(max(0, p[r] - mp.exp(ref.to_mpf(at)) * p_prime[r]) for r in p)


@pytest.mark.parametrize("case", cases.CASES[::3], ids=name)
def test_delta(case):
    arguments = cases.arguments(case)
    for at in (Fraction(0), arguments["eps"] / 3, arguments["eps"]):
        value = ref.delta(**arguments, at=at, dps=DPS)
        result = dpaudit.delta(**audit_arguments(case), at=at, digits=DIGITS)
        assert agrees(result.delta, value)
        assert agrees(result.delta, delta_of_pair(arguments, result.witness.x, result.witness.x_prime, at))


@pytest.mark.parametrize("case", cases.CASES[::4], ids=name)
def test_distribution_of_every_data_set(case):
    arguments = cases.arguments(case)
    for x in ref.histograms(case[1], len(case[2])):
        expected = ref.pmf(**{k: v for k, v in arguments.items() if v is not None}, x=x, dps=DPS)
        result = dpaudit.pmf(**audit_arguments(case), x=x, digits=DIGITS)
        assert list(result.outputs) == list(expected)
        assert all(map(agrees, result.probabilities, expected.values()))


@pytest.mark.parametrize(
    ("n", "prior"), [(6, ("1", "1")), (5, ("1/3", "7/2")), (3, ("1", "1", "1")), (2, ("0.01", "1", "1", "5"))]
)
@pytest.mark.parametrize("gamma", ["1/10", "1", "3"])
def test_sensitivities(n, prior, gamma):
    exact = tuple(map(Fraction, prior))
    result = dpaudit.sensitivity(n, prior=prior, gamma=gamma, digits=DIGITS)
    assert agrees(result.gs, ref.global_sensitivity(n, exact, DPS))
    for x, ls, s in zip(result.model.histograms, result.ls, result.s, strict=True):
        assert agrees(ls, ref.local_sensitivity(n, exact, x, DPS))
        assert agrees(s, ref.smooth_sensitivity(n, exact, x, Fraction(gamma), DPS))
