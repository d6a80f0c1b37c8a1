"""Comparison of mechanisms: against the slow reference, the documents' figures, and the shipped data."""

import json
from fractions import Fraction

import pytest
from agreement import agrees
from mpmath import mp

from dpaudit.cli import main
from dpaudit.numbers.digits import decimal
from dpaudit.numbers.enclosure import exact
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.data import dataset, datasets
from dpaudit.posterior.model import make_model
from dpaudit.reference import definitions as reference
from dpaudit.studies.compare import on_data as comparison
from dpaudit.studies.compare.on_data import compare
from dpaudit.studies.compare.ranges import RangePoint, compare_over_n, compare_over_priors, crossovers, data_of

ONES = (Fraction(1), Fraction(1))


def slow(label, n, prior, eps, x):
    mech, _, variant = label.partition("/")
    delta = Fraction(1, 10**8) if mech == "MHdelta" else None
    options = {"gamma": 1, "delta": delta, "gs": variant or "constant", "dps": 60}
    value, _ = reference.epsilon(mech, n, prior, eps, **options)
    return value, reference.mean_error(mech, n, prior, eps, x, **options)


def test_every_row_is_the_reference_s():
    result = compare("2,3", target="3/2", digits=30)
    assert len(result.entries) == 9
    with mp.workdps(60):
        for row in result.entries:
            for found in (row.nominal, row.calibrated):
                true, mean = slow(row.label, 5, ONES, found.nominal, (2, 3))
                assert agrees(found.true, true)
                assert agrees(found.mean, mean)
                assert true <= mp.mpf(3) / 2 + mp.mpf(10) ** -40 or found is row.nominal
    means = [row.calibrated.mean.lower for row in result.entries]
    assert means == sorted(means)
    assert result.winner == result.entries[0].label


def test_what_calibration_buys_for_ehds():
    result = compare("50,50", mechs="EHDS,LSHist,MHdelta")
    rows = {row.label: row for row in result.entries}
    ehds = rows["EHDS"]
    assert ehds.calibrated.nominal > 2
    assert ehds.calibrated.mean.upper * 4 < ehds.nominal.mean.lower
    assert rows["LSHist"].calibrated.nominal == 1
    assert result.winner == "MHdelta"
    assert compare("50,50", mechs="EHDS,LSHist,MHdelta", sort="mean").winner == "LSHist"
    assert compare("50,50", mechs="EHDS,LSHist,MHdelta", sort="true").winner == "EHDS"


def test_quantiles_and_ties():
    result = compare("6,6", mechs="EHDS,MH", metric="tv")
    assert result.tied == ("EHDS", "MH") or result.tied == ("MH", "EHDS")
    for row in result.entries:
        levels = [value.lower for _, value in row.nominal.quantiles]
        assert levels == sorted(levels)


def test_crossovers_of_balanced_data():
    """A3 Figure 4, exactly: MH against the baseline changes at n = 14 and n = 210, against LSHist at n = 6."""
    result = compare_over_n(range(2, 221, 2), mechs="MH,LSDim,LSHist")
    assert [(c.at, c.better, c.worse) for c in result.crossovers] == [
        (6, "LSHist", "MH"),
        (14, "LSDim", "MH"),
        (210, "MH", "LSDim"),
    ]
    assert result.points[0].winner == "MH"


def test_crossover_of_10_90_data():
    """P1 Figure 3, exactly: MHdelta beats the Laplace mechanism of scale 2/epsilon from n = 1650 on, not 650."""
    result = compare_over_n((640, 660, 1640, 1650), eps="4/5", share="1/10,9/10", mechs="MHdelta,LSDim")
    assert [(c.at, c.better) for c in result.crossovers] == [(1650, "MHdelta")]


def test_crossovers_of_priors():
    """P1 Figure 5 and A3 Figure 5."""
    first = compare_over_priors(range(4, 8), "5,5,5", eps="4/5", mechs="MHdelta,LSHist")
    assert [(c.at, c.better) for c in first.crossovers] == [(6, "MHdelta")]
    second = compare_over_priors(range(43, 47), "50,50", mechs="MH,LSDim")
    assert [(c.at, c.better) for c in second.crossovers] == [(45, "MH")]


def test_a_tie_between_two_points_does_not_hide_a_crossover():
    def point(at, a, b):
        means = {"A": exact(Fraction(a), 12), "B": exact(Fraction(b), 12)}
        return RangePoint(at, make_model(2), (1, 1), means)

    found = crossovers([point(1, 1, 2), point(2, 2, 2), point(3, 3, 2), point(4, 4, 2)])
    assert [(c.at, c.better, c.worse) for c in found] == [(3, "B", "A")]
    assert crossovers([point(1, 1, 2), point(2, 2, 2), point(3, 1, 2)]) == []


def test_calibrated_range():
    result = compare_over_n((4, 6), mechs="LSDim,LSHist", calibrate=True)
    assert all(point.means["LSDim"] == point.means["LSHist"] for point in result.points)
    assert result.crossovers == ()


