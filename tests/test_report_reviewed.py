"""What reviewers of the reports misread: claims that delta decides, numbers that are not known, what is not shown."""

import json
import operator
import re
import shlex
from fractions import Fraction
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import dpaudit
from dpaudit import sqrt
from dpaudit.cli import main
from dpaudit.examples.geometric import WrongSensitivity
from dpaudit.numbers.digits import decimal, percent, short
from dpaudit.numbers.enclosure import outward
from dpaudit.pictures.chain import Link, folded
from dpaudit.pictures.chain import draw as draw_chain
from dpaudit.pictures.maps import CellMap, Shades, key
from dpaudit.pictures.pair import Losses, Mass, Pair, Stem, surely
from dpaudit.pictures.picture import WIDE
from dpaudit.pictures.svg import width_of
from dpaudit.reports import collect, html, markdown, plan
from dpaudit.reports.block import Block
from dpaudit.reports.charts import figures
from dpaudit.reports.report import build
from dpaudit.reports.tables import table
from dpaudit.reports.tables_some import _top
from dpaudit.reports.verdict import facts, headlines, severity
from dpaudit.reports.words import told_apart
from dpaudit.utility.bounds import BOUNDS

F = Fraction


def made(mechs, **setting):
    block = Block.read(mechs, **setting)
    return build(plan.Plan("t", block.command(), (block,)), lambda _: None)


def of_kind(result, kind):
    (found,) = [section for section in result["sections"] if section["kind"] == kind]
    return found


def drawn(result, kind):
    return figures(of_kind(result, kind), result["sections"])


def told(result):
    return dict(facts(result["verdict"]))


def elements(picture, name, class_):
    tree = ElementTree.fromstring(picture.svg())
    return [element for element in tree.iter(name) if class_ in (element.get("class") or "").split()]


# ------------------------------------------------------------------ a claim that delta decides


class Leaks:
    """Randomised response of ln(3/2), and with probability n/300 data set 1 is told."""

    def __init__(self, n=4):
        self.n = n

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["a", "b", "c"]

    def probabilities(self, x):
        rest = F(self.n, 300) if x else F(0)
        odds = (F(3, 5), F(2, 5)) if x else (F(2, 5), F(3, 5))
        return [*(p * (1 - rest) for p in odds), rest]


def test_a_claim_that_only_delta_breaks_is_told_by_delta():
    result = made(Leaks, n="1..6", claim="eps=1/2,delta=1/100")
    assert result["verdict"]["smallest_failing_n"] == 4
    assert told(result)["decided by"] == "δ(1/2) = 0.0133333 > 1/100, at n = 4"
    assert "The claim fails first at n = 4: δ(1/2) = 0.0133333 > 1/100 (" in result["verdict"]["text"]
    epsilon, delta = drawn(result, "epsilon-by-n")
    assert (
        epsilon.caption
        == "Leaks does not keep what it is asked for, first at n = 4 of those drawn: δ(1/2) = 0.0133333 > 1/100."
    )
    assert "claimed ε = 1/2 (with δ = 1/100)" in epsilon.wide[0].body
    assert "Leaks at n = 4 has δ(1/2) = 0.0133333 > 1/100" in delta.caption
    assert "claimed: 1/100" in delta.wide[0].body
    assert "asked for (1/2, 1/100)-DP" in epsilon.wide[0].body


def test_a_claim_that_delta_keeps_is_not_said_to_be_exceeded():
    (epsilon, _delta) = drawn(made(Leaks, n="1..2", claim="eps=1/2,delta=1/100"), "epsilon-by-n")
    assert epsilon.caption.startswith("Leaks keeps what it is asked for at every n drawn.")
    assert "the true ε alone is above the claimed ε" in epsilon.caption


def test_the_evidence_is_at_the_n_of_the_largest_share():
    result = made("LSDim", n="2..5", k=3, claim="mu=1/2")
    (row,) = of_kind(result, "matrix")["rows"]
    values = {row_["n"]: row_["evidence"]["enclosure"] for row_ in of_kind(result, "epsilon-by-n")["rows"]}
    n = max(values, key=lambda n: F(values[n]["lower"]))
    assert row["share_where"] == f"at n = {n}"
    assert (row["witness"]["n"], of_kind(result, "chain")["n"]) == (n, n)
    assert f"--n {n} " in row["command"]
    assert told(result)["decided by"].endswith(f"≤ 1/2, at n = {n}")


