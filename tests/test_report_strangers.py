"""Reports as a stranger asks for them: ties, claims that differ by n, wide enclosures, entries that fail."""

import itertools
import json
from fractions import Fraction
from importlib.resources import files

import pytest

from dpaudit import exp, sqrt
from dpaudit.audit.conclusion import claims_failing, claims_words, fails
from dpaudit.cli import main
from dpaudit.numbers.digits import beside, percent
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports import document, markdown, plan
from dpaudit.reports.answer import exit_code
from dpaudit.reports.block import Block
from dpaudit.reports.collect import epsilon_rows
from dpaudit.reports.findings import against
from dpaudit.reports.matrix import matrix
from dpaudit.reports.report import asked, build
from dpaudit.reports.verdict import facts, headline, severity, whole

F = Fraction
JUST_ABOVE = 1 + F(1, 10**10)


def quiet(_text):
    pass


class Two:
    """Randomised response on two data sets: odds e^loss() : 1."""

    def datasets(self):
        return ["a", "b"]

    def outputs(self):
        return ["a", "b"]

    def probability(self, x, r):
        odds = exp(self.loss())
        return odds / (1 + odds) if x == r else 1 / (1 + odds)

    def claimed(self):
        return 1


class Just(Two):
    """Exceeds its claim by a hair."""

    def loss(self):
        return JUST_ABOVE


class Hair(Two):
    """ln 3 against a claim that is smaller by 10^-40."""

    def probability(self, x, r):
        return F(3, 4) if x == r else F(1, 4)

    def claimed(self):
        return F("1.0986122886681096913952452369225257046474")


class ByN(Two):
    """Claims 2/n and has 1/n, but for n = 3 it is known to a wide enclosure only."""

    def __init__(self, n):
        self.n = n

    def loss(self):
        return F(1, self.n)

    def probability(self, x, r):
        return (F(1, 4), F(3, 4)) if self.n == 3 else super().probability(x, r)

    def claimed(self):
        return F(2, self.n)


class FromFour(Two):
    """There is none with n < 4; it fails from n = 6 on."""

    def __init__(self, n):
        if n < 4:
            raise ValueError("n must be at least 4")
        self.n = n

    def loss(self):
        return 2 if self.n >= 6 else F(1, 2)


class Wide(Two):
    """Its claim is met, and its upper end rounds to more."""

    def probability(self, x, r):
        return ("0.70", "0.75") if x == r else ("0.25", "0.30")

    def claimed(self):
        return F("1.0995")


class Faulty(Two):
    """Its rows do not sum to 1."""

    def probability(self, x, r):
        return F(1, 3)


class OpenAtTwo(Two):
    """At n = 2 nobody knows whether an output is possible."""

    def __init__(self, n=2):
        self.n = n

    def probability(self, x, r):
        first, second = (sqrt(2) * sqrt(2) - 2, F(0)) if self.n == 2 else (F(1, 3), F(1, 2))
        p = first if x == "a" else second
        return p if r == "b" else 1 - p


class Silent(Two):
    """Claims nothing; its nominal epsilon is twice what it spends."""

    def __init__(self, epsilon, n=1):
        self.epsilon = epsilon

    def loss(self):
        return self.epsilon / 2

    def claimed(self):
        return None


def made(mechs, **setting):
    block = Block.read(mechs, **setting)
    return build(plan.Plan("t", block.command(), (block,)), quiet)


def verdicts(mechs, **setting):
    """The rows of the matrix alone."""
    block = Block.read(mechs, **setting)
    return matrix(block, epsilon_rows(block, quiet), quiet)["rows"]


def steps(result):
    (section,) = [section for section in result["sections"] if section["kind"] == "chain"]
    return {step["step"]: step for step in section["rows"]}


# ------------------------------------------------------------------ numbers that show what is said of them


def enclosure(lower, upper=None):
    return {"lower": lower, "upper": upper or lower}


