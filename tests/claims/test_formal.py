"""Theorems of the proof assistant: no holes, no axioms but those of the reals, and what goes red when one is wrong."""

import re
import subprocess
import sys

import pytest

import dpaudit
import proofs_checks.coq
from dpaudit.claims import formal
from dpaudit.claims.formal import NOT_RUN, Theorem, theorems, with_required
from dpaudit.claims.proof import Kind, Proof
from dpaudit.evidence.coq.texts import HERE
from dpaudit.files import coqc
from proofs_checks.coq import FOLDER, THEOREMS

here = pytest.mark.skipif(coqc.installed() is None, reason=coqc.INSTALL)
FILES = sorted(FOLDER.glob("*.v"))


# ------------------------------------------------------------------ no holes


@pytest.mark.parametrize("file", [*FILES, *sorted(HERE.glob("*.v"))], ids=lambda file: file.stem)
def test_no_file_admits_anything(file):
    assert coqc.forbidden(file.read_text(encoding="utf-8")) is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Lemma a : False. Admitted.", "Admitted"),
        ("Lemma a : False. admit. Qed.", "admit"),
        ("Axiom a : False.", "Axiom"),
        ("(* a (* nested *) comment *) Parameter a : nat.", "Parameter"),
        ("Unset Guard Checking.", "Unset"),
        ("(* Admitted *) Lemma a : True. exact I. Qed.", None),
    ],
)
def test_holes_are_seen(text, word):
    assert coqc.forbidden(text) == word


def test_every_theorem_that_a_claim_names_is_there():
    for theorem in THEOREMS.values():
        assert theorem.name in theorems((FOLDER / f"{theorem.file}.v").read_text(encoding="utf-8"))
    assert set(THEOREMS) <= {claim.id for claim in proofs_checks.CATALOGUE.claims}


# ------------------------------------------------------------------ the theorems


STATED = """From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith.
From DP Require Import Laws Model Dirichlet Gamma Histograms Sensitivity.
Open Scope R_scope.
Section Model.
Let integrand z t := Rpower t (z - 1) * exp (- t).
Let Gamma (z : R) : R := RInt_gen (integrand z) (at_right 0) (Rbar_locally p_infty).
Theorem gamma_exists z : 0 < z -> is_RInt_gen (integrand z) (at_right 0) (Rbar_locally p_infty) (Gamma z).
Proof. exact (Gamma_is z). Qed.
Variables (prior : list R) (n : nat).
Let k := length prior.
Let X := histogram k n.
Let records (x y : X) := steps (proj1_sig x) (proj1_sig y).
Let distance (x y : X) := sqrt (1 - BC Gamma prior (proj1_sig x) (proj1_sig y)).
Let local x := largest (fun y => largest (fun r => Rabs (distance x r - distance y r)) (all k n))
  (filter (fun y => Nat.eqb (records x y) 1) (all k n)).
Let smooth g x := largest (fun z => / (/ local z + g * INR (records x z))) (all k n).
Let law (rate : X -> R) (x r : X) :=
  exp (- (rate x * distance x r)) / sum (fun r => exp (- (rate x * distance x r))) (all k n).
Theorem every_histogram_once : (forall x : X, In x (all k n)) /\\ NoDup (all k n).
Proof. split; [apply all_complete|apply all_once]. Qed.
Theorem ehds_as_documented g eps :
  Forall (Rlt 0) prior -> (2 <= k)%nat -> (1 <= n)%nat -> 0 <= g -> 0 <= eps ->
  forall x y r : X, records x y = 1%nat -> law (fun x => eps / (2 * (1 + g) * smooth g x)) x r
    <= exp eps * law (fun x => eps / (2 * (1 + g) * smooth g x)) y r.
Proof.
  intros P K N G E x y r A.
  exact (ehds_histograms prior n P K N g eps x y G E A r (all_complete k n r)).
Qed.
Theorem mh_as_documented g eps :
  Forall (Rlt 0) prior -> (2 <= k)%nat -> (1 <= n)%nat -> 0 <= g -> 0 <= eps ->
  forall x y r : X, records x y = 1%nat -> law (fun x => eps / (2 * smooth g x)) x r
    <= exp ((1 + g) * eps) * law (fun x => eps / (2 * smooth g x)) y r.
Proof.
  intros P K N G E x y r A. exact (mh_histograms prior n P K N g eps x y G E A r (all_complete k n r)).
Qed.
Theorem ehd_as_documented eps :
  Forall (Rlt 0) prior -> (2 <= k)%nat -> (1 <= n)%nat -> 0 <= eps ->
  forall x y r : X, records x y = 1%nat -> law (fun _ => eps / (2 * largest local (all k n))) x r
    <= exp eps * law (fun _ => eps / (2 * largest local (all k n))) y r.
Proof.
  intros P K N E x y r A. exact (ehd_histograms prior n P K N eps x y E A r (all_complete k n r)).
Qed.
Theorem sensitivity_as_documented :
  Forall (Rle 1) prior -> (2 <= k)%nat -> (1 <= n)%nat -> largest local (all k n) <= sqrt (1 - PI / 4).
Proof. exact (gs_at_most prior n). Qed.
Theorem ehd_with_the_constant eps :
  Forall (Rle 1) prior -> (2 <= k)%nat -> (1 <= n)%nat -> 0 <= eps ->
  forall x y r : X, records x y = 1%nat -> law (fun _ => eps / (2 * sqrt (1 - PI / 4))) x r
    <= exp eps * law (fun _ => eps / (2 * sqrt (1 - PI / 4))) y r.
Proof.
  intros P K N E x y r A. exact (ehd_constant prior n P K N eps x y E A r (all_complete k n r)).
Qed.
End Model.
"""
"""The documents' mechanisms, written out once more: a weaker theorem does not prove this."""