class ByKind:
    """Claims epsilon at odd n, and rho at even ones; always ln 3."""

    def __init__(self, n=1):
        self.n = n

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return [0, 1]

    def probability(self, x, r):
        return F(3, 4) if x == r else F(1, 4)

    def claimed(self):
        return F(self.n, 2) if self.n % 2 else "rho=2"


def test_where_the_claim_differs_by_n_all_words_are_about_one_n():
    result = made(ByKind, n="1..4")
    (row,) = of_kind(result, "matrix")["rows"]
    assert (row["n"], row["smallest_failing_n"], row["witness"]["n"], row["claim"]) == (1, 1, 1, "1/2-DP")
    assert told(result)["claim"] == "1/2-DP at n = 1 (it depends on n)"
    columns, rows = table(of_kind(result, "matrix"))
    assert "true ε" in columns
    assert rows[0][2] == "1/2-DP at n = 1"
    (picture,) = drawn(result, "epsilon-by-n")[0].wide
    assert (
        len([rule for rule in elements(picture, "path", "rule") if rule.get("d").count("L") or "H" in rule.get("d")])
        == 2
    )


class Doubtful:
    """Whether data set y ever says u is not known: the true epsilon is infinite, or beyond every claim."""

    def datasets(self):
        return ["x", "y"]

    def outputs(self):
        return ["u", "v"]

    def probability(self, x, r):
        p = F(1, 2) if x == "x" else sqrt(2) * sqrt(2) - 2
        return p if r == "u" else 1 - p


@pytest.mark.parametrize(
    ("claim", "word", "said"),
    [
        ("eps=3,delta=1/100", "NOT PRIVATE", "δ(3) = 0.5 > 1/100"),
        ("eps=3", "NOT PRIVATE", "δ(3) = 0.5 > 0"),
        ("eps=1,delta=3/4", "HOLDS ON WHAT WAS AUDITED", "δ(1) = 0.5 ≤ 3/4"),
    ],
)
def test_a_claim_is_judged_though_the_true_epsilon_is_not_known(claim, word, said):
    result = made(Doubtful, claim=claim)
    assert (result["verdict"]["word"], told(result)["decided by"]) == (word, said)
    assert result["verdict"]["covered"] != ["nothing"]
    assert told(result)["true ε"].startswith("not known: the output u may be possible for y or not")
    judged = dpaudit.judge(Doubtful, claim)
    assert judged.verdict.value == ("REFUTED" if word == "NOT PRIVATE" else "PROVED")


# ------------------------------------------------------------------ code


class Hangs:
    """Under a it never ends, once in four times."""

    budget = {"seconds": 2}  # noqa: RUF012

    def datasets(self):
        return ["a", "b"]

    def outputs(self):
        return ["s", "t"]

    def sample(self, x, rng):
        if x == "a" and rng.randrange(4) == 0:
            while True: pass  # fmt: skip  # noqa: E701
        return "s" if rng.randrange(2) else "t"

    def claimed(self):
        return 1


def test_a_run_without_an_end_did_not_end_in_one_of_the_outputs():
    found = dpaudit.epsilon(Hangs)
    assert found.claim.verdict.value == "UNDECIDED"
    assert found.epsilon.is_open
    assert not any("ends in one of outputs()" in said for said in found.to_dict()["assumptions"])
    assert (found.counts.outputs, found.counts.told()["outputs"]) == (3, 2)
    assert "2 outputs, and what was not followed as one more" in str(found)


class Tells:
    """The message of the exception has the data."""

    def datasets(self):
        return ["a", "b"]

    def sample(self, x, rng):
        if rng.randrange(2):
            raise ValueError(f"the record is {x}")
        return "ok"

    def claimed(self):
        return 0


def test_of_an_exception_only_the_class_is_seen_and_the_answer_says_so():
    said = "of an exception the class alone is seen: not its message, its traceback or an exit code"
    assert said in dpaudit.epsilon(Tells).to_dict()["assumptions"]
    assert f"Tells rests on: {said}" in made(Tells)["verdict"]["not_covered"]


class Loop:
    """A loop that the budget cuts."""

    budget = {"residual": "1/100"}  # noqa: RUF012

    def datasets(self):
        return [0, 1]

    def sample(self, x, rng):
        while True:
            if rng.random() < rng.random() * 0.5:
                return x
            if rng.random() < 0.5:
                return 2

    def claimed(self):
        return 1