@pytest.mark.parametrize(
    ("value", "bound", "outcome", "shown"),
    [
        (enclosure("1.0000000001"), 1, "REFUTED", "1.0000000001"),
        (enclosure("0.41653125", "0.41653148"), 1, "PROVED", "0.416531"),
        (enclosure("0.999999999999"), 1, "PROVED", "0.999999999999"),
        (enclosure("0.84", "1.0995"), F("1.0995"), "PROVED", "[0.84, 1.0995]"),
        (enclosure("0.666666666666", "0.666666666667"), F(2, 3), "PROVED", "0.666666"),
        (enclosure("0.5", "0.7"), F(2, 3), "PROVED", "[0.5, 2/3]"),
        (enclosure("1"), 1, "PROVED", "1"),
        (enclosure("1", "1.000000000001"), 1, "REFUTED", "(1, 1.000000000001]"),
        (enclosure("1.3", "1.7"), 1, "REFUTED", "[1.3, 1.7]"),
        (enclosure("0.9999999", "1.0000001"), 1, "UNDECIDED", "[0.9999999, 1.0000001]"),
        (enclosure("0", "1.1"), 1, "UNDECIDED", "[0, 1.1]"),
        (enclosure("inf"), 1, "REFUTED", "∞"),
        (enclosure("0.5"), None, None, "0.5"),
    ],
)
def test_a_number_beside_its_bound_shows_the_verdict(value, bound, outcome, shown):
    assert beside(value, None if bound is None else F(bound), outcome) == shown


def test_the_label_of_a_line_shows_the_verdict_too():
    (section,) = [section for section in made(Just)["sections"] if section["kind"] == "epsilon-by-n"]
    assert against(section["rows"][0], 3) == "≈ 1.0000000001"
    (section,) = [section for section in made(Wide)["sections"] if section["kind"] == "epsilon-by-n"]
    assert against(section["rows"][0], 3) == "≤ 1.099"


def test_a_share_shows_it_however_small_and_has_no_power_of_ten():
    assert percent(enclosure("1.0000000001")) == "100.00000001 %"
    assert percent(enclosure("1." + "0" * 40 + "1")) == "100." + "0" * 38 + "1 %"
    assert percent(enclosure("50000000")) == "at least 5000000000 %"


@pytest.mark.parametrize("mechanism", [Just, Hair])
def test_a_claim_that_fails_by_a_hair_is_seen_to_fail(mechanism):
    result = made(mechanism)
    verdict, said = result["verdict"], steps(result)["verdict"]["words"]
    value, bound = said.split(": ")[0].removeprefix("true ε = ").split(" > ")
    assert F(value) > F(bound)
    share = verdict["text"].split(" % of the claim")[0].split()[-1]
    assert F(share) > 100
    assert f"is {value}, " in verdict["text"]
    assert value in markdown.render(result, {}).split("| NOT PRIVATE |")[1].split("\n")[0]


def test_an_enclosure_does_not_contradict_the_verdict():
    result = made(Wide)
    assert result["verdict"]["word"] == "HOLDS ON WHAT WAS AUDITED"
    assert F(result["verdict"]["epsilon"]["upper"]) <= F("1.0995")
    assert F(result["verdict"]["share"]["upper"]) <= 1
    line = markdown.render(result, {}).split("| HOLDS ON WHAT WAS AUDITED |")[1].split("\n")[0]
    assert "1.098612" in line
    assert "1.1" not in line
    assert "[0.8472, 1.099]" in result["verdict"]["text"]


# ------------------------------------------------------------------ which n the words are about


def test_where_claims_differ_the_words_are_about_the_n_that_is_open():
    found = made(ByN, n="1..5")["verdict"]
    assert (found["word"], found["witness"]["n"], found["claim"]) == ("UNDECIDED", 3, "2/3-DP")
    assert "ByN claims 2/3-DP at n = 3 (its claim depends on n)" in found["text"]
    assert "is undecided at n = 3" in found["text"]
    assert found["share"]["lower"] == "0"
    assert F("1.6479184") < F(found["share"]["upper"]) < F("1.6479185"), "ln 3 of 2/3"


