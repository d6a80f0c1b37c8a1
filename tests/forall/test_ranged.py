"""A setting in which n, eps or the prior ranges: how it is read, and who refuses it."""

import re
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.audit.setting import Setting
from dpaudit.cli import main
from dpaudit.forall.ranged import Ranged, Span, read, settled
from dpaudit.mechanisms import REGISTRY, make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import hamming, make_model
from dpaudit.posterior.sensitivity import gs_constant, local_all


def test_a_single_value_is_a_setting():
    assert read("EHDL", n=3, eps="1/2") == Setting.read("EHDL", n=3, eps="1/2")


@pytest.mark.parametrize(
    ("words", "ranging", "command"),
    [
        ({"n": 9, "eps": "all"}, ("eps",), "--n 9 --eps all"),
        ({"n": 9, "epsilon": " ALL "}, ("eps",), "--n 9 --eps all"),
        ({"n": 9, "eps": "0.01..16", "k": 3}, ("eps",), "--n 9 --k 3 --eps 1/100..16"),
        ({"n": "9", "prior": "1/100..2,1/2..3"}, ("prior",), "--n 9 --prior 1/100..2,1/2..3"),
        ({"n": "9", "prior": ["1..2", 3], "eps": 2}, ("prior",), "--n 9 --prior 1..2,3 --eps 2"),
        ({"n": "all", "eps": "all", "prior": "1/2,1"}, ("n", "eps"), "--n all --prior 1/2,1 --eps all"),
    ],
)
def test_what_ranges_and_the_command_again(words, ranging, command):
    found = read("EHDL", **words)
    assert isinstance(found, Ranged)
    assert found.ranging == ranging
    assert found.command_line("epsilon") == f"dpaudit epsilon --mech EHDL {command}"


def test_a_ranged_setting_is_taken_as_it_is():
    ranged = read("EHDS", n="all")
    assert settled(ranged) is ranged
    with pytest.raises(InputError, match="n = 5: the mechanism already has its setting"):
        dpaudit.epsilon(ranged, n=5)