def test_what_was_not_followed_is_not_covered_and_no_assumption():
    result = made(Loop)
    caveats = result["verdict"]["caveats"]
    assert not any("not followed" in said for said in caveats["assumptions"])
    (line,) = [line for line in result["verdict"]["not_covered"] if "was not followed" in line]
    assert line.startswith(f"Loop: at most {caveats['residual']} of the probability was not followed")
    assert all(note in line for note in caveats.get("notes", ()))
    assert "and what was not followed as one more" in result["verdict"]["covered"][0]
    missing = {row["what"]: row["reason"] for row in of_kind(result, "left-out")["rows"]}
    assert "no upper bound" in missing["Loop: the distributions of the worst pair"]


# ------------------------------------------------------------------ the papers' bounds

HOLDS = {"<": operator.lt, "≤": operator.le, ">": operator.gt, "≥": operator.ge}


def test_every_bound_beside_the_distances_reads_true():
    section = of_kind(made("EHD,MH,LSHist", n="6", eps="2"), "distances")
    exact = {(row["mechanism"], row["t"]["lower"]): row["value"] for row in section["rows"] if not row["bound"]}
    seen = set()
    for row in section["rows"]:
        relation = row["bound"].partition(" (")[2][:1]
        if relation in HOLDS:
            p = exact[row["mechanism"], row["t"]["lower"]]
            ends = ("upper", "lower") if relation in "<≤" else ("lower", "upper")
            holds = HOLDS[relation](F(p[ends[0]]), F(row["value"][ends[1]]))
            assert holds == (row["outcome"] == "PROVED"), row
            seen.add((relation, row["outcome"]))
    assert {("≥", "PROVED"), ("≥", "REFUTED"), ("<", "PROVED")} <= seen


def test_a_bound_that_changes_with_the_distribution_is_drawn_in_steps():
    result = made("LSHist", n="6")
    steps = of_kind(result, "distances")["steps"]
    assert steps == [
        f"{b.claim} ({b.below})"
        for b in BOUNDS
        if b.claim in ("acc.4.5.lshist-eq.balanced", "acc.4.5.lshist-lb.balanced")
    ]
    (picture,) = drawn(result, "distances")[0].wide
    exact = elements(picture, "path", "sa")[0].get("d")
    equal = next(path for path in elements(picture, "path", "sb") if "V" in path.get("d")).get("d")
    corners = {tuple(place) for place in re.findall(r"([HV])([\d.]+)", exact)}
    assert {tuple(place) for place in re.findall(r"([HV])([\d.]+)", equal)} <= corners, "the equality lies on the steps"


def test_a_bound_that_two_sections_look_at_counts_once(tmp_path):
    text = '[[audit]]\nmechs = "MH"\nn = "12"\n[[study]]\nkind = "accuracy"\nx = "6,6"\n'
    path = tmp_path / "plan.toml"
    path.write_text(text)
    result = build(plan.read_plan(str(path)), lambda _: None)
    claims = [bound.claim for bound in BOUNDS if "MH" in bound.mechanisms]
    alone = build(plan.read_plan(str(_without_audit(tmp_path, text))), lambda _: None)
    assert result["verdict"]["bounds"] == alone["verdict"]["bounds"]
    assert sum(alone["verdict"]["bounds"].values()) >= len(claims)
    assert main(["report", "--plan", str(path), "--require", "--out", str(tmp_path / "r")]) == 1


def _without_audit(folder, text):
    path = folder / "study.toml"
    path.write_text("[[study]]" + text.partition("[[study]]")[2])
    return path


# ------------------------------------------------------------------ commands


def test_the_commands_of_the_evidence_give_its_numbers(capsys):
    result = made("EHDS", n="1..4")
    section = of_kind(result, "chain")
    shown = {row["step"]: row["value"] for row in section["rows"] if row["value"]}
    answers = []
    for line in section["command"].split("\n"):
        assert main(shlex.split(line)[1:]) == 0
        answers.append(capsys.readouterr().out)
    assert len(answers) == 3
    assert short(shown["loss"])[:6] in answers[0]
    for step, answer in zip(("p", "p_prime"), answers[1:], strict=True):
        assert short(shown[step])[:6] in answer


def test_delta_is_asked_for_where_the_table_has_it():
    for mech, given in (
        ("EHDS", {"n": "3"}),
        (Leaks, {"n": "3", "claim": "eps=1/2,delta=1/100"}),
        ("LSHist", {"n": "4", "eps": "3/7"}),
    ):
        section = of_kind(made(mech, **given), "delta-curves")
        columns, _ = table(section)
        for at in re.findall(r"dpaudit delta .*--at (\S+)", section["command"]):
            heads = {f"δ({at})", f"δ({decimal(at)})"}
            assert any(column.split(",")[0] in heads for column in columns), (at, columns)