def test_the_evidence_is_about_the_claim_at_its_own_n():
    class Shrinks(ByN):
        """Claims 1/n and has 1."""

        def loss(self):
            return 1

        def probability(self, x, r):
            return Two.probability(self, x, r)

        def claimed(self):
            return F(1, self.n)

    result = made(Shrinks, n="2..5")
    found, links = result["verdict"], steps(result)
    assert (found["word"], found["claim"], found["n"], found["smallest_failing_n"]) == ("NOT PRIVATE", "1/2-DP", 2, 2)
    assert percent(found["share"]) == "200 %"
    assert links["claim"]["words"] == "Shrinks claims 1/2-DP at n = 2 (its claim depends on n)"
    assert links["verdict"]["words"] == "true ε = 1 > 1/2: NOT PRIVATE"


def test_of_one_claim_the_open_n_is_the_witness_and_the_largest_is_not_pretended():
    class Same(ByN):
        def claimed(self):
            return 1

    found = made(Same, n="2..5")["verdict"]
    assert (found["word"], found["witness"]["n"], found["witness"]["outcome"]) == ("UNDECIDED", 3, "UNDECIDED")
    assert F(found["epsilon"]["lower"]) == F(1, 2)
    assert F(found["epsilon"]["upper"]) > 1
    assert ", at n = 2" not in found["text"]


def test_an_own_mechanism_is_searched_from_its_first_n_on():
    found = made(FromFour, n="8..9")["verdict"]
    assert found["smallest_failing_n"] == found["witness"]["n"] == 6
    assert found["looked_at"] == "every n from 1 to 6 was looked at; there is no mechanism at n = 1..3"
    assert "FromFour at other n than 4..6,8..9" in found["not_covered"]
    assert "FromFour at other n than 8..9" not in found["not_covered"]


def test_no_claim_says_where_it_was_looked_at():
    found = made(Silent)
    assert headline(found["verdict"]) == "NO CLAIM: true ε stays within its nominal ε on what was audited"
    found = made(Silent, n="2,4")
    assert headline(found["verdict"]) == "NO CLAIM: true ε stays within its nominal ε at n = 2,4"


def test_a_verdict_for_all_n_has_the_number_that_is_true_for_all_n():
    rows = {row["mechanism"]: row for row in verdicts("EHDS,LSHist", n="2..3")}
    smooth, laplace = rows["EHDS"], rows["LSHist"]
    assert smooth["word"] == laplace["word"] == "HOLDS FOR ALL n"
    assert smooth["share"]["upper"] == smooth["theorem"]["supremum"]["upper"]
    assert F(smooth["share"]["lower"]) > F(smooth["epsilon"]["upper"])
    assert smooth["share_where"] == "by its supremum over every n"
    assert "over every n it is at most" in smooth["text"]
    assert smooth["command"] == "dpaudit epsilon --mech EHDS --n all --digits 6"
    assert smooth["command"] in smooth["theorem"]["commands"]
    assert "--n 3" in smooth["witness"]["command"]
    assert laplace["theorem"]["supremum"] is None
    assert laplace["share_where"] == f"at n = {laplace['n']}"
    assert laplace["command"] == "dpaudit check dp.lshist"
    assert f"of the claim at n = {laplace['n']}" in laplace["text"]


def test_what_is_covered_is_said_once_and_not_contradicted():
    found = whole(verdicts("LSDim,LSHist,EHDL", n="20,70", prior="1/100,1/100", eps="1/100"))
    first = [line for line in found["covered"] if line.startswith("every adjacent pair")]
    sizes = "71 data sets, 140 ordered adjacent pairs, 71 outputs"
    assert first == [f"every adjacent pair and output at n = 20,70, up to {sizes}"]
    (fails_at,) = [line for line in found["covered"] if line.startswith("EHDL")]
    (others,) = [line for line in found["not_covered"] if line.startswith("EHDL")]
    last = fails_at.split(" from 1 to ")[1].split()[0]
    assert others.startswith(f"EHDL at other n than 1..{last},")


# ------------------------------------------------------------------ the papers' claims beside the mechanisms


def test_claims_that_do_not_hold_are_in_the_headline_for_every_combination():
    for counts in itertools.product((0, 1, 2), repeat=4):
        found = dict(zip(("PROVED", "REFUTED", "IMPOSSIBLE", "UNDECIDED"), counts, strict=True))
        head = claims_failing(found)
        assert bool(head) == any(counts[1:])
        assert fails(found) == counts[1] + counts[2]
        for name, count in found.items():
            assert (name in head) == (count > 0 and name != "PROVED")
        if head:
            total = sum(counts)
            assert f" of {total} claim{'' if total == 1 else 's'} " in head
    assert claims_words({"PROVED": 7, "REFUTED": 2}) == "9 claims: 7 PROVED, 2 REFUTED"


