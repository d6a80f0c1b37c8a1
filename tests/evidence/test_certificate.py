"""Certificates are accepted when they are true; deliberate engine bugs and changed numbers are caught."""

import copy
import json
import sys
from fractions import Fraction as Fr
from types import SimpleNamespace
from unittest.mock import Mock

import certificates
import pytest
from certificates import FAMILY, OWN, changed, make, outcome

import dpaudit
from dpaudit.cli import main
from dpaudit.evidence import certificate
from dpaudit.evidence.verifier import reading
from dpaudit.evidence.verifier.arithmetic import Malformed
from dpaudit.evidence.verifier.core import Rejected, Unconfirmed
from dpaudit.mechanisms import exponential, laplace, mhdelta
from dpaudit.numbers import balls
from dpaudit.privacy import loss as privacy_loss


@pytest.mark.parametrize("case", FAMILY + OWN, ids=lambda case: case[0].rpartition(":")[2])
def test_what_the_engine_finds_is_accepted(case):
    for at in (None, "0", "1/3"):
        found = json.loads(json.dumps(make(case, at)))
        assert outcome(found) is None
        assert outcome(found, full=True) is None


def test_bounds_that_are_not_met_are_rejected():
    shift = lambda text: f"{(Fr(text) + Fr(1, 10**12)).limit_denominator(10**40)}"  # noqa: E731
    back = lambda text: f"{(Fr(text) - Fr(1, 10**12)).limit_denominator(10**40)}"  # noqa: E731
    for case in FAMILY + OWN:
        for at in (None, "1/3"):
            found = make(case, at)
            if found["statement"]["lower"] in ("inf", "0"):
                continue
            higher = changed(found, ("statement", "lower"), shift)
            higher = changed(higher, ("statement", "upper"), lambda text: str(Fr(text) + 1))
            assert "below the stated lower bound" in outcome(higher)
            lower = changed(found, ("statement", "upper"), back)
            lower = changed(lower, ("statement", "lower"), "0")
            assert "above the stated upper bound" in outcome(lower)


TAMPERED = [
    (("subject", "nominal_epsilon"), "11/10", "does not contain the probability"),
    (("subject", "n"), 5, "not one row for each data set"),
    (("subject", "n"), 10**5, "not one row for each data set"),
    (("subject", "n"), 10**10, "too large"),
    (("subject", "n"), True, "n is not a whole number"),
    (("subject", "k"), 3, "do not fit"),
    (("subject", "prior"), ["1", "2"], "does not contain the probability"),
    (("subject", "prior"), ["1", "-1"], "out of range"),
    (("subject", "prior"), ["1", 1], "not a number in text"),
    (("subject", "parameters"), {"gamma": "2"}, "does not contain the probability"),
    (("subject", "parameters"), {}, "parameters of EHDS"),
    (("subject", "parameters"), {"gamma": "1", "delta": "1"}, "parameters of EHDS"),
    (("subject", "mechanism"), "EHDL", "EHDL has no parameters"),
    (("subject", "mechanism"), "MH", "does not contain the probability"),
    (("subject", "mechanism"), "EHDX", "not one of"),
    (("subject", "mechanism"), ["EHDS"], "not one of"),
    (("witness", "x"), [2, 2], "below the stated lower bound"),
    (("witness", "x"), [5, -1], "no histogram"),
    (("witness", "x"), "x", "no histogram"),
    (("witness", "x_prime"), [0, 4], "adjacent"),
    (("witness", "output"), [9, 9], "counts from 0 to n"),
    (("witness", "output"), None, "not a list"),
    (("law", "rows", 4, 0), [1, 1, -4], "does not contain the probability"),
    (("law", "rows", 4, 0), [1, -1, 0], "not an interval"),
    (("law", "rows", 4, 0), [-1, 1, 0], "not an interval"),
    (("law", "rows", 4, 0), [1, 1, 2**4001], "too large"),
    (("law", "rows", 4, 0), [1, 1], "not [lo, width, e]"),
    (("law", "rows", 4, 0), [1, 1, True], "not [lo, width, e]"),
    (("law", "rows", 4, 0), [0, 2**4000, 0], "too wide to confirm"),
    (("law", "rows"), [], "not one row for each data set"),
    (("law", "rows", 4), [], "one entry for each output"),
    (("law", "covers"), "most", "covers is neither"),
    (("law", "covers"), "witness", "not one row for each data set"),
    (("law",), None, "law is not an object"),
    (("statement", "quantity"), "zeta", "none of epsilon, delta"),
    (("statement", "lower"), "nan", "not an exact number"),
    (("statement", "lower"), 0.5, "not a number in text"),
    (("statement", "lower"), "1e-999999", "reasonable size"),
    (("statement", "lower"), "0." + "9" * 10**6, "not a number in text"),
    (("statement", "lower"), "inf", "do not form an interval"),
    (("statement", "upper"), "0", "do not form an interval"),
    (("statement", "claimed"), None, "nothing is claimed"),
    (("statement", "verdict"), "PROVED", 'unknown member "verdict"'),
    (("statement",), [], "statement is not an object"),
    (("witness",), None, "witness is not an object"),
    (("made",), {}, "made is not a text"),
    (("method",), {}, "unknown member"),
    (("version",), 1, "version 2"),
    (("format",), "x", "version 2"),
    (("parts",), [], "1 to 1000"),
    (("parts",), [1], "part 1"),
]