def test_the_command_of_a_map_of_priors_is_that_of_the_ringed_cell():
    section = of_kind(made("EHDL", n="1..4", prior="1/100,1/100"), "prior-map")
    worst = max(section["rows"], key=lambda row: F(row["ratio"]["lower"]))
    place = f"--n {worst['n']} --prior {worst['prior']},{worst['prior']}"
    assert place.replace(" --prior 1,1", "") in section["command"]
    (figure,) = figures(section, [section])
    assert f"EHDL at n = {worst['n']}, a = {worst['prior']}" in figure.caption


# ------------------------------------------------------------------ titles and lists


def test_the_titles_of_a_plan_differ(tmp_path):
    path = tmp_path / "plan.toml"
    audits = ['eps = "1"', 'eps = "2"', 'eps = "2"\nclaim = "eps=1"']
    path.write_text("maps = false\n" + "".join(f'[[audit]]\nmechs = "EHDS"\nn = "1..2"\n{more}\n' for more in audits))
    result = build(plan.read_plan(str(path)), lambda _: None)
    titles = [section["title"] for section in result["sections"]]
    assert len(set(titles)) == len(titles)
    assert "True ε against n: ε = 2; claim = 1-DP" in titles
    once = [section for section in result["sections"] if section["kind"] == "matrix"]
    assert told_apart(once)[0]["title"] == once[0]["title"]


def test_two_audits_of_one_setting_with_other_claims_keep_their_own_pictures(tmp_path):
    path = tmp_path / "plan.toml"
    claims = ("eps=1", "eps=1/5")
    path.write_text("maps = false\n" + "".join(f'[[audit]]\nmechs = "EHDS"\nn = "3"\nclaim = "{c}"\n' for c in claims))
    result = build(plan.read_plan(str(path)), lambda _: None)
    curves = [section for section in result["sections"] if section["kind"] == "delta-curves"]
    shown = [figures(section, result["sections"])[0].wide[0].body for section in curves]
    assert ["claimed 1-DP" in body for body in shown] == [True, False]
    assert ["claimed 1/5-DP" in body for body in shown] == [False, True]


def test_failures_beside_what_holds_are_not_green():
    result = made("MH", n="4")
    first, others = headlines(result["verdict"])
    assert first == "HOLDS FOR ALL n"
    assert others.endswith("accuracy bounds fail")
    assert f'{first}; <span class="also">{others}</span>' in html.render(result)


def test_a_table_of_ratios_says_so_in_markdown():
    page = markdown.render(made("EHDS", n="3"), {})
    assert "*True over nominal ε:*\n\n| nominal ε | EHDS |" in page


def test_who_exceeds_everywhere_is_said_to():
    said = of_kind(made("EHD", n="1", prior="1,1/1000"), "true-nominal")["said"]
    assert said == "EHD spends more than the nominal ε at every value drawn."


def test_a_smaller_n_than_asked_for_is_said(monkeypatch):
    monkeypatch.setattr("dpaudit.reports.nominal.LARGEST", {2: 3})
    section = of_kind(made("EHDS", n="2..4"), "true-nominal")
    assert section["text"] == "This is at n = 3, not at n = 4, for its cost: it says nothing of larger n."
    assert "text" not in of_kind(made("EHDS", n="2..3"), "true-nominal")


# ------------------------------------------------------------------ pictures


def test_the_map_has_the_violation_that_the_verdict_names():
    result = made(WrongSensitivity, n="5")
    assert not [section for section in result["sections"] if section["kind"] == "loss-map"]
    largest = max(F(loss["lower"]) for row in of_kind(result, "loss-data")["rows"] for loss in row["losses"] if loss)
    assert short({"lower": str(float(largest)), "upper": "2"}) == result["verdict"]["epsilon"]["lower"] == "2"


def test_outputs_of_two_cells_that_are_not_a_line_are_not_drawn_as_one():
    assert of_kind(made("EHDS", n="3"), "worst-pairs")["flat"]
    assert not of_kind(made("LSZhang", n="3"), "worst-pairs")["flat"]


class Vague:
    """Known to intervals."""

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["a", "b"]

    def probabilities(self, x):
        ends = [("3/10", "4/10"), ("6/10", "7/10")] if x else [("1/2", "6/10"), ("4/10", "1/2")]
        return [tuple(map(F, both)) for both in ends]