def test_a_report_with_claims_and_audits_speaks_of_both():
    claims = [
        {"id": verdict, "verdict": verdict, "statement": "s", "establishes": "e"} for verdict in ("PROVED", "REFUTED")
    ]
    shown = {"title": "t", "question": "q", "command": "dpaudit check", "setting": {}}
    sections = [{"kind": "matrix", **shown, "rows": verdicts(Wide)}, {"kind": "claims", **shown, "rows": claims}]
    result = document.make("t", "c", sections, {})
    verdict = result["verdict"]
    assert verdict["claims"] == {"PROVED": 1, "REFUTED": 1}
    assert headline(verdict) == "HOLDS ON WHAT WAS AUDITED; 1 of 2 claims REFUTED"
    assert severity(verdict) == 2
    assert "## HOLDS ON WHAT WAS AUDITED; 1 of 2 claims REFUTED" in markdown.render(result, {})
    alone = whole([], ["found"], {"PROVED": 3})
    assert (headline(alone), severity(alone)) == ("3 claims: 3 PROVED", 6)


def test_accuracy_bounds_that_fail_are_in_the_headline():
    outcomes = ("holds", "fails at 2 of 9 thresholds", "UNDECIDED")
    rows = [{"mechanism": "M", "x": [2, 2], "claim": f"acc.{i}: s", "outcome": o} for i, o in enumerate(outcomes)]
    shown = {"title": "t", "question": "q", "command": "dpaudit accuracy", "setting": {}}
    sections = [{"kind": "matrix", **shown, "rows": verdicts(Wide)}, {"kind": "bounds", **shown, "rows": rows}]
    verdict = document.make("t", "c", sections, {})["verdict"]
    assert verdict["bounds"] == {"holds": 1, "fails": 1, "UNDECIDED": 1}
    failing = "1 of 3 accuracy bounds fail, 1 of 3 accuracy bounds undecided"
    assert headline(verdict) == f"HOLDS ON WHAT WAS AUDITED; {failing}"
    assert severity(verdict) == 4  # it is private: the colour says so
    assert verdict["text"].endswith(f" {failing}: acc.1 of M at x = (2, 2); acc.2 of M at x = (2, 2).")
    alone = whole([], ["found"], None, {"a": "holds", "b": "holds", "c": "holds", "d": "UNDECIDED"})
    assert (headline(alone), severity(alone)) == ("1 of 4 accuracy bounds undecided", 3)
    assert severity(whole([], ["found"], None, {"a": "holds"})) == 6


def test_a_bound_beside_the_distances_counts_too_and_once():
    shown = {"title": "t", "question": "q", "command": "dpaudit accuracy", "setting": {"eps": "1"}}
    drawn = [("", None), ("acc.0 (<=)", "PROVED"), ("acc.0 (<=)", "REFUTED"), ("acc.1 (<=)", "PROVED")]
    distances = [{"mechanism": "M", "bound": bound, "outcome": outcome} for bound, outcome in drawn]
    rows = [{"mechanism": "M", "x": [2, 2], "claim": "acc.1: s", "outcome": "holds"}]
    sections = [
        {"kind": "matrix", **shown, "rows": verdicts(Wide)},
        {"kind": "bounds", **shown, "rows": rows},
        {"kind": "distances", **shown, "x": [2, 2], "rows": distances},
    ]
    made_ = document.make("t", "c", sections, {})
    assert made_["verdict"]["bounds"] == {"holds": 1, "fails": 1}
    assert headline(made_["verdict"]) == "HOLDS ON WHAT WAS AUDITED; 1 of 2 accuracy bounds fail"
    assert "1 of 2 accuracy bounds fail: acc.0 of M at x = (2, 2)." in made_["verdict"]["text"]
    alone = [document.make("t", "c", sections[1:], {})]
    beside = [document.make("t", "c", [sections[0], sections[2]], {})]
    assert (exit_code([made_], True)[0], exit_code(alone, True)[0], exit_code(alone, False)[0]) == (1, 1, 0)
    assert exit_code(beside, True)[0] == 0, "nobody asked for a study of bounds"
    distances[2]["outcome"] = "UNDECIDED"
    alone = [document.make("t", "c", sections[1:], {})]
    assert exit_code(alone, True) == (3, "--require: undecided: 1 accuracy bounds")