@here
def test_the_kernel_accepts_every_theorem_with_the_axioms_of_the_reals_alone():
    texts = {name: text for file in FILES for name, text in with_required(FOLDER, file.stem).items()}
    texts["Stated"] = STATED
    every = [f"@{file}.{name}" for file, text in texts.items() for name in theorems(text)]
    assert len(every) > 30
    found = coqc.compile_texts(texts, every, 600)
    assert (found.problem, found.own_axioms) == ("", [])
    assert found.assumptions == coqc.REAL_AXIOMS  # they are seen, so others would be


@pytest.fixture
def copy(tmp_path):
    for file in FILES:
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


BUGS = {
    "EHDS forgets 1 + gamma": ("Model", "exponential (eps / (2 * (1 + gamma) * S x))", "exponential (eps / (2 * S x))"),
    "EHDS forgets the 2": (
        "Model",
        "exponential (eps / (2 * (1 + gamma) * S x))",
        "exponential (eps / ((1 + gamma) * S x))",
    ),
    "EHDS takes LS for S": ("Model", "(eps / (2 * (1 + gamma) * S x))", "(eps / (2 * (1 + gamma) * LS x))"),
    "GS at most a smaller constant": ("Sensitivity", "<= sqrt (1 - PI / 4)", "<= sqrt (1 - PI / 3)"),
    "a geometric mechanism with half the noise": ("Counting", "exp (- (eps * IZR", "exp (- (2 * eps * IZR"),
}


@here
@pytest.mark.parametrize("bug", BUGS)
@pytest.mark.thin(2)
def test_a_wrong_constant_goes_red(copy, bug):
    file, right, wrong = BUGS[bug]
    text = (copy / f"{file}.v").read_text(encoding="utf-8")
    assert right in text
    (copy / f"{file}.v").write_text(text.replace(right, wrong), encoding="utf-8")
    theorem = Theorem(copy, file, theorems(text)[0], "a theorem")
    assert re.match(rf"{file}\.v, line \d+: ", theorem.problem())
    proof = Proof().equal("a line", "1 = 1", 1, 1).formal(theorem)
    assert proof.lines[-1].step().value == "a theorem  [FAILED]"
    assert proof.outcome().verdict.value == "UNDECIDED"


@here
def test_an_assumption_by_another_name_is_seen(tmp_path):
    (tmp_path / "Own.v").write_text("Variable a : False.\nTheorem b : 1 = 2.\nProof. destruct a. Qed.\n")
    assert "it assumes a" in Theorem(tmp_path, "Own", "b", "").problem().replace("Own.", "")
    assert Theorem(tmp_path, "Own", "c", "").problem() == "Own.v has no theorem c"