def test_the_lower_end_of_delta_does_not_rise():
    rows = of_kind(made(Vague, claim="eps=1/2"), "delta-curves")["rows"]
    for end in ("lower", "upper"):
        values = [F(row["delta"][end]) for row in rows]
        assert values == sorted(values, reverse=True)


def test_a_small_claimed_delta_is_not_called_zero():
    near, far = (drawn(made("MHdelta", n="3", delta=delta), "delta-curves")[0] for delta in ("1e-4", "1e-30"))
    for figure, at_foot in ((near, False), (far, True)):
        (mark,) = elements(figure.wide[0], "circle", "ring")
        (axis, *_) = elements(figure.wide[0], "path", "axis")
        low = float(axis.get("d").rpartition(" ")[2]) - float(mark.get("cy"))
        assert (low < 1) == at_foot
        assert ("with a δ below the picture at the foot" in figure.caption) == at_foot
        assert "δ = 0" not in figure.caption


def test_a_delta_that_would_rise_is_cut_by_its_neighbours(monkeypatch):
    ends = iter([("0.1", "0.3"), ("0.2", "0.4")])

    def rising(_mechanism, points):
        return [SimpleNamespace(value=outward(*map(F, next(ends, ("0", "0.1"))), 6)) for _ in points]

    monkeypatch.setattr(collect, "_deltas", rising)
    rows = of_kind(made(Vague, claim="eps=1/2"), "delta-curves")["rows"]
    assert [(row["delta"]["lower"], row["delta"]["upper"]) for row in rows[:3]] == [("0.2", "0.3")] * 2 + [("0", "0.1")]


def test_delta_at_the_claimed_epsilon_has_the_digits_that_decided():
    result = made(Leaks, n="4", claim="eps=1/2,delta=1/100")
    (at,) = [row["delta"] for row in of_kind(result, "delta-curves")["rows"] if row["at"] == "1/2"]
    assert at == of_kind(result, "epsilon-by-n")["rows"][-1]["evidence"]["enclosure"]
    assert F(at["upper"]) - F(at["lower"]) < F(1, 10**25)


def test_far_beyond_the_range_one_is_named_whose_predecessor_holds(monkeypatch):
    monkeypatch.setattr("dpaudit.reports.judged.MOST_LOOKED", 5)
    (row,) = of_kind(made("EHDL", n="2..4", prior="1/100,1/100", eps="1/100"), "matrix")["rows"]
    far = row["theorem"]["fails_at"]
    assert far["looked_at"] == "of those audited; smaller ones were not all looked at"
    setting = {"prior": "1/100,1/100", "eps": "1/100"}
    before, here = (dpaudit.epsilon("EHDL", n=n, **setting).epsilon for n in (far["n"] - 1, far["n"]))
    assert before.upper < F(1, 100) < here.lower
    assert f"exceeds its nominal ε = 1/100 at n = {far['n']} (" in row["text"]


def test_what_may_be_the_largest_is_not_called_so():
    class Opens(Vague):
        def __init__(self, n=1):
            self.n = n

    notes = [row[-1] for row in table(of_kind(made(Opens, n="1..3", claim="eps=1"), "epsilon-by-n"))[1]]
    assert notes[0] == "may be the largest"
    near = {"lower": "0.5", "upper": "0.50000001"}, {"lower": "0.50000001", "upper": "0.50000002"}
    assert _top([{"n": n, "epsilon": value} for n, value in enumerate(near)]) == "may be the largest"
    assert _top([{"n": n, "epsilon": near[0]} for n in range(2)]) == "the largest, one of 2 as large"
    assert _top([{"n": 0, "epsilon": near[0]}, {"n": 1, "epsilon": {"lower": "1", "upper": "1"}}]) == "the largest"
    columns, rows = table(of_kind(made("LSHist", n="1..3"), "epsilon-by-n"))
    assert rows[0][columns.index("of note")] == "the largest, one of 3 as large"
    columns, _ = table(of_kind(made(Vague, claim="eps=1"), "epsilon-by-n"))
    assert columns == ["Vague"]


