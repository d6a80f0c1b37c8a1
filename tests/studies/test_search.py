"""The search for counterexamples: it finds what is there, certifies it, and says what it did not prove."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

import dpaudit
from dpaudit.cli import main
from dpaudit.reference import definitions as reference
from dpaudit.studies.search.optimize import rounded
from dpaudit.studies.search.region import make_region
from dpaudit.studies.search.search import search
from dpaudit.studies.search.surrogate import Surrogate

FAMILIES = {
    "EHD": {},
    "EHD/exact": {},
    "EHDL": {},
    "EHDS": {"gamma": "1/2"},
    "MH": {"gamma": "3"},
    "MHdelta": {"delta": "1/20"},
}


@settings(max_examples=50)
@given(
    st.sampled_from(sorted(FAMILIES)),
    st.integers(1, 9),
    st.lists(st.sampled_from(["1/1000000", "1/100", "1/3", "1", "7", "1000", "1000000"]), min_size=2, max_size=3),
    st.sampled_from(["1/100", "1", "16"]),
)
def test_the_surrogate_is_close_to_the_truth(label, n, prior, eps):
    n = n if len(prior) == 2 else min(n, 4)
    setting = dpaudit.Setting.read(label, n=n, prior=prior, eps=eps, **FAMILIES[label])
    mechanism = dpaudit.mechanism(label, n=1, **FAMILIES[label])
    value = Surrogate(mechanism, n, len(prior)).ratios([float(Fraction(p)) for p in prior], [float(Fraction(eps))])[0]
    result = dpaudit.epsilon(setting)
    claimed = result.claim.epsilon or Fraction(eps)
    assert value == pytest.approx(float(result.epsilon.lower / claimed), rel=1e-6)


def certified_by_the_reference(witness, mech, **options):
    """The witness's own loss, from the slow reference, over epsilon."""
    prior, eps = tuple(Fraction(p) for p in witness["prior"]), Fraction(witness["eps"])
    with mp.workdps(50):
        x, y, r = (tuple(witness[name]) for name in ("x", "x_prime", "output"))
        laws = [reference.pmf(mech, witness["n"], prior, data, eps, dps=40, **options)[r] for data in (x, y)]
        return (mp.log(laws[0]) - mp.log(laws[1])) / reference.to_mpf(eps)


def test_ehd_with_the_constant_is_refuted_at_n_1():
    found = search("EHD", n="1..20").to_dict()
    assert found["found"] is True
    assert found["minimal_n"] == 1
    assert certified_by_the_reference(found["witness"], "EHD") > 1
    assert Fraction(found["largest_ratio"]["lower"]) > Fraction(138, 100)
    assert found["region"]["exhaustive"] is None
    assert "proves nothing" in found["region"]["screened"]


def test_ehdl_is_refuted_by_an_optimized_prior():
    found = search("EHDL", n="30..60", prior_box="1/1000000..1000000").to_dict()
    assert found["found"] is True
    assert found["minimal_n"] == 35
    witness = found["witness"]
    assert Fraction(witness["ratio"]["lower"]) > 1
    assert dpaudit.epsilon("EHDL", n=witness["n"], prior=witness["prior"], eps=witness["eps"]).epsilon.lower > Fraction(
        witness["eps"]
    )


def test_ehdl_with_three_categories():
    found = search("EHDL", n="1..6", k=3)
    assert found.minimal_n == 5
    assert certified_by_the_reference(found.to_dict()["witness"], "EHDL") > 1


@pytest.mark.parametrize(
    ("mech", "options"),
    [("EHDS", {}), ("MH", {}), ("EHD", {"gs": "exact"}), ("LSHist", {}), ("LSDim", {}), ("LSZhang", {})],
)
def test_nothing_is_found_where_nothing_is(mech, options):
    result = search(mech, n="1..40", **options)
    assert not result.found
    assert result.minimal_n is None
    assert result.largest.ratio.upper <= 1
    assert result.largest.ratio.lower > Fraction(1, 4)
    assert (result.exhaustive is not None) == mech.startswith("LS")


@pytest.mark.parametrize(("prior", "eps"), [("1/1000,1/1000", "1/100"), ("1/100,1/100", "1/2")])
def test_the_minimal_n_of_a_given_prior_is_minimal(prior, eps):
    result = search("EHDL", n="1..80", prior=prior, eps=eps)
    least = result.minimal_n
    assert least is not None
    true = {
        n: dpaudit.epsilon("EHDL", n=n, prior=prior, eps=eps).epsilon for n in (*range(1, least, 5), least - 1, least)
    }
    assert all(value.upper <= Fraction(eps) for n, value in true.items() if n < least)
    assert true[least].lower > Fraction(eps)
    assert result.exhaustive.startswith(f"n = 1..{least}")
    assert search("EHDL", n=f"1..{least - 1}", prior=prior, eps=eps).found is False
    assert search("EHDL", n=f"{least}..{least}", prior=prior, eps=eps).minimal_n == least