@here
def test_a_bypass_that_the_words_do_not_show_is_seen(tmp_path):
    # a quotation mark hides the word from the search; the kernel's own list shows what was not checked
    hidden = """From Coq Require Import String.
Definition s := "(*"%string.
#[bypass_check(guard)] Fixpoint loop (n : nat) : False := loop n.
Definition t := "*)"%string.
Theorem a : 1 = 2.
Proof. destruct (loop 0). Qed.
"""
    assert coqc.forbidden(hidden) is None
    (tmp_path / "Own.v").write_text(hidden)
    assert Theorem(tmp_path, "Own", "a", "").problem() == "it assumes Own.loop is assumed to be guarded."


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("Closed under the global context\n", []),
        ("Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\n", []),
        ("Axioms:\nFunctionalExtensionality.functional_extensionality_dep\n  : forall A : Type,\n    A\n", []),
        ("Axioms:\nDP.Classical_Prop.classic : False\n", ["DP.Classical_Prop.classic"]),
        ("Axioms:\nT is assumed to be positive.\n", ["T is assumed to be positive."]),
        ("f relies on an unsafe hierarchy.\nAxioms:\n", ["f relies on an unsafe hierarchy."]),
        ("", ["what coqc does not say"]),
    ],
)
def test_only_the_axioms_of_the_reals_pass(said, own):
    assert coqc.Compiled("", coqc.assumed(said)).own_axioms == own


@here
def test_a_file_is_compiled_once_and_again_where_one_before_it_has_changed(monkeypatch):
    compiled, real = [], coqc._compile
    monkeypatch.setattr(
        coqc, "_compile", lambda folder, name, seconds: compiled.append(name) or real(folder, name, seconds)
    )
    first, second = (
        "Definition one := 1.\n",
        "From DP Require Import A.\nTheorem b : one = 1. Proof. reflexivity. Qed.\n",
    )
    for _ in range(2):
        assert coqc.compile_texts({"A": first, "B": second}, ["B.b"], 60).problem == ""
    assert coqc.compile_texts({"A": first, "C": "Definition two := 2.\n", "B": second}, ["B.b"], 60).problem == ""
    assert compiled == ["A", "B", "Asked", "C", "Asked"]  # B does not name C, and is not compiled again for it
    assert coqc.compile_texts({"A": first.replace("1", "2"), "B": second}, ["B.b"], 60).problem.startswith("B.v, line")


@here
def test_processes_share_what_is_compiled():
    code = f"""from dpaudit.files import coqc
coqc.share({coqc.kept_in()!r})
coqc._compile = lambda *_: ("it compiles", "")
print(coqc.compile_texts({{"Shared": "Definition shared := 7.\\n"}}, ["Shared.shared"], 60))"""
    texts = {"Shared": "Definition shared := 7.\n"}
    assert coqc.compile_texts(texts, ["Shared.shared"], 60).problem == ""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Compiled(problem='', ")


@here
def test_no_file_may_pass_for_one_of_coq():
    found = coqc.compile_texts({"Classical_Prop": "Variable classic : False."}, ["Classical_Prop.classic"], 60)
    assert "name of a file of Coq" in found.problem


@here
def test_a_claim_shows_its_theorem():
    (result,) = dpaudit.check(["level.5.1"], jobs=1)
    assert result.outcome.verdict.value == "PROVED"
    assert "[Coq: Levels.level_5_1]" in "\n".join(step.value for step in result.outcome.steps)


def test_without_coqc_the_line_is_by_hand(monkeypatch):
    monkeypatch.setattr(formal, "installed", lambda: None)
    proof = Proof().formal(THEOREMS["dp.ehds"])
    (line,) = proof.lines
    assert (line.kind, line.came_out) == (Kind.HAND, True)
    assert line.step().value.endswith(f"[by hand: Coq theorem Histograms.ehds_histograms, {NOT_RUN}]")
    assert proof.obstacle  # it does not count as content for all values