def test_too_large_a_job_is_said():
    row = compare("463,247,21", mechs="LSDim", digits=10).entries[0]
    assert row.calibrated.nominal == Fraction(3, 2)
    from dpaudit.studies.compare.on_data import auditable, entries

    assert not auditable(entries("EHDS", make_model(731, 3), Fraction(1), {})[0].mechanism)


def test_the_seven_data_sets():
    found = {(d.name, len(d.counts)): d.counts for d in datasets()}
    assert len(found) == 7
    assert found["cryotherapy", 2] == (42, 48)
    assert found["bike", 3] == (463, 247, 21)
    assert dataset("cryotherapy").counts == (42, 48)
    assert dataset("Cryotherapy", 3).counts == (54, 9, 27)
    with pytest.raises(InputError, match="must be one of badges"):
        dataset("iris")


def test_data_of_keeps_the_total():
    assert data_of(10, (Fraction(1, 10), Fraction(9, 10))) == (1, 9)
    assert data_of(7, (Fraction(1, 3),) * 3) == (2, 2, 3)


def test_command_line(capsys):
    assert main(["compare", "--dataset", "cryotherapy", "--mech", "LSHist,EHD", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["x"] == [42, 48]
    row = found["rows"][0]
    assert {"mechanism", "nominal_epsilon", "true_epsilon", "mean", "calibrated"} <= set(row)
    assert {"nominal_epsilon", "mean"} <= set(row["calibrated"])
    assert found["winner"] == "LSHist"
    assert main(["compare", "--n", "2..6", "--step", "2", "--mech", "MH,LSHist", "--csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "n,x,mechanism,mean_lower,mean_upper"
    assert len(lines) == 7
    assert main(["compare", "--n", "2..6", "--mech", "MH,LSHist"]) == 0
    assert "LSHist beats MH" in capsys.readouterr().out
    assert main(["compare", "--x", "3,3", "--mech", "LSHist,LSZhang"]) == 0
    assert "winner" in capsys.readouterr().out


def test_the_calibrated_epsilon_is_shown_exactly():
    """1.9999999 is safe; 2, its neighbor, is not proved to be."""
    assert decimal("19999999/10000000", 8) == "1.9999999"
    assert decimal("1/3", 8) == "1/3"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give exactly one of --x, --dataset and --n"),
        (["--x", "2,2", "--dataset", "bike"], "give exactly one"),
        (["--dataset", "iris"], "--dataset = iris: must be one of badges, bike"),
        (["--dataset", "badges", "--k", "3"], "badges has k = 2 only"),
        (["--x", "2,2", "--k", "3"], "contradicts --x"),
        (["--n", "9..2"], "the range must not decrease"),
        (["--n", "2-9"], "must be a whole number >= 1, or a range such as 10..200"),
        (["--n", "2..9", "--share", "1/3,1/3"], "sum to 1"),
        (["--n", "2..9", "--step", "0"], "--step = 0"),
        (["--n", "2..9", "--priors", "1..3"], "needs --x or --dataset"),
        (["--x", "2,2", "--share", "1/2,1/2"], "needs --n"),
        (["--x", "2,2", "--csv"], "needs a range"),
        (["--x", "2,2", "--sort", "speed"], "--sort = speed: must be one of"),
        (["--x", "2,2", "--mech", "LSHist,Foo"], "--mech = Foo: unknown mechanism"),
        (["--x", "2,2", "--mech", "LSHist/exact"], "has no such variant"),
        (
            ["--x", "2,2", "--mech", "krr,oue"],
            "--mech = krr: releases no posterior; compare is about the mean errors of",
        ),
        (["--x", "2,2", "--mech", "LSHist,krr"], "`dpaudit delta --mech NAME --eps 1 --at 1/2` compares them at one ε"),
        (["--x", "2,2", "--target", "-1"], "--target = -1: must be > 0"),
    ],
)
def test_bad_input(options, message, capsys):
    assert main(["compare", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_quantiles_that_are_not_computed_are_named(monkeypatch, capsys):
    monkeypatch.setattr(comparison, "STAIRS", 5)
    assert main(["compare", "--x", "3,3", "--mech", "EHD"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Quantiles are computed up to 5 outputs" in text
    assert main(["compare", "--x", "3,3", "--mech", "EHD", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["quantiles_omitted"] == "more than 5 outputs to list"


def test_a_box_of_outputs_has_quantiles():
    """90 601 outputs, of which a box is listed."""
    found = comparison.compare("100,100,100", mechs="LSHist", digits=10)
    assert len(found.entries[0].nominal.quantiles) == 3


def test_csv_without_a_range_names_what_is_missing(capsys):
    assert main(["compare", "--x", "3,3", "--csv"]) == 2
    assert "--n = (missing): --csv needs a range" in capsys.readouterr().err


def test_a_comparison_shows_the_delta_of_a_claim(capsys):
    asked = ["compare", "--x", "2,2", "--mech", "MHdelta,LSHist"]
    assert main(asked) == 0
    assert "(1, 1e-8)-DP" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    rows = {row["mechanism"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["MHdelta"]["claimed"] == "1"
    assert rows["MHdelta"]["guarantee"]["delta"] == "1/100000000"