def test_a_point_of_it_is_a_setting():
    found = read("ehds", n=9, gamma="1/2", prior="1..2,3")
    assert found.prior == (Span(Fraction(1), Fraction(2)), Fraction(3))
    assert found.at(prior="3/2,3") == Setting.read("EHDS", n=9, gamma="1/2", prior="3/2,3")
    assert found.describe()["prior"] == ["1..2", "3"]
    assert found.setting_text() == "n = 9, k = 2, prior (1..2, 3), ε = 1, gamma = 1/2"
    assert read("EHD", n=9, eps="all").setting_text() == "n = 9, k = 2, prior (1, 1), every ε > 0, gs = constant"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("epsilon --mech EHDL --n 4 --prior 2..1,1", "--prior = 2..1: the range must not decrease"),
        ("epsilon --mech EHDL --n 4 --prior 1..1,1", "--prior = 1..1: has no width: write 1 for a single number"),
        ("epsilon --mech EHDL --n 4 --eps 2..2", "--eps = 2..2: has no width: write 2 for a single number"),
        ("epsilon --mech EHDL --n 4 --prior 1..2", "--prior = 1..2: a box needs one side per cell: 1..2,1..2"),
        (
            "epsilon --mech EHD --n all --adjacency add-remove-one",
            "--adjacency = add-remove-one: there is no such pair: the data sets of EHD all have the same number",
        ),
        ("epsilon --mech EHDL --n 4 --prior 1..,1", "--prior = 1..: must be an exact number"),
        ("epsilon --mech EHDL --n 4 --prior 0..1,1", "--prior = 0..1: must be > 0, at both ends of a range"),
        ("epsilon --mech EHDL --n 4 --prior 1,-1..1", "--prior = -1..1: must be > 0"),
        ("epsilon --mech EHDL --n 4 --prior all", "--prior = all: must be an exact number"),
        ("epsilon --mech EHDL --n 4 --prior all,1", "--prior = all: must be an exact number"),
        ("epsilon --mech EHDL --n 4 --eps 16..1", "--eps = 16..1: the range must not decrease"),
        ("epsilon --mech EHDL --n 4 --eps 0..1", "--eps = 0..1: must be > 0"),
        ("epsilon --mech EHDL --n 4 --eps 1..9..2", "--eps = 1..9..2: every number in the range is covered"),
        ("epsilon --mech EHDL --n 1..4", "--n = 1..4: must be a whole number >= 1 or all"),
        ("epsilon --mech EHDL --n 4 --eps all --prior 1..2,1", "--prior = 1..2,1: there is no theorem on every value"),
        ("epsilon --mech EHDL --n 4 --rest 1/10", "--rest = 1/10: needs a box of priors"),
        ("epsilon --mech EHDL --n 4 --eps all --rest 1/10", "--rest = 1/10: needs a box of priors"),
        ("epsilon --mech EHDL --n 4 --eps all --plot a.svg", "--plot = a.svg: a theorem has a picture only for a box"),
        ("epsilon --mech EHDL --n 1 --prior 1..2,1..2 --plot a.gif", "--plot = a.gif: must end in .svg, .pdf, .png"),
        ("epsilon --mech EHDL --n 4 --picture a.svg", "No such option: --picture"),
        ("epsilon --mech MHdelta --delta 1e-8 --n 4 --eps all", "--eps = all: MHdelta claims"),
        (
            "epsilon --mech MHdelta --delta 1e-8 --n 4 --eps all --adjacency all",
            "--eps = all: there is no theorem for every ε for MHdelta with these options",
        ),
        (
            "epsilon --mech MHdelta --delta 1e-8 --n 4 --eps all --score tv",
            "--eps = all: there is no theorem for every ε for MHdelta with these options",
        ),
        (
            "epsilon --mech MHdelta --delta 1e-8 --n 4 --prior 1..2,1 --adjacency all",
            "--prior = 1..2,1: there is no map for MHdelta, only for EHD, EHDL, EHDS and MH",
        ),
        ("epsilon --mech dpaudit.examples.geometric:Geometric --eps all", "--eps = all: every ε at once works"),
        (
            "delta --mech EHDL --n 4 --eps all --at 1",
            "--eps = all: must be one value here; all or",
        ),
        ("judge --mech EHDL --n all --claim eps=1", "--n = all: must be one value here"),
        ("pmf --mech EHDL --n 4 --x 1,3 --prior 1..2,1", "--prior = 1..2,1: must be one value here"),
    ],
)
def test_bad_input_is_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"dpaudit: {said}")


def test_the_same_in_python():
    with pytest.raises(InputError, match="eps = all"):
        dpaudit.delta("EHDL", 1, n=4, eps="all")
    assert dpaudit.epsilon("LSDim", n=4).closed_form_text == "1/2"


def sensitivities(form, model, local):
    """Delta of every data set, from its name alone."""
    if form.kind == "constant":
        return [gs_constant()] * model.size
    if form.kind == "exact":
        return [balls.maximum(local)] * model.size
    if form.kind == "local":
        return local
    inverse = [1 / v for v in local]
    steps = [[balls.ball(form.gamma * hamming(x, z)) for z in model.histograms] for x in model.histograms]
    return [1 / balls.minimum([v + d for v, d in zip(inverse, row, strict=True)]) for row in steps]