@pytest.mark.parametrize(("path", "value", "reason"), TAMPERED)
def test_tampered_with_the_hash_made_right(path, value, reason):
    found = make(FAMILY[0])
    if path == ("parts",):
        found = {"format": found["format"], "version": 2, "parts": None}
    assert reason in outcome(changed(found, path, value), full=path[0] == "law")


def test_a_number_that_is_not_whole_is_called_so_and_not_damage():
    """The hash over canonical JSON fits this file: json.dumps writes 20.0 as it stands there."""
    found = changed(make(FAMILY[0]), ("subject", "n"), 20.0)
    found["sha256"] = reading.digest(found)
    with pytest.raises(Malformed, match=r"has 20\.0, which is not a whole number"):
        reading.read(json.dumps(found).encode())


@pytest.mark.parametrize(("text", "why"), [
    ('{"a": NaN}', "NaN, which is not a number"), ('{"a": -Infinity}', "-Infinity, which is not a number"),
    (f'{{"a": {"1" * 4001}}}', "more than 4000 characters"), ('{"a": 1e5}', "not a whole number"),
    ('{"a": {"b": 1, "b": 2}}', "a name twice"), ("{", "is not JSON"),
])  # fmt: skip
def test_what_is_no_strict_json_is_malformed(text, why):
    with pytest.raises(Malformed, match=why):
        reading.read(text.encode())


def test_strict_json_is_read_as_it_is():
    assert reading.read(f'{{"a": {{"b": [1, "x"], "c": {"1" * 4000}}}}}'.encode()) == {
        "a": {"b": [1, "x"], "c": int("1" * 4000)}
    }


def test_tampered_without_the_hash():
    found = make(FAMILY[0])
    found["made"] += "."
    assert "hash" in outcome(found)
    assert outcome(7) is not None
    assert outcome([]) is not None


@pytest.mark.parametrize("case", [*FAMILY, *OWN])
def test_the_counts_in_the_sentence_are_those_of_the_engine(case):
    mech, options = case
    found = dpaudit.epsilon(mech, **options)
    said, counts = certificates.verify(certificate.certificate(found))[1], found.subject.mechanism.counts()
    assert (said["datasets"], 2 * said["adjacency"]["pairs"], said["outputs"]) == (
        counts.datasets, counts.pairs, counts.outputs)  # fmt: skip


def test_the_verdict_where_a_delta_is_claimed_is_that_of_delta():
    found = make(FAMILY[6])
    for claimed, verdict in ((found["statement"]["claimed"], "PROVED"), ("1/100", "REFUTED")):
        document = changed(found, ("statement", "claimed"), claimed)
        assert [certificates.verify(document, full)[1]["verdict"] for full in (False, True)] == [None, verdict]


# ------------------------------------------------------------------ deliberate bugs of the engine


def wrong_factor(patch):
    """EHDS forgets the factor 1 + gamma."""
    patch.setattr(exponential.EHDS, "numerator", lambda self: self.epsilon)


def wrong_sensitivity(patch):
    """The local sensitivity is the smallest distance to a neighbor instead of the largest."""
    module = sys.modules["dpaudit.posterior.sensitivity"]
    least = lambda h, c: balls.minimum([h.between(c, d) for d in module.neighbors(c)])  # noqa: E731
    patch.setattr(module, "local", least)
    patch.setattr(exponential, "local", least)


def wrong_constant(patch):
    """GS_0 = sqrt(1 - pi/5)."""
    patch.setattr(exponential, "gs_constant", lambda: (1 - balls.pi() / 5).sqrt())


def wrong_floor(patch):
    """The noise is rounded up where it should be floored."""
    right = laplace.cell_law
    patch.setattr(laplace, "cell_law", lambda n, c, o: right(n, min(c + 1, n), o))


def missing_pair(patch):
    """The audit forgets the pair that matters."""
    right = privacy_loss.pairs

    def fewer(mechanism, *rest):
        return (pair for pair in right(mechanism, *rest) if max(pair[0]) < mechanism.model.n - 1)

    patch.setattr(privacy_loss, "pairs", fewer)


