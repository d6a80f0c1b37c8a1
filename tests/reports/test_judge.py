"""The finding on one mechanism: the statement over all n, the first n that fails, the evidence; each question once."""

import re
from fractions import Fraction

import pytest
from mpmath import mp

import dpaudit
from dpaudit.audit import questions, second_path
from dpaudit.audit.judgement import Whose
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.reference import definitions as reference
from dpaudit.reports.block import Block
from dpaudit.reports.document import Document
from dpaudit.reports.judge import finding
from dpaudit.reports.words import covered_lines

P, R, U = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
RESPONSE = "dpaudit.examples.randomized_response:RandomizedResponse"


def quiet(_words):
    pass


def found(mech, progress=quiet, every_n=False, **setting):
    (case,) = Block.read(mech, **setting).cases
    return finding(case, progress, every_n)


class Doubled:
    """Exactly 2n-DP in disguise: it claims 2-DP, which fails from n = 2 on, and has no n = 4."""

    def __init__(self, n=1):
        if int(n) == 4:
            raise ValueError("four is not possible")
        self.n = int(n)

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["no", "yes"]

    def probabilities(self, x):
        share = Fraction(1, 1 + 3**self.n)
        return [1 - share, share] if x else [share, 1 - share]

    def claimed(self):
        return "2"


class Blurred:
    """Known to wide enclosures alone: its true ε lies on both sides of what it claims."""

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["no", "yes"]

    def probabilities(self, x):
        return [("1/4", "1/2"), ("1/2", "3/4")] if x else [("1/2", "3/4"), ("1/4", "1/2")]

    def claimed(self):
        return "1/2"


class Silent(Blurred):
    """Nothing is claimed, and there is no nominal ε."""

    claimed = None

    def probabilities(self, x):
        return ["1/4", "3/4"] if x else ["3/4", "1/4"]


class Endless:
    """Code without an end that is certain: an ε is never proved, and a δ is left."""

    def datasets(self):
        return [0, 1]

    def sample(self, x, rng):
        count = x
        while rng.random() < 0.75:
            count = count * 2 + 1
        return count % 5

    def claimed(self):
        return "2"


TEXTS = [
    ("EHDS", {"n": "1..4"}, "1-DP: PROVED for every n; uses 45 % of the claim"),
    ("EHD", {"n": "1..2", "prior": "1/100,1/100"}, "1-DP: REFUTED, first at n = 1; exceeds by "),
    (
        "EHDL",
        {"n": "3..5"},
        "1-DP (its nominal ε; its documents do not claim it): PROVED for every n; uses 93 % of the nominal ε",
    ),
    ("EHDS", {"n": "1..4", "claim": "eps=1/5"}, "1/5-DP: REFUTED, first at n = 1; exceeds by "),
    (RESPONSE, {}, "1-DP: PROVED; uses 100 % of the claim"),
    (Doubled, {"n": "1..3"}, "2-DP: REFUTED, first at n = 2; exceeds by 64 % at n = 3 (where δ = "),
    (Blurred, {}, "1/2-DP: UNDECIDED, true ε in "),
]


def test_what_is_open_says_with_which_delta_it_is_proved():
    one = found(Endless)
    delta = one.judgement.margin.repairing_delta.upper
    assert one.judgement.verdict is U
    assert 0 < delta < Fraction(1, 10**4)
    words = re.search(r"\(δ = (\S+) would prove it\)", one.judgement.margin_text())[1]
    assert dpaudit.judge(Endless, claim=f"eps=2,delta={words}").claim.verdict is P
    assert "guesses yours with probability at most 0.88" in one.person
    assert one.person.endswith(f"outputs of probability at most {words} may give it away")


@pytest.mark.parametrize(("mech", "setting", "text"), TEXTS)
def test_the_statement_in_a_line(mech, setting, text):
    assert found(mech, **setting).judgement.text().startswith(text)


def test_the_numbers_of_the_evidence_are_those_of_the_definition():
    one = found("EHD", n="1..2", prior="1/100,1/100")
    proof = one.proof
    assert (proof.n, one.judgement.first_n) == (1, 1)
    prior = (Fraction(1, 100),) * 2
    with mp.workdps(30):
        p, q = (reference.pmf("EHD", 1, prior, x, eps=1)[proof.output] for x in (proof.x, proof.x_prime))
        for value, exact in ((proof.p, p), (proof.p_prime, q), (proof.value, mp.log(p / q))):
            assert reference.to_mpf(value.lower) <= exact * (1 + mp.mpf(10) ** -25)
            assert exact * (1 - mp.mpf(10) ** -25) <= reference.to_mpf(value.upper)


def test_the_smallest_n_is_no_artefact_of_the_range():
    """45 is the first of all n; with 50 alone the n below it are searched, each once."""
    one = found("EHDL", n="50", prior="1/100,1/100", eps="1/100")
    assert one.judgement.first_n == one.proof.n == 45
    assert set(range(1, 46)) < set(one.ns)


def test_a_failure_beyond_the_range_is_found_by_the_theorem():
    one = found("EHDL", n="1..5", prior="1/100,1/100", eps="1/100")
    assert (one.judgement.verdict, one.judgement.first_n) == (R, 45)