# ------------------------------------------------------------------ what fails


def test_an_entry_that_fails_becomes_a_row_and_the_others_are_audited(tmp_path, capsys):
    here = "test_report_strangers"
    mechs = ",".join(f"{here}:{name}" for name in ("Faulty", "OpenAtTwo", "Just"))
    assert main(["report", "--mech", mechs, "--n", "2..3", "--out", str(tmp_path)]) == 3
    out, err = capsys.readouterr()
    assert "could not be audited: OpenAtTwo, Faulty" in err
    assert out.startswith("NOT PRIVATE\n")
    result = json.loads((tmp_path / "result.json").read_text())
    rows = {row["mechanism"]: row for row in result["sections"][0]["rows"]}
    assert [row["word"] for row in rows.values()] == ["NOT PRIVATE", "UNDECIDED", "UNDECIDED"]
    assert "sums to 2/3" in rows["Faulty"]["reason"]
    assert rows["Faulty"]["text"].startswith("Faulty claims 1-DP; it could not be audited: ")
    assert rows["OpenAtTwo"]["reason"].startswith("n = 2: the output b may be possible")
    assert (rows["OpenAtTwo"]["ns"], rows["OpenAtTwo"]["undecided_n"]) == ("3", [2])
    (section,) = [section for section in result["sections"] if section["kind"] == "epsilon-by-n"]
    assert {(row["mechanism"], row["n"]) for row in section["rows"]} == {("OpenAtTwo", 3), ("Just", None)}
    assert "Could not be computed: OpenAtTwo: n = 2: the output" in section["text"]
    assert "sums to 2/3" in (tmp_path / "report.md").read_text()
    schema = json.loads((files("dpaudit.reports") / "schema.json").read_text())
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(result)] == []