def missing_middle_pair(patch):
    """The audit forgets the pairs with about as many records here as there."""
    right = privacy_loss.pairs

    def fewer(mechanism, *rest):
        return (pair for pair in right(mechanism, *rest) if abs(2 * pair[0][0] - mechanism.model.n) > 2)

    patch.setattr(privacy_loss, "pairs", fewer)


def missing_output(patch):
    """delta leaves out one output."""
    right = privacy_loss.hockey_stick
    patch.setattr(privacy_loss, "hockey_stick", lambda masses, at, factor: right(masses[1:-1], at, factor))


def wrong_gamma(patch):
    """MHdelta's gamma is computed with n instead of n + 1."""

    def gamma(self):
        tail = balls.ball(self.delta / (2 * self.model.n)).log()
        return (1 - balls.ball(self.epsilon) / (2 * tail)).log()

    patch.setattr(mhdelta.MHdelta, "gamma", gamma)


def wrong_normaliser(patch):
    """The normaliser leaves out the data's own histogram."""
    right = balls.total
    patch.setattr(exponential.balls, "total", lambda values: right(values) - 1 if len(values) == 5 else right(values))


BUGS = [
    (wrong_factor, FAMILY[0], None, False),
    (wrong_sensitivity, ("EHDL", {"n": 5}), None, False),
    (wrong_sensitivity, FAMILY[0], None, False),
    (wrong_constant, FAMILY[3], None, False),
    (wrong_floor, FAMILY[9], None, False),
    (wrong_floor, FAMILY[9], "1/4", False),
    (missing_pair, ("EHDS", {"n": 6}), None, True),
    (missing_middle_pair, ("EHDS", {"n": 6}), "0", True),
    (missing_output, FAMILY[0], "0", False),
    (wrong_gamma, ("MHdelta", {"n": 4, "delta": "1e-8", "eps": "1/10"}), "0", False),
    (wrong_normaliser, FAMILY[2], None, False),
]