def test_what_has_no_mechanism_is_said():
    one = found(Doubled, n="1..5")
    assert one.judgement.first_n == 2
    assert any(words.startswith("n = 4: ") and words.endswith("four is not possible") for words in one.lost)


def test_a_theorem_is_not_outvoted_nor_does_it_outvote():
    one = found("EHDS", n="1..3", every_n=True)
    assert one.judgement.extent.every
    assert one.every_n.supremum.upper < Fraction(1, 2)
    assert one.command.startswith("dpaudit epsilon --mech EHDS --n all")


def test_every_n_of_what_no_theorem_knows_is_refused():
    with pytest.raises(InputError, match="no theorem knows it"):
        Block.read(RESPONSE, n="all")


def test_nothing_stated_is_no_verdict():
    one = found(Silent)
    assert one.judgement is None
    assert one.epsilon.contains(Fraction(0)) is False
    assert "at most 0.7501 " in one.person


def test_for_a_person():
    assert found(RESPONSE).person == (
        "someone who knows every other record guesses yours with probability at most 0.7311 (blind: 0.5)"
    )


class Clearing(Blurred):
    """As blurred for n = 1; for n = 2 exactly ln(3/2)."""

    claimed = None

    def __init__(self, n=1):
        self.n = int(n)

    def probabilities(self, x):
        return super().probabilities(x) if self.n == 1 else ["2/5", "3/5"] if x else ["3/5", "2/5"]


def test_a_wide_enclosure_at_another_n_is_not_forgotten():
    both = found(Clearing, n="1..2")
    assert both.epsilon_n == 2
    assert str(both.epsilon.beside(None, 4)) == "[0.4054, 1.0987]"
    assert "with probability at most 0.7501 (blind: 0.5)" in both.person


class Coin(Silent):
    """A fair coin, or the truth: its law is found by following the code."""

    probabilities = outputs = None

    def sample(self, x, rng):
        return rng.getrandbits(1) if rng.getrandbits(1) else x


CHECKED = [
    ("EHDS", {"n": "3"}, "two paths of the engine"),
    (RESPONSE, {}, "mpmath, by code that shares nothing"),
    (Silent, {}, "mpmath, by code that shares nothing"),
    (Coin, {}, "mpmath, from the same table"),
]


@pytest.mark.parametrize(("mech", "setting", "who"), CHECKED)
def test_what_is_small_enough_is_checked(mech, setting, who):
    """Where the second path refuses a mechanism, mpmath is asked all the same."""
    (line,) = found(mech, **setting).checked
    assert line.startswith(who)
    assert "agree" in line


class Count:
    """A noisy count: its output is a real number."""

    def datasets(self):
        return [0, 1]

    def sample(self, x, noise: dpaudit.Noise):
        return x + noise.laplace(3)


class Normal(Count):
    """The same with losses that have no bound."""

    def sample(self, x, noise: dpaudit.Noise):
        return x + noise.gaussian(3)


def test_real_numbers_have_a_finding_and_say_who_could_not_check_it():
    one = found(Count, claim="1/4")
    assert one.judgement.verdict is R
    assert one.epsilon.contains(Fraction(1, 3))
    assert one.proof.p is None
    assert one.checked[0].startswith("nobody: the outputs are real numbers")
    (covered,) = covered_lines(Document("t", "c", findings=(one,)))
    assert covered == "every neighboring pair and output (2 ordered pairs, outputs are real numbers)"
    proved = found(Normal, claim="eps=1,delta=1/100")
    assert "may give it away" not in proved.person, "no output of Gaussian noise gives a record away"
    unbounded = found(Normal)
    assert unbounded.epsilon.is_infinite
    assert "impossible" not in unbounded.person, "every output of Gaussian noise is possible"


def test_two_paths_must_agree(monkeypatch):
    one = found("EHDS", n="3")
    assert one.checked[0].startswith("two paths of the engine, which agree at n = 3")
    real = questions.epsilon

    def wrong(mech, tier="auto", **more):
        result = real(mech, **more)
        if tier != "auto":
            object.__setattr__(result, "epsilon", result.epsilon.times(2))
        return result

    monkeypatch.setattr(second_path.questions, "epsilon", wrong)
    with pytest.raises(AssertionError, match="two paths of the engine disagree"):
        found("EHDS", n="3")


def test_each_question_is_asked_once(monkeypatch):
    """11 n: one true ε each, and one more by the second path; the search for the smallest n asks the rest."""
    asked = []
    real = questions.epsilon

    def counted(mech, **more):
        asked.append((mech.model.n, more.get("tier", "auto")))
        return real(mech, **more)

    monkeypatch.setattr("dpaudit.reports.block.audit.epsilon", counted)
    found("EHDS", n="10..20")
    assert len(asked) == len(set(asked)) == 12


@pytest.mark.parametrize(
    ("mech", "setting", "whose"),
    [("EHDS", {}, Whose.CLAIMED), ("EHDS", {"claim": "rho=1/2"}, Whose.ASKED), ("EHDL", {}, Whose.NOMINAL)],
)
def test_whose_statement_it_is(mech, setting, whose):
    assert found(mech, n="2", **setting).judgement.whose is whose