def test_a_loss_that_is_not_known_is_a_light_bar():
    stems = [
        Stem(0.0, "a", (0.5, 0.6), (0.3, 0.4), (0.2, 0.7), ""),
        Stem(1.0, "b", (0.4, 0.4), (0.6, 0.6), (-0.4, -0.4), ""),
    ]
    picture = Pair("h", "x", "y", stems, 0, "", False, (-0.4, 0.7)).draw("alt")
    (light,), (solid,) = (
        elements(picture, "path", "open"),
        [path for path in elements(picture, "path", "stem") if "q14" in path.get("class")],
    )
    zero, top = map(float, re.match(r"M[\d.]+ ([\d.]+)V([\d.]+)$", solid.get("d")).groups())
    size = float(re.search(r"v([\d.]+)", light.get("d"))[1])
    assert (zero - top) / size == pytest.approx(0.2 / 0.5, abs=0.03), "solid to 0.2, light from there to 0.7"
    assert len(elements(picture, "path", "thin")) == 2, "both probabilities of the first output are not known"
    assert [surely(span) for span in ((0.2, 0.7), (-0.7, -0.2), (-0.1, 0.1))] == [0.2, -0.2, 0.0]


def test_the_distribution_of_a_loss_that_is_not_known_is_wide_and_light():
    masses = [Mass((0.2, 0.7), (0.5, 0.6), ""), Mass((-0.4, -0.4), (0.4, 0.4), "")]
    picture = Losses("h", masses, 0.7, 0.6).draw("alt")
    assert len(elements(picture, "path", "open")) == 1
    assert len(elements(picture, "path", "q2")) == 1
    assert ["V" in path.get("d") for path in elements(picture, "path", "stem")] == [True, False], "one is known"
    whole = Losses("h", [Mass((0.1, 0.1), (1.0, 1.0), "")], 0.7, 1.0).draw("alt")
    assert "1.5" not in whole.body.split("probability under x")[0], "no probability is larger than 1"


def test_cells_that_are_not_known_to_a_colour_are_struck_through():
    shades = Shades.around(1.0)
    assert shades.unsure(0.1, 0.9)
    assert not shades.unsure(0.1, 0.1000001)
    picture = CellMap(
        "m", {(0, 0): 0.5, (1, 0): 0.1}, ["a", "b"], ["x"], shades, "o", "d", struck=frozenset({(0, 0)})
    ).draw("")
    (stroke,) = elements(picture, "path", "struck")
    assert stroke.get("d").count("M") == 1
    caption = drawn(made(Vague, claim="eps=1/2"), "loss-data")[0].caption
    assert caption.endswith("Struck through: known to an enclosure that is wider than a colour.")


def test_each_side_of_the_nominal_epsilon_has_all_of_its_colours():
    shades = Shades(0.3, 1.05, 1.0)
    assert (shades(0.3), shades(1.0), shades(1.05)) == ("q0", "q8", "q16")
    below = Shades(0.3, 1.0, 1.0)
    assert (below.kinds, below(0.3), below(1.0)) == (tuple(f"q{i}" for i in range(9)), "q0", "q8")
    assert "1.05" in key(shades, "t").body
    assert Shades(0.0, 1.0, None)(1.0) == "h12"


def test_no_words_of_the_evidence_run_out_of_their_box():
    numbers = "δ(0.0001) = 0.01000000000000000000000000000001 > 1/100"
    links = [
        Link("the claim", "M is asked for (0.0001, 0.01)-DP"),
        Link("the pair", "x = 1, x′ = 0"),
        *[Link("both", "", numbers)] * 4,
    ]
    picture = draw_chain(links, WIDE, "alt")
    tree = ElementTree.fromstring(picture.svg())
    boxes = [float(box.get("width")) for box in tree.iter("rect") if "box" in box.get("class")]
    assert sum(boxes) <= WIDE
    for room in (40.0, 90.0):
        assert all(width_of(line, 14.5) <= room for line in folded(numbers, room, 14.5))
    groups = [[text.text for text in group.iter("text")] for group in tree.iter("g")]
    for side, lines in zip(boxes, groups, strict=True):
        assert all(width_of(line) <= side for line in lines), lines
    assert "".join(groups[2][1:]).replace(" ", "") == numbers.replace(" ", ""), "nothing is lost"


def test_the_verdict_beside_a_bar_is_whole():
    for mech, given in ((Vague, {"claim": "eps=1/2"}), ("EHDL", {"n": "2"})):
        (picture,) = drawn(made(mech, **given), "matrix")[0].wide
        assert "…" not in picture.body
    (picture,) = drawn(made(Leaks, n="2", claim="eps=1/2,delta=1/100"), "matrix")[0].wide
    assert "66.7 % of δ," in picture.body


class Impossible:
    """One output gives the data set away; the other mechanism's losses are small and frequent."""

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return [0, 1, 2]

    def probabilities(self, x):
        return [F(1, 10), F(9, 10), 0] if x else [0, F(9, 10), F(1, 10)]


class Constant:
    """Says one thing."""

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["only"]

    def probability(self, x, r):
        return 1