def test_a_form_offered_for_every_epsilon_is_that_of_the_law():
    """Rates in proportion to epsilon, and Delta as the form says: else a theorem would be about something else."""
    model, asked = make_model(5, prior=("1/2", "3")), {"gamma": "1/3", "delta": "1e-8"}
    offered = set()
    for name, kind in REGISTRY.items():
        for gs in ("constant", "exact") if name == "EHD" else (None,):
            given = {p.name: gs if p.name == "gs" else asked.get(p.name) for p in kind.parameters}
            one, other = (make_mechanism(name, model, eps, given) for eps in ("1", "7/3"))
            form = one.exponent()
            if form is None:
                continue
            offered.add(name)
            with balls.precision(128):
                law, scaled = one.law(), other.law()
                deltas = sensitivities(form, model, local_all(law.h))
                for x, delta in zip(model.histograms, deltas, strict=True):
                    assert balls.overlap(law.rate(x), balls.ball(form.e / 2) / delta)
                    assert balls.overlap(scaled.rate(x), law.rate(x) * balls.ball(Fraction(7, 3)))
    assert offered >= {"EHD", "EHDL", "EHDS", "MH"}


@pytest.mark.parametrize("words", [{"n": 5, "eps": "all"}, {"n": "all", "digits": 3}, {"n": 5, "prior": "1..2,1"}])
def test_an_unclaimed_mechanism_is_compared_with_its_nominal_epsilon_everywhere(words):
    found = dpaudit.epsilon("EHDL", **words)
    assert "its documents do not claim it" in str(found)
    assert "\nclaimed" not in str(found)
    told = found.to_dict()
    assert (told["claimed"], told["verdict"]["word"], told["verdict"]["whose"]) == (None, "PROVED", "nominal")
    assert "DP" in told["guarantee"]["text"]
    if words["n"] == "all":
        assert told["witness"] == {"x": [2, "n-2"], "x_prime": [1, "n-1"], "output": [2, "n-2"]}


def test_an_enclosure_wider_than_asked_for_says_so_first(monkeypatch, capsys):
    monkeypatch.setattr("dpaudit.forall.every_epsilon_cover.MOST_INTERVALS", 40)
    assert main(["epsilon", "--mech", "EHD", "--n", "9", "--eps", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].startswith("true ε / ε    at most 0.5")
    assert "at least 0.49" in lines[3]
    assert "wider than requested, see open" in " ".join(lines[2:4])
    assert any(line.startswith("open") for line in lines)


def test_the_progress_of_a_search_is_the_digits_that_are_known():
    told = []
    found = dpaudit.epsilon("EHD", n=9, eps="all", progress=lambda *state: told.append(state))
    assert found.open is None
    shares = [done for done, total in told if total == 15]
    assert len(shares) > 20
    assert shares == sorted(shares)
    assert max(shares) >= 14


def test_the_progress_for_every_n_is_one_scale_up_to_the_end():
    told = []
    dpaudit.epsilon("EHD", n="all", digits=4, progress=lambda *state: told.append(state))
    assert {total for _, total in told} == {1000}
    shares = [done for done, _ in told]
    assert shares == sorted(shares)
    assert any(done <= 500 for done in shares)
    assert shares[-1] == 1000


def test_ties_of_several_pairs_are_known_to_be_in_the_limit():
    """The mirror pair has the same supremum with another prior too: both are largest as epsilon tends to 0."""
    assert dpaudit.epsilon("MH", n=8, prior="1/2,3", score="l1", eps="all").at == {"limit": "0"}


@pytest.mark.parametrize("words", ["--n all", "--n 3 --eps all", "--n 1 --prior 1..2,1"])
@pytest.mark.parametrize("tier", ["fast", "exact"])
def test_a_theorem_has_no_tiers(words, tier, capsys):
    assert main(["epsilon", "--mech", "EHDS", *words.split(), "--tier", tier]) == 2
    assert "a theorem has no tiers" in capsys.readouterr().err


@pytest.mark.parametrize("mech", ["LSZhang", "LSDim", "LSHist"])
def test_where_no_theorem_covers_every_n_a_claim_does(mech):
    with pytest.raises(InputError) as refused:
        dpaudit.epsilon(mech, n="all")
    (identifier,) = re.findall(r"dpaudit check (\S+)`", refused.value.rule)
    (row,) = dpaudit.list_claims([identifier])
    assert (mech in row["statement"], row["establishes"]) == (True, "for all n, by algebra")
