"""Certificates for the proof assistant: what the kernel accepts, and what goes red when a number is wrong."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import dpaudit
from dpaudit.evidence import certificate
from dpaudit.evidence.coq import export, family, prove, sums
from dpaudit.evidence.coq.texts import template
from dpaudit.evidence.verifier.reading import digest
from dpaudit.files import coqc
from dpaudit.mechanisms import exponential

here = pytest.mark.skipif(coqc.installed() is None, reason=coqc.INSTALL)
RESPONSE = "dpaudit/examples/randomized_response.py:RandomizedResponse"
ROOT = Path(__file__).parents[2]


def written(tmp_path, mech, **options):
    path = tmp_path / "c.json"
    certificate.write(dpaudit.epsilon(mech, **options), str(path))
    return path


EXPORTED = {
    "EHDS": ("EHDS", {"n": 2, "prior": "1/2,3/2", "gamma": "1/3"}),
    "EHD_exact": ("EHD", {"n": 1, "k": 3, "gs": "exact"}),
    "EHD_constant": ("EHD", {"n": 1, "gs": "constant", "adjacency": "all"}),
    "MH": ("MH", {"n": 1}),
    "MHdelta": ("MHdelta", {"n": 1, "delta": "1/1000"}),
    "LSHist": ("LSHist", {"n": 1}),
    "own": (str(ROOT / RESPONSE), {"eps": "1/2"}),
}


@here
def test_the_kernel_accepts_exported_certificates(tmp_path, long):
    texts = {}
    for name in EXPORTED if long else ("EHDS", "LSHist", "own"):
        mech, options = EXPORTED[name]
        texts[name] = export.text_of(export.read_certificate(str(written(tmp_path, mech, **options))))
    asked = ("EHDS", "own")  # one of each kind of proof: what all assume together takes long to collect
    every = [f"{name}.{theorem}" for name in asked for theorem in export.THEOREMS]
    found = coqc.compile_texts(texts, every, 600)
    assert (found.problem, found.own_axioms) == ("", [])


@here
def test_verify_asks_the_kernel(tmp_path):
    result = dpaudit.verify(str(written(tmp_path, "EHDL", n=1)), coq=True, seconds=600)
    assert result.accepted, result.reason
    assert result.established[-1].startswith(
        "Coq: the kernel accepts upper_bound and lower_bound, which assume nothing"
    )
    assert "both bounds by Coq" in str(result)


@here
@pytest.mark.parametrize(("lower", "upper"), [("0", "0.49"), ("0.51", "1")])
def test_a_wrong_bound_goes_red(tmp_path, lower, upper):
    path = written(tmp_path, "EHDL", n=1)
    document = json.loads(path.read_text())
    document["statement"] |= {"lower": lower, "upper": upper}
    path.write_text(json.dumps({**document, "sha256": digest(document)}))
    assert prove.prove(str(path), 600).problem == prove.FALSE


@here
def test_what_takes_too_long_is_not_called_refused(tmp_path):
    problem = prove.prove(str(written(tmp_path, "EHDS", n=20)), 1).problem
    assert problem == "not decided, Certificate.v: takes longer than 1 seconds (--seconds)"


ENGINE_BUGS = {
    "the 2 is forgotten": (exponential.EHDS, "numerator", lambda self: 2 * self.epsilon / (1 + self.gamma)),
    "LS is taken for S": (exponential, "smooth_all", lambda model, ls, gamma: ls),
}


@here
@pytest.mark.parametrize("bug", ENGINE_BUGS)
def test_a_bug_in_the_engine_goes_red(tmp_path, monkeypatch, bug):
    monkeypatch.setattr(*ENGINE_BUGS[bug])
    with pytest.raises(dpaudit.InputError, match="the verifier could not accept it"):
        written(tmp_path, "EHDS", n=2, prior="1,1,1", gamma="1/100")
    monkeypatch.setattr(
        certificate, "kind_of", lambda _: lambda *_: SimpleNamespace(check=lambda: ([], {"verdict": None}))
    )
    path = written(tmp_path, "EHDS", n=2, prior="1,1,1", gamma="1/100")
    assert prove.prove(str(path), 600).problem == prove.FALSE


@here
def test_a_wrong_constant_in_the_mechanism_goes_red(tmp_path):
    document = export.read_certificate(str(written(tmp_path, "EHDS", n=1)))
    text = export.text_of(document)
    wrong = text.replace("exp (- (epsilon / (2 * Delta x) * H x r))", "exp (- (epsilon / Delta x * H x r))")
    assert wrong != text
    assert coqc.compile_texts({"C": wrong}, ["C.upper_bound"], 600).problem.startswith("C.v, line")


def test_the_file_is_filled_and_says_what_is_trusted(tmp_path):
    for mech, options in EXPORTED.values():
        text = export.text_of(export.read_certificate(str(written(tmp_path, mech, **options))))
        assert not re.search(r"@[A-Z_]+@", text)
        assert text.startswith("(* Made from a certificate of dpaudit, SHA-256 ")
        assert "Trusted: Coq's kernel" in text
        assert coqc.forbidden(text) is None
    assert "@N@" in template("family")


def test_what_cannot_be_exported_is_said_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(family, "MOST", 100)
    monkeypatch.setattr(sums, "MOST", 100)

    def refusal(path, coq="c.v"):
        with pytest.raises(dpaudit.InputError) as caught:
            dpaudit.export(str(path), coq=str(tmp_path / coq))
        return str(caught.value)

    assert "half-integer priors" in refusal(written(tmp_path, "EHDS", n=2, prior="1/3,1"))
    assert "can be exported" in refusal(written(tmp_path, "EHDS", n=10))
    assert "can be exported" in refusal(written(tmp_path, "LSZhang", n=5))
    path = tmp_path / "d.json"
    certificate.write(dpaudit.delta("EHDS", at="1/2", n=2), str(path))
    assert "this quantity cannot be exported" in refusal(path)
    certificate.write([dpaudit.epsilon("EHDS", n=1)] * 2, str(path))
    assert "several certificates in one" in refusal(path)
    path.write_text("[1, 2]")
    assert "this is not a" in refusal(path)
    path.write_text("{")
    assert "is not JSON" in refusal(path)
    assert "cannot be read" in refusal(tmp_path / "nothing.json")
    assert "coqc wants a name" in refusal(written(tmp_path, "EHDS", n=1), "a-b.v")


INJECTED = "0]%nat. Definition P x r : R := 1. Definition z := [0"


@pytest.mark.parametrize(
    ("mech", "place", "value", "rule"),
    [
        ("EHDS", "output", [INJECTED, 1], "output is not a list of 2 counts"),
        ("EHDS", "x", None, "x of the witness is not a list of counts"),
        ("LSHist", "x_prime", [True, False], "x_prime of the witness is not a list of counts"),
        ("table", "output", "c", "output is none of the outputs"),
        ("table", "x", ["a"], "x of the witness is not in the table"),
    ],
)
def test_a_witness_that_is_none_is_refused(tmp_path, mech, place, value, rule):
    path = tmp_path / "c.json"
    table = tmp_path / "t.csv"
    table.write_text("x,u,v\n*) Axiom a : False. (*,1/2,1/2\nb~,1/4,3/4\n")
    result = dpaudit.table(str(table)) if mech == "table" else dpaudit.epsilon(mech, n=1)
    certificate.write(result, str(path))
    document = json.loads(path.read_text())
    if mech == "table":  # names of the table stand in a comment, and cannot leave it
        text = export.text_of(document)
        assert "0: ?) Axiom a : False. (?" in text
        assert coqc.forbidden(text) is None
    document["witness"][place] = value
    path.write_text(json.dumps({**document, "sha256": digest(document)}))
    with pytest.raises(dpaudit.InputError, match=rule):
        dpaudit.export(str(path), coq=str(tmp_path / "c.v"))


def test_without_coqc_verify_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(prove, "installed", lambda: None)
    with pytest.raises(dpaudit.InputError, match="apt-get install coq libcoq-interval"):
        dpaudit.verify(str(written(tmp_path, "EHDL", n=1)), coq=True)


def test_the_heading_names_the_prior(tmp_path):
    document = json.loads(written(tmp_path, "EHDL", n=1, prior="1/2,3").read_text())
    assert "EHDL with n = 1, k = 2, prior = (1/2, 3), epsilon = 1" in export.text_of(document)


def test_a_theorem_is_refused_before_it_is_checked(tmp_path, monkeypatch):
    path = written(tmp_path, "EHDL", n=2, eps="all")
    monkeypatch.setattr("dpaudit.evidence.verification.run", None)
    with pytest.raises(dpaudit.InputError, match="this quantity cannot be exported"):
        dpaudit.verify(str(path), coq=True)