def test_the_caption_of_the_losses_names_the_infinite_one_first():
    block = Block.read([Impossible(), ByKind(2)])
    result = build(plan.Plan("t", "", (block,)), lambda _: None)
    caption = drawn(result, "worst-pairs")[1].caption
    assert "Impossible has an infinite loss with probability about 0.1" in caption
    assert drawn(made(Constant, claim="eps=0"), "worst-pairs")[1].caption.endswith(
        "Constant loses nothing: every loss is 0."
    )


def test_a_huge_share_has_few_digits():
    assert percent({"lower": "248278991.1018", "upper": "248291160.256"}) == "at least 24000000000 %"
    assert percent({"lower": "20", "upper": "20"}) == "2000 %"


def test_the_heads_of_a_table_of_delta_are_spelled_alike():
    columns, _ = table(of_kind(made("EHDS", n="2"), "delta-curves"))
    steps = [re.match(r"δ\((.*)\)$", column) for column in columns[1:]]
    assert all(re.fullmatch(r"[\d.]+", found[1]) for found in steps if found)
    assert "δ(0.25)" in columns


class Mixed:
    """Counts, and now and then no answer."""

    def datasets(self):
        return [0, 1, 2]

    def neighbours(self, x):
        return [y for y in (x - 1, x + 1) if 0 <= y <= 2]

    def outputs(self):
        return [0, 1, 2, "none"]

    def probability(self, x, r):
        return F(2, 5) if r == x else F(1, 5)


def test_counts_and_text_among_the_outputs_have_a_map_by_name():
    result = made(Mixed, claim="eps=1")
    assert [row["x"] for row in of_kind(result, "loss-data")["rows"]] == ["0", "1", "2"]


def test_two_audits_of_one_mechanism_are_told_apart_wherever_it_is_named(tmp_path):
    path = tmp_path / "plan.toml"
    audits = ['eps = "1"\nclaim = "eps=0.65"', 'eps = "1/2"\nclaim = "eps=0.65"']
    path.write_text("maps = false\n" + "".join(f'[[audit]]\nmechs = "EHDL"\nn = "3..5"\n{more}\n' for more in audits))
    result = build(plan.read_plan(str(path)), lambda _: None)
    rows = of_kind(result, "matrix")["rows"]
    assert {row["mechanism"] for row in rows} == {"EHDL, ε = 1", "EHDL, ε = 1/2"}
    assert {row["label"] for row in rows} == {"EHDL"}
    assert result["verdict"]["mechanism"] == "EHDL, ε = 1", "it fails beyond the range, the other for no n"
    assert any(line.startswith("EHDL, ε = 1 at other n") for line in result["verdict"]["not_covered"])
    assert "every n ≥ 1, by a theorem: EHDL, ε = 1/2 (the supremum over n)" in result["verdict"]["covered"]


def test_a_claim_that_fails_beyond_the_range_is_not_met(tmp_path, capsys):
    words = ["report", "--mech", "EHDL", "--n", "3..5", "--claim", "eps=0.65", "--out", str(tmp_path)]
    assert main([*words, "--require"]) == 1
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "fails beyond" in out
    (line,) = {line for line in out.splitlines() if line.startswith("fails beyond")}
    command = line.split("check it: ")[1]
    assert main([*shlex.split(command)[1:], "--require"]) == 1
    found = json.loads((tmp_path / "result.json").read_text())
    assert severity(found["verdict"]) == 2
    (row,) = table(of_kind(found, "matrix"))[1]
    assert "; fails at n = 31, not asked for" in row[6]


class MayBeZero(Vague):
    """An entry of which nobody knows whether it is 0."""

    def probabilities(self, x):
        return [(F(0), F(1, 10)), (F(9, 10), F(1))] if x else [(F(1, 20),) * 2, (F(19, 20),) * 2]


def test_a_claim_that_is_decided_without_a_true_epsilon_has_its_evidence_and_its_command(capsys):
    result = made(MayBeZero, claim="eps=1,delta=1/5")
    assert result["verdict"]["word"] == "HOLDS ON WHAT WAS AUDITED"
    assert [row["step"] for row in of_kind(result, "chain")["rows"]] == ["claim", "pair", "loss", "verdict"]
    assert told(result)["share"].startswith("at most ")
    (lost,) = of_kind(result, "left-out")["rows"]
    assert lost["what"] == "MayBeZero: all but its verdict"
    assert {row["quantity"] for row in of_kind(result, "facts")["rows"]} >= {"mechanism"}
    undecided = made(MayBeZero, claim="eps=1,delta=1/25")
    assert undecided["verdict"]["word"] == "UNDECIDED"
    assert "could not be audited" not in undecided["verdict"]["text"]
    assert undecided["verdict"]["covered"] != ["nothing"]