def test_it_is_deterministic():
    first, second = (search("EHD", n="1..6", eps=1).to_dict() for _ in "ab")
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert first["witness"]["eps"] == "1"


def test_rounding_to_simple_rationals():
    assert rounded(0.0013, 0) == Fraction(1, 1000)
    assert rounded(0.0136, 1) == Fraction(1, 100)
    assert rounded(0.0136, 2) == Fraction(14, 1000)
    assert rounded(1234.5, 2) == 1200


def test_regions():
    region = make_region("EHDL", None, 3, None, None, None)
    assert region.ns == range(1, 13)
    assert region.coarse()[0] == 1
    assert region.coarse()[-1] == 12
    assert all(list(seed) == sorted(seed) for seed in region.seeds())
    assert make_region("EHDL", "5..9", None, "1/2,1", "1,2", None).to_dict()["eps"] == "1/2,1"


def test_command_line(capsys):
    options = ["--n", "1..3", "--prior", "1/100,1/100", "--eps", "1", "--json"]
    assert main(["search", "--mech", "EHD", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"mechanism", "found", "minimal_n", "witness", "largest_ratio", "region"} <= set(found)
    assert {"n", "prior", "eps", "x", "x_prime", "output", "ratio"} <= set(found["witness"])
    assert main(["search", "--mech", "EHD", *options[:-1], "--require"]) == 1
    assert capsys.readouterr().out.startswith("✗ 1-DP: REFUTED, first at n = 1; exceeds by 6.2 %")
    assert main(["search", "--mech", "LSHist", "--n", "1..3", "--require"]) == 0
    assert "no violation found" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mech", "Nope"], "--mech = Nope: unknown mechanism"),
        (["--mech", "EHD", "--n", "0..4"], "--n = 0"),
        (["--mech", "EHD", "--n", "4..1"], "must not decrease"),
        (["--mech", "EHD", "--n", "1..90000"], "the screening takes up to 3000"),
        (["--mech", "EHD", "--k", "1"], "--k = 1"),
        (["--mech", "EHD", "--k", "3", "--prior", "1,1"], "--k = 3: contradicts the prior"),
        (["--mech", "EHD", "--eps", "0"], "--eps = 0: must be > 0"),
        (["--mech", "EHD", "--prior-box", "3"], "must be a range"),
        (["--mech", "EHD", "--prior-box", "3..1"], "must not decrease"),
        (["--mech", "EHD", "--gamma", "1"], "no such parameter"),
        (["--mech", "MHdelta"], "--delta = (missing)"),
    ],
)
def test_bad_input(options, message, capsys):
    assert main(["search", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_region_and_the_certified_n_are_named(capsys):
    assert main(["search", "--mech", "EHDL", "--prior", "1/100,1/100", "--eps", "1/100", "--n", "40..60"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith("✗ 1/100-DP (its nominal ε; its documents do not claim it): REFUTED at n = 45")
    assert "n = 40..45, every n certified" in text
    assert "beyond the violation only n = 47" in text


def test_a_claim_that_is_no_epsilon_is_shown_with_what_decided_it(tmp_path, capsys):
    (tmp_path / "z.py").write_text(
        "class Z:\n"
        "    def __init__(self, epsilon): self.epsilon = epsilon\n"
        "    def datasets(self): return ['no', 'yes']\n"
        "    outputs = datasets\n"
        "    def log_weight(self, x, r): return self.epsilon if x == r else 0\n"
        "    def claimed(self): return 'rho=1/10'\n"
    )
    asked = ["search", "--mech", f"{tmp_path}/z.py:Z", "--eps", "1/10,1"]
    assert main(asked) == 0
    assert "1/10-zCDP: REFUTED, zCDP ρ = 0.46" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["witness"]
    assert found["evidence"]["quantity"] == "zcdp_rho"
    assert found["verdict"]["word"] == "REFUTED"
    assert main(["search", "--mech", "MHdelta", "--delta", "1e-8", "--n", "1..2", "--prior", "1,1", "--eps", "1"]) == 0
    assert "(1, 1e-8)-DP: PROVED at n = " in capsys.readouterr().out