@pytest.mark.parametrize(("bug", "case", "at", "full"), BUGS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_bug_in_the_engine_is_caught(monkeypatch, bug, case, at, full):
    right = make(case, at)
    assert outcome(right, full=True) is None
    with monkeypatch.context() as patch:
        bug(patch)
        if not full:  # it is seen at the witness: such a certificate is not even written
            with pytest.raises(dpaudit.InputError, match="the verifier could not accept it"):
                make(case, at)
            return
        wrong = make(case, at)
    assert wrong["statement"] != right["statement"] or wrong["witness"] != right["witness"], "the bug had no effect"
    assert outcome(wrong, full=full) is not None


# ------------------------------------------------------------------ on the command line


def test_write_and_verify(tmp_path, capsys):
    path = str(tmp_path / "c.json")
    assert main(["epsilon", "--mech", "EHDS", "--n", "6", "--certificate", path]) == 0
    assert main(["verify", path]) == 0
    assert "ACCEPTED (witness only): EHDS with n = 6" in " ".join(capsys.readouterr().out.split())
    assert main(["verify", path, "--full", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["result"] == "ACCEPTED"
    assert any("upper bound: no pair" in line for line in found["established"])
    assert main(["delta", "--mech", "EHDS", "--n", "6", "--at", "1/5", "--certificate", path]) == 0
    assert main(["verify", path, "--full"]) == 0
    assert main(["verify", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 10**6, b"\xff\xfe", b'{"a": 1, "a": 2}', b"9" * 10**6, b"null"])
def test_what_is_no_certificate_is_one_line(tmp_path, capsys, content):
    (tmp_path / "c.json").write_bytes(content)
    assert main(["verify", str(tmp_path / "c.json")]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("REJECTED: ")
    assert captured.out.count("\n") == 1


def test_several_results_in_one_certificate(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(",a,b\nx,1/3,2/3\ny,0.5,0.5\n")
    path = str(tmp_path / "c.json")
    assert main(["table", str(tmp_path / "t.csv"), "--at", "0,1/10", "--certificate", path]) == 0
    assert main(["verify", path, "--full"]) == 0
    assert "part 3: upper bound" in capsys.readouterr().out
    document = json.loads((tmp_path / "c.json").read_text())
    part = changed(document["parts"][1], ("statement", "lower"), "1/5")
    document["parts"][1] = changed(part, ("statement", "upper"), "1/5")
    assert "below" in outcome(changed(document, ("version",), 2))


@pytest.mark.parametrize("case", [OWN[2], FAMILY[0], FAMILY[9]], ids=lambda case: case[0].rpartition(":")[2])
def test_a_large_law_is_held_by_its_witness_rows_and_says_so(case, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(certificate, "MAX_ENTRIES", 5)
    found = make(case)
    assert (found["law"]["covers"], len(found["law"]["rows"])) == ("witness", 2)
    assert outcome(found) is None
    said = certificates.verify(found, True)[1]
    assert said["covered"] == "the lower bound holds; the upper bound is not covered"
    assert said["checked"] == "witness only"
    assert ("HOLDS ONLY 2 of 4 rows" in said["text"]) == (case is OWN[2])
    path = tmp_path / "c.json"
    path.write_text(json.dumps(found))
    assert main(["verify", str(path)]) == 0
    words = capsys.readouterr().out
    assert "upper bound: not checked (--full does)" in words
    assert "ACCEPTED (witness only)" in words
    assert main(["verify", str(path), "--full"]) == 3
    words = " ".join(capsys.readouterr().out.split())
    assert "upper bound: not checked (the certificate covers its witness only)" in words
    assert "WITNESS CHECKED: the lower bound holds; the upper bound is not covered: " in words
    assert main(["verify", str(path), "--full", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["result"] == "WITNESS CHECKED"
    lie = changed(found, ("law", "covers"), "all")
    assert "malformed" in outcome(lie, full=True)


def test_a_witness_only_certificate_of_a_trade_off_function(monkeypatch):
    monkeypatch.setattr(certificate, "MAX_ENTRIES", 1)
    judged = dpaudit.judge("dpaudit.examples.randomized_response:SpinnerResponse", "f=0:1;1/2:1/10;1:0")
    said = certificates.verify(certificate.certificate(judged), True)[1]
    assert said["covered"] == "the lower bound holds; the upper bound is not covered"


def test_no_certificate_without_a_verifier():
    result = dpaudit.epsilon("EHD", n=3, gs="exact", score="l1")
    with pytest.raises(dpaudit.InputError, match="no independent verifier"):
        certificate.certificate(result)


def test_many_digits():
    found = make(("EHDL", {"n": 2}), digits=100)
    assert outcome(found) is None
    assert copy.deepcopy(found) == found
    assert certificates.digest(found) == found["sha256"]


@pytest.mark.parametrize(("claimed", "delta", "verdict"), [
    ("1/10", "1", "UNDECIDED"), ("3/10", "1", "PROVED"), ("2/5", "1/1000000", "UNDECIDED"),
    ("3/10", "1/1000000", "REFUTED"), ("1/10", "1/1000000", "REFUTED"), ("2/5", "1", "PROVED"),
])  # fmt: skip
def test_delta_at_one_epsilon_decides_a_claim_at_another_in_one_direction(claimed, delta, verdict):
    found = changed(make(FAMILY[2], "3/10"), ("statement", "claimed_delta"), delta)
    assert certificates.verify(changed(found, ("statement", "claimed"), claimed), True)[1]["verdict"] == verdict


def test_every_pair_is_counted_and_never_listed(monkeypatch):
    """A list of the pairs of 700 data sets, who are all adjacent, would have a quarter of a million members."""
    from dpaudit.mechanisms.own.mechanism import OwnMechanism

    class Many:
        def datasets(self):
            return list(range(700))

        def outputs(self):
            return ["no", "yes"]

        def probabilities(self, x):
            return [Fr(1 + x % 2, 3), Fr(2 - x % 2, 3)]

    result = dpaudit.epsilon(Many())
    monkeypatch.setattr(OwnMechanism, "neighbors", None)
    found = certificate.certificate(result)
    assert found["subject"]["pairs"] is None
    assert certificates.verify(found)[1]["adjacency"]["pairs"] == 350 * 699


def test_listed_pairs_are_in_order_and_once():
    class Chain:
        def datasets(self):
            return ["c", "a", "b"]

        def outputs(self):
            return ["no", "yes"]

        def neighbors(self, x):
            return {"a": ["b", "c"], "b": ["a"], "c": []}[x]

        def probabilities(self, x):
            return ["1/2", "1/2"] if x == "a" else ["1/3", "2/3"]

    assert certificate.certificate(dpaudit.epsilon(Chain()))["subject"]["pairs"] == [[0, 1], [1, 2]]


OPEN, FALSE = Unconfirmed("the enclosures are too wide"), Rejected('the row of "undecided" does not sum to 1')


@pytest.mark.parametrize(("found", "error"), [(OPEN, certificate.NotAccepted), (FALSE, certificate.Contradicted)])
def test_only_a_rejection_contradicts_the_engine(found, error, monkeypatch):
    monkeypatch.setattr(certificate, "kind_of", lambda _: lambda *_: SimpleNamespace(check=Mock(side_effect=found)))
    with pytest.raises(certificate.NotAccepted) as caught:
        make(FAMILY[0])
    assert type(caught.value) is error