def test_the_number_that_decides_has_its_column():
    columns, rows = table(of_kind(made(Leaks, n="1..6", claim="eps=1/2,delta=1/100"), "epsilon-by-n"))
    at = columns.index("δ(1/2)")
    assert [row[at]["shown"] for row in rows[2:4]] == ["0.01", "0.0133333"]


def test_the_worst_of_trade_off_claims_has_the_least_margin():
    rows = of_kind(made("MH,LSHist", n="2", claim="f=0:1;1/4:1/2;1:0"), "matrix")["rows"]
    margins = [F(row["witness"]["evidence"]["enclosure"]["lower"]) for row in rows]
    assert margins == sorted(margins)
    assert all(", < 0" in row["text"] for row in rows)


class Even(ByKind):
    """There is one for even n only."""

    def __init__(self, n=2):
        super().__init__(n)
        if n % 2:
            raise ValueError("n must be even")


def test_an_n_that_is_refused_at_the_end_of_a_range_is_said_and_the_others_are_audited():
    (row,) = of_kind(made(Even, n="2..7"), "matrix")["rows"]
    assert row["ns"] == "2..6..2"
    assert row["absent"].startswith("n = 3..7..2: ")
    assert "n must be even" in row["absent"]


def test_the_plan_stands_in_the_markdown(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('maps = false\n[[audit]]\nmechs = "EHDS"\nn = "2"\n')
    page = markdown.render(build(plan.read_plan(str(path)), lambda _: None), {})
    assert page.endswith('The plan:\n\n    maps = false\n    [[audit]]\n    mechs = "EHDS"\n    n = "2"\n')


def test_the_bar_of_what_fails_beyond_the_range_is_not_that_of_what_holds():
    for given, said in (({"claim": "eps=0.65"}, "fails at n = 31"), ({"prior": "1/10,1/10"}, "exceeds it at n = 137")):
        (picture,) = drawn(made("EHDL", n="3..5", **given), "matrix")[0].wide
        assert said in picture.body
        assert len(elements(picture, "rect", "fopen")) == 1


class Between:
    """One row is vague; the other two are known, and tell more than the vague one must."""

    def datasets(self):
        return ["a", "b", "c"]

    def outputs(self):
        return [0, 1]

    def probabilities(self, x):
        rows = {"a": [F(1, 2)] * 2, "b": [(F(0), F(1, 5)), (F(4, 5), F(1))], "c": [F(1, 20), F(19, 20)]}
        return rows[x]


def test_what_is_certain_of_one_pair_is_certain_of_the_maximum():
    found = dpaudit.delta(Between, at=1).delta
    assert F("0.36408") < found.lower < F("0.36409")
    assert found.upper >= F(1, 2)
    for claim in ("eps=1,delta=3/10", "eps=1"):
        judged = dpaudit.judge(Between, claim)
        assert judged.verdict.value == "REFUTED"
        assert (judged.claim.evidence.witness.x, judged.claim.evidence.witness.x_prime) == ("a", "c")
    held = dpaudit.judge(MayBeZero, "eps=1,delta=1/10").claim.evidence.witness
    assert (held.x, held.x_prime) == (0, 1), "the pair whose delta may be so large, not one where it is 0"


def test_an_open_claim_that_fails_beyond_the_range_says_so_and_is_not_met(tmp_path, capsys):
    words = ["report", "--mech", "EHDL", "--n", "1", "--claim", "eps=1/2", "--out", str(tmp_path), "--require"]
    assert main(words) == 1
    out = capsys.readouterr().out
    assert out.startswith("UNDECIDED; the claim fails first at n = 2, beyond what was asked for")
    assert "true ε is 0.5 to 60 digits" in out
    assert max(map(len, (tmp_path / "report.md").read_text().splitlines())) < 2000


def test_who_has_no_bar_is_named():
    figure = drawn(made("MH,EHDS", n="2", claim="f=0:1;1/4:1/2;1:0"), "matrix")
    assert figure == []
    block = [Block.read("MH", n="2", claim="f=0:1;1/4:1/2;1:0"), Block.read("EHDS", n="2")]
    result = build(plan.Plan("t", "", tuple(block)), lambda _: None)
    assert drawn(result, "matrix")[0].caption.endswith("Not drawn, as no share is known: MH.")