def test_what_fails_alone_is_refused_or_open(tmp_path, capsys):
    folder = tmp_path / "none"
    assert main(["report", "--mech", "test_report_strangers:Faulty", "--out", str(folder)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (folder / "result.json").exists()
    assert main(["report", "--mech", "test_report_strangers:OpenAtTwo", "--out", str(tmp_path)]) == 3
    out, _ = capsys.readouterr()
    assert out.startswith("UNDECIDED: OpenAtTwo could not be audited\n")
    assert document.load(str(tmp_path / "result.json"))["verdict"]["covered"] == ["nothing"]


def test_a_section_that_cannot_be_computed_is_named(monkeypatch):
    def broken(*_):
        raise InputError("memory", "2 GiB", "too large")
        yield

    monkeypatch.setattr("dpaudit.reports.report.nominal.true_nominal", broken)
    result = made("LSDim", n="2")
    last = result["sections"][-1]
    assert (last["kind"], last["rows"][0]["what"]) == ("left-out", "LSDim: true ε against nominal ε")
    assert "too large" in markdown.render(result, {})


# ------------------------------------------------------------------ the command


def test_the_command_says_the_verdict_and_where_the_files_are(tmp_path, capsys):
    assert main(["report", "--mech", "test_report_strangers:Just", "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "NOT PRIVATE"
    assert lines[1].startswith("Just claims 1-DP; its true ε is 1.0000000001")
    assert lines[-3:] == [str(tmp_path / name) for name in ("result.json", "report.html", "report.md")]
    assert any(line.split() == ["claim", "1-DP"] for line in lines)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["test_report_strangers:Just"], 1),
        (["test_report_strangers:Just", "--claim", "2"], 0),
        (["test_report_strangers:ByN", "--n", "3"], 3),
        (["test_report_strangers:Wide"], 0),
        (["test_report_strangers:Silent"], 2),
        (["test_report_strangers:Silent", "--claim", "eps=1"], 0),
        (["test_report_strangers:Just,test_report_strangers:ByN", "--n", "3"], 1),
    ],
)
def test_require(words, code, tmp_path, capsys):
    assert main(["report", "--mech", *words, "--require", "--out", str(tmp_path)]) == code
    error = capsys.readouterr().err.replace(PNG, "")
    assert error.count("\n") == (code in (2, 3))


PNG = 'dpaudit: png = left out: charts as PNG need vl-convert: pip install "dpaudit[report]"\n'


def test_a_claim_may_be_given_for_a_table(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text(",a,b,c\nx,1/3,1/3,1/3\ny,0,2/3,1/3\n")
    wanted = asked(str(table), claim="eps=1,delta=1/3")
    found = build(wanted, quiet)
    assert (found["verdict"]["word"], found["verdict"]["claim"]) == ("HOLDS ON WHAT WAS AUDITED", "(1, 1/3)-DP")
    assert percent(found["verdict"]["share"]) == "100 %"
    assert "is asked for (1, 1/3)-DP" in found["verdict"]["text"]
    assert "claims" not in found["verdict"]["text"]
    assert "--claim eps=1,delta=1/3" in found["command"]
    assert found["verdict"]["command"].startswith("dpaudit judge --mech ")
    (tmp_path / "plan.toml").write_text(f"[[audit]]\nmechs = '{table}'\nclaim = 'eps=1,delta=1/4'")
    assert build(plan.read_plan(str(tmp_path / "plan.toml")), quiet)["verdict"]["word"] == "NOT PRIVATE"
    with pytest.raises(InputError, match="goes with --mech"):
        asked(claim="1")


def test_another_claim_is_not_saved_by_the_theorem_on_the_mechanisms_own():
    rows = {c: verdicts("EHDS", n="2..3", claim=c)[0] for c in ("1", "1/2", "1/5", "rho=1/8")}
    assert [row["word"] for row in rows.values()] == [
        "HOLDS FOR ALL n",
        "HOLDS FOR ALL n",
        "NOT PRIVATE",
        "HOLDS ON WHAT WAS AUDITED",
    ]
    assert (rows["1"]["theorem"]["claim"], rows["1/2"]["theorem"]["claim"]) == ("dp.ehds", None)
    assert rows["1/5"]["smallest_failing_n"] == 1


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("title = 3\n[[audit]]\nn = 3", "title = 3: must be text"),
        ("[[audit]]\nn = 3\nmechs = []", "mechs = []: must name one mechanism"),
        ("[[audit]]\nn = 3\nmechs = [3]", "mechs = [3]: must be a name"),
        ("[[audit]]\nn = 3\nmechs = ['EHDS', 'ehds']", "mechs = ehds: is named twice"),
        ("[[audit]]\nn = 3\n[[audit]]\nn = 3", "[[audit]] = n = 3: number 2 is the same as number 1"),
        ("[[study]]\nkind = 'priors'\n[[study]]\nkind = 'priors'", "[[study]] = kind = 'priors': number 2 is the same"),
        ("claims = 3", "claims = 3: must be a list of ids"),
        ("[[audit]]\nn = 3\nclaim = 'x=1'", "claim = x=1: must be a guarantee such as"),
    ],
)
def test_bad_plans_name_key_value_and_rule(toml, said, tmp_path, capsys):
    path = tmp_path / "plan.toml"
    path.write_text(toml)
    assert main(["report", "--plan", str(path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_verdicts_are_those_of_the_rows():
    """Nothing is concluded but from verdicts: the words of every row are in the file."""
    result = made(ByN, n="1..5")
    (section,) = [section for section in result["sections"] if section["kind"] == "epsilon-by-n"]
    assert [row["verdict"] for row in section["rows"]] == [
        Verdict.PROVED,
        Verdict.PROVED,
        Verdict.UNDECIDED,
        Verdict.PROVED,
        Verdict.PROVED,
    ]


# ------------------------------------------------------------------ n that are not there, and n that were not asked for


class Even(Two):
    """There is none with an odd n; what it spends grows with n."""

    def __init__(self, n):
        if n % 2:
            raise ValueError("n must be even")
        self.n = n

    def loss(self):
        return F(self.n, 10)


class Shrinking(Two):
    """Spends 2/n and claims 1/4."""

    def __init__(self, n):
        self.n = n

    def loss(self):
        return F(2, self.n)

    def claimed(self):
        return F(1, 4)


class Boom(Two):
    """From n = 3 on its law cannot be computed, nor at n = 1."""

    def __init__(self, n):
        self.n = n

    def loss(self):
        if self.n == 1 or self.n > 2:
            raise ValueError("boom")
        return 2


def test_an_n_that_the_constructor_refuses_is_no_mechanism_inside_the_range_too():
    found = made(Even, n="4..8")["verdict"]
    assert (found["word"], found["ns"], found["reason"]) == ("HOLDS ON WHAT WAS AUDITED", "4..8..2", None)
    assert "There is no mechanism at n = 5,7: " in found["text"]
    assert "must be even" in found["text"]
    assert "Even at other n than 4..8..2" in found["not_covered"]
    found = made(Even, n="4..14")["verdict"]
    assert (found["word"], found["smallest_failing_n"], found["n"]) == ("NOT PRIVATE", 12, 14)
    assert "there is no mechanism at n = 1..11..2" in found["looked_at"]
    assert "Even at other n than 2..14..2" in found["not_covered"]


def test_the_n_beside_a_lower_bound_is_the_one_it_comes_from():
    class Rows(ByN):
        """Unknown at n = 3, where nothing but 0 is a lower bound."""

        def probability(self, x, r):
            return (F(0), F(1)) if self.n == 3 else Two.probability(self, x, r)

        def claimed(self):
            return 2

    found = made(Rows, n="2..5")["verdict"]
    assert (found["epsilon"], found["n"]) == ({"lower": "0.5", "upper": "inf"}, 2)
    assert "its largest true ε of n = 2,4..5 ≥ 0.5, at n = 2" in found["text"]
    assert dict(facts(found))["true ε"] == "≥ 0.5 at n = 2"
    assert found["witness"]["n"] == 3


def test_what_was_looked_at_below_the_range_counts_in_the_largest():
    found = made(Shrinking, n="3..9")["verdict"]
    assert (found["epsilon"], found["n"], found["smallest_failing_n"]) == ({"lower": "2", "upper": "2"}, 1, 1)
    assert percent(found["share"]) == "800 %"
    assert "Shrinking: n = 1, for the smallest that fails" in found["covered"]
    assert "Shrinking at other n than 1,3..9" in found["not_covered"]


def test_equal_reasons_are_said_once_and_what_is_open_is_not_absent():
    (row,) = verdicts(Boom, n="2..5")
    assert row["reason"].startswith("n = 3..5: ")
    assert row["reason"].count("boom") == 1
    assert row["looked_at"] == "every n from 1 to 2 was looked at; undecided: n = 1"
    assert "Boom at other n than 2" in row["not_covered"]
    (row,) = verdicts(Boom, n="3..5")
    assert row["text"].startswith("Boom claims 1-DP; it could not be audited: n = 3..5: ")


def test_what_could_be_audited_of_one_is_not_said_of_all():
    found = whole([*verdicts(Even, n="4..6"), *verdicts(Boom, n="2..5")])
    audited = [line for line in found["covered"] if line.startswith("every adjacent pair")]
    assert [line.split(", up to")[0] for line in audited] == [
        "every adjacent pair and output of Even at n = 4,6",
        "every adjacent pair and output of Boom at n = 2",
    ]


def test_the_matrix_of_a_claim_that_was_asked_for_has_the_commands_that_judge_it():
    block = Block.read("LSDim", n="2", claim="eps=1")
    lines = matrix(block, epsilon_rows(block, quiet), quiet)["command"].split("\n")
    assert [line.split(" --")[0] for line in lines] == ["dpaudit report", "dpaudit judge"]
    assert all("--claim eps=1" in line for line in lines)


def test_two_tables_are_both_named_by_their_files(tmp_path):
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(",a,b\nx,1/3,2/3\ny,1/2,1/2\n")
    labels = Block.read([str(tmp_path / name) for name in ("one.csv", "two.csv")]).labels
    assert ["one.csv" in labels[0], "two.csv" in labels[1]] == [True, True]
