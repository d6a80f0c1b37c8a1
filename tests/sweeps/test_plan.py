"""Plans: what they expand to, what they refuse, and theorems in them."""

from fractions import Fraction

import pytest

from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.export import combine
from dpaudit.sweeps.plan import expand, read_plan
from dpaudit.sweeps.work import run_batch


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mech = ", "is not TOML"),
        ("n = 5", "every block needs mech"),
        ('mech = "EHDS"', "every block needs n"),
        ('mech = "EHDX"\nn = 5', "did you mean"),
        ('mech = "EHDS"\nn = 5\nepsilon = 1', r"unknown key; did you mean eps\? known: mech, n"),
        ('mechs = ["EHDS"]\nn = 5', r"unknown key; did you mean mech\?"),
        ('mech = "gaussian"\nsigma = 2', "is given by set = {sigma = …}; known: mech"),
        ('mech = "EHDS"\nn = 0', "must be a whole number >= 1"),
        ('mech = "EHDS"\nn = 5\neps = -0.5', "must be > 0"),
        ('mech = "EHDS"\nn = 5\nquantities = "variance"', "must be one of epsilon, delta at E, mean error"),
        ('mech = "EHDS"\nn = {from = 5, to = 9, step = 0}', "a range must increase"),
        ('mech = "EHDS"\nn = {from = 9, to = 5}', "the range is empty"),
        ('mech = "EHDS"\nn = {first = 9}', "a range is"),
        ('mech = "EHDS"\nn = 5\nprior = "1,,1"', "single commas"),
        ('mech = "EHDS"\nn = 5\nx = "1,1"\nquantities = "mean error"', "must sum to n = 5"),
        ('mech = "EHDS"\nn = 5\ntiles = 0', "must be a whole number >= 1"),
        ('audit = 3\nmech = "EHDS"\nn = 5', r"write each block as \[\[audit\]\]"),
        ("audit = []", "it has no jobs"),
    ],
)
def test_bad_plans_are_refused_in_one_line(tmp_path, capsys, text, message):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_plan(str(path))
    assert main(["sweep", str(path), "--out", str(tmp_path / "s.db")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "s.db").exists()


def test_ranges_and_floats_are_exact():
    jobs = expand({"mech": "EHDS", "n": {"from": 1, "to": 1000, "factor": 10}, "eps": ["0.1", "1/3"]})
    assert [job.spec["n"] for job in jobs[::2]] == [1, 10, 100, 1000]
    assert jobs[0].spec["eps"] == "1/10"
    assert [job.spec["parameters"] for job in expand({"mech": ["EHD", "MH"], "n": 3, "gamma": [1, 2]})] == [
        {"gs": "constant"},
        {"gamma": "1"},
        {"gamma": "2"},
    ]


def test_a_large_audit_is_split_into_tiles():
    jobs = expand({"mech": "EHDS", "n": 200_000})
    assert len(jobs) > 1
    assert [job.spec["part"] for job in jobs] == [[i, len(jobs)] for i in range(len(jobs))]
    assert len({job.entry for job in jobs}) == 1
    assert len(expand({"mech": "LSDim", "n": 200_000})) == 1


def test_parameters_of_an_own_mechanism_in_a_plan(tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def __init__(self, epsilon, w): self.weight = epsilon * int(w)\n"
        "    def datasets(self): return [0, 1]\n"
        "    def outputs(self): return [0, 1]\n"
        "    def log_weight(self, x, r): return self.weight if x == r else 0\n"
    )
    (tmp_path / "plan.toml").write_text(f'mech = "{tmp_path}/mine.py:Mine"\nset = {{w = [2, 3]}}\n')
    jobs = read_plan(str(tmp_path / "plan.toml"))
    assert [job.spec["own"] for job in jobs] == [{"w": "2"}, {"w": "3"}]
    done = run_batch([(job.key, job.spec) for job in jobs])
    rows = [combine([(job.spec, "done", out["result"], None, 0.0)]) for job, out in zip(jobs, done, strict=True)]
    assert [row["own"] for row in rows] == ["w=2", "w=3"]
    for w, row in zip((2, 3), rows, strict=True):
        assert w - Fraction(1, 10**9) < Fraction(row["lower"]) <= w <= Fraction(row["upper"])
    for given, rule in (("w = 2", "must be a table"), ({"n": 3}, "has its own key"), ({"w": 2}, "your own mechanism")):
        with pytest.raises(InputError, match=rule):
            expand({"mech": "EHDS", "n": 3, "set": given})


def test_a_prior_in_a_list_is_one_prior_each():
    jobs = expand({"mech": "EHDS", "n": 3, "prior": ["1", "1,3", [1, 3], "(1, 1/2)"]})
    assert [job.spec["prior"] for job in jobs] == ["1,1", "1,3", "1,1/2"], "the same prior is one job"


def test_a_range_with_a_step_is_a_list_of_numbers():
    assert [job.spec["eps"] for job in expand({"mech": "EHDS", "n": 3, "eps": "1..2..1/2"})] == ["1", "3/2", "2"]
    assert [job.spec["eps"] for job in expand({"mech": "EHDS", "n": 3, "eps": {"from": 1, "to": 2}})] == ["1", "2"]
    (job,) = expand({"mech": "EHDS", "n": 3, "eps": " 0.5..2 "})
    assert (job.spec["eps"], job.spec["quantity"]) == ("1/2..2", "ratio")
    (job,) = expand({"mech": "EHDL", "n": " All ", "eps": "all"})
    assert (job.spec["n"], job.spec["eps"], job.spec["quantity"]) == ("all", "all", "ratio")


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"n": "all", "k": 3}, "the theorem for every n covers k = 2, not 3"),
        ({"mech": "LSZhang", "n": "all"}, "known for EHD, EHDL, EHDS and MH, not for LSZhang"),
        ({"mech": "MHdelta", "delta": "1e-8", "n": 3, "eps": "all"}, "MHdelta claims"),
        ({"n": "all", "eps": "1..2"}, "one number, or all"),
        ({"n": "all", "digits": 50}, "must be a whole number >= 1 and <= 40"),
        ({"n": 3, "eps": "all", "quantities": ["epsilon", "delta at 1"]}, "must be epsilon where eps is all"),
        ({"n": 3, "prior": "1..2,1"}, "a box of priors gives a map, not a number"),
        ({"n": 3, "eps": "2..1"}, "must not decrease"),
        ({"mech": "dpaudit.examples.geometric:Geometric", "eps": "all"}, "every ε at once works"),
    ],
)
def test_what_has_no_theorem_is_refused_before_any_work(plan, said):
    with pytest.raises(InputError, match=said):
        expand({"mech": "EHDS", **plan})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("search --mech EHDL --eps all", "--eps = all: must be numbers or a range here; all is for epsilon"),
        ("search --mech EHDL --n all", "--n = all: must be numbers or a range here; all is for epsilon, calibrate"),
        ("compare --n all", "--n = all: must be numbers or a range here; all is for epsilon, calibrate and sweep"),
        ("report --mech EHDS --n 4 --eps all --out a.html", "--eps = all: must be one value here; all or a range"),
    ],
)  # fmt: skip
def test_who_takes_no_theorem_says_who_does(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    assert capsys.readouterr().err.startswith(f"dpaudit: {said}")
