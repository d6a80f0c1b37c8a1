(** Laws on a finite list of outputs, and what differential privacy asks of them.

    Everything here holds for any type of outputs and any finite list of them. *)

From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

(** Sums over a list. *)

Fixpoint sum {A} (f : A -> R) (l : list A) : R :=
  match l with
  | [] => 0
  | a :: rest => f a + sum f rest
  end.

Lemma sum_ext {A} (f g : A -> R) l : (forall r, In r l -> f r = g r) -> sum f l = sum g l.
Proof.
  induction l as [|a l IH]; simpl; intros E; [reflexivity|].
  rewrite (E a), IH; auto.
Qed.

Lemma sum_le {A} (f g : A -> R) l : (forall r, In r l -> f r <= g r) -> sum f l <= sum g l.
Proof.
  induction l as [|a l IH]; simpl; intros E; [lra|].
  apply Rplus_le_compat; auto.
Qed.

Lemma sum_scale {A} c (f : A -> R) l : sum (fun r => c * f r) l = c * sum f l.
Proof. induction l as [|a l IH]; simpl; [ring|]. rewrite IH; ring. Qed.

Lemma sum_plus {A} (f g : A -> R) l : sum (fun r => f r + g r) l = sum f l + sum g l.
Proof. induction l as [|a l IH]; simpl; [ring|]. rewrite IH; ring. Qed.

Lemma sum_nonneg {A} (f : A -> R) l : (forall r, In r l -> 0 <= f r) -> 0 <= sum f l.
Proof.
  induction l as [|a l IH]; simpl; intros E; [lra|].
  apply Rplus_le_le_0_compat; auto.
Qed.

Lemma sum_pos {A} (f : A -> R) l : l <> [] -> (forall r, In r l -> 0 < f r) -> 0 < sum f l.
Proof.
  destruct l as [|a l]; [congruence|]; intros _ E; simpl.
  apply Rplus_lt_le_0_compat; [apply E; now left|].
  apply sum_nonneg; intros r I; apply Rlt_le, E; now right.
Qed.

(** The law with given weights. *)

Definition law {A} (weight : A -> R) (outputs : list A) (r : A) : R := weight r / sum weight outputs.

(** P and P' are within a factor e^eps, output by output; for a finite list of outputs this is pure eps-DP of one
    ordered pair of data sets. *)

Definition within {A} (eps : R) (P P' : A -> R) (outputs : list A) : Prop :=
  forall r, In r outputs -> P r <= exp eps * P' r.

(** ... and so for every event, which is a list of outputs. *)

Theorem within_events {A} eps (P P' : A -> R) outputs event :
  within eps P P' outputs -> incl event outputs -> sum P event <= exp eps * sum P' event.
Proof. intros W I. rewrite <- sum_scale. apply sum_le; intros r E; apply W, I, E. Qed.

(** A loss ln P(r) - ln P'(r) of at most eps is the same. *)

Theorem within_is_loss {A} eps (P P' : A -> R) outputs :
  (forall r, In r outputs -> 0 < P r /\ 0 < P' r) ->
  (within eps P P' outputs <-> forall r, In r outputs -> ln (P r) - ln (P' r) <= eps).
Proof.
  intros Pos; split; intros W r I; destruct (Pos r I) as [p p']; specialize (W r I).
  - assert (L : ln (P r) <= ln (exp eps * P' r)).
    { destruct W as [W|W]; [left; apply ln_increasing; assumption|right; rewrite W; reflexivity]. }
    rewrite ln_mult, ln_exp in L; [lra|apply exp_pos|assumption].
  - rewrite <- (exp_ln (P r) p), <- (exp_ln (P' r) p') at 1. rewrite <- exp_plus.
    assert (L : ln (P r) <= eps + ln (P' r)) by lra.
    destruct L as [L|L]; [left; apply exp_increasing; assumption|right; rewrite L; reflexivity].
Qed.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [L|E]; [left; apply exp_increasing, L|right; now rewrite E]. Qed.

(** Weights that differ by a factor of at most e^a in both directions give laws that differ by at most e^(2a):
    a for the weight itself, a for the normaliser. *)

Theorem weights_within {A} a (w w' : A -> R) outputs :
  (forall r, In r outputs -> 0 < w r /\ 0 < w' r) ->
  within a w w' outputs -> within a w' w outputs ->
  within (2 * a) (law w outputs) (law w' outputs) outputs.
Proof.
  intros Pos W W' r I. unfold law.
  assert (N : outputs <> []) by (intros E; rewrite E in I; exact I).
  assert (Z : 0 < sum w outputs) by (apply sum_pos; [exact N|intros; apply Pos; assumption]).
  assert (Z' : 0 < sum w' outputs) by (apply sum_pos; [exact N|intros; apply Pos; assumption]).
  assert (T : sum w' outputs <= exp a * sum w outputs).
  { apply (within_events _ _ _ outputs); [exact W'|apply incl_refl]. }
  replace (2 * a) with (a + a) by ring. rewrite exp_plus.
  apply (Rmult_le_reg_r (sum w outputs * sum w' outputs)); [apply Rmult_lt_0_compat; assumption|].
  replace (w r / sum w outputs * (sum w outputs * sum w' outputs)) with (w r * sum w' outputs) by (field; lra).
  replace (exp a * exp a * (w' r / sum w' outputs) * (sum w outputs * sum w' outputs))
    with ((exp a * w' r) * (exp a * sum w outputs)) by (field; lra).
  apply Rmult_le_compat; [apply Rlt_le, Pos, I|lra|apply W, I|exact T].
Qed.

Lemma abs_bounds a b : Rabs a <= b -> - b <= a <= b.
Proof. unfold Rabs; destruct (Rcase_abs a); lra. Qed.

(** Exponential mechanisms: weights e^(-t u(r)) with a rate t and a score u. *)

Definition exponential {A} (t : R) (u : A -> R) (outputs : list A) : A -> R :=
  law (fun r => exp (- (t * u r))) outputs.

Theorem exponential_within {A} a t t' (u u' : A -> R) outputs :
  (forall r, In r outputs -> Rabs (t * u r - t' * u' r) <= a) ->
  within (2 * a) (exponential t u outputs) (exponential t' u' outputs) outputs.
Proof.
  intros C. apply weights_within.
  - intros r _; split; apply exp_pos.
  - intros r I. specialize (C r I). apply abs_bounds in C. rewrite <- exp_plus. apply exp_le; lra.
  - intros r I. specialize (C r I). apply abs_bounds in C. rewrite <- exp_plus. apply exp_le; lra.
Qed.

Lemma exponential_pos {A} t (u : A -> R) outputs r : In r outputs -> 0 < exponential t u outputs r.
Proof.
  intros I. apply Rdiv_lt_0_compat; [apply exp_pos|].
  apply sum_pos; [intros E; rewrite E in I; exact I|intros; apply exp_pos].
Qed.

Lemma exponential_total {A} t (u : A -> R) outputs : outputs <> [] -> sum (exponential t u outputs) outputs = 1.
Proof.
  intros N. unfold exponential, law, Rdiv.
  rewrite (sum_ext _ (fun r => / sum (fun r => exp (- (t * u r))) outputs * exp (- (t * u r)))) by (intros; ring).
  rewrite sum_scale. apply Rinv_l.
  assert (0 < sum (fun r => exp (- (t * u r))) outputs) by (apply sum_pos; [exact N|intros; apply exp_pos]). lra.
Qed.
