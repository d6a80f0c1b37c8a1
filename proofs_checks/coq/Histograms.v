(** The documents' data sets: histograms of n records in k cells. The number of records to replace is a metric, so of
    the hypotheses of Model.v only those on the distance h of the posteriors are left. *)

From Coq Require Import Reals Lra List Arith Lia.
Import ListNotations.
From DP Require Import Laws Model.
Open Scope nat_scope.

Definition histogram (k n : nat) : Type := { x : list nat | length x = k /\ list_sum x = n }.

(** The records of x that are to be replaced: the sum of the positive parts of x_i - y_i. *)

Fixpoint steps (x y : list nat) : nat :=
  match x, y with
  | c :: x, c' :: y => (c - c') + steps x y
  | _, _ => 0
  end.

Lemma steps_self x : steps x x = 0.
Proof. induction x as [|c x IH]; simpl; [reflexivity|]. lia. Qed.

Lemma steps_balance x : forall y, length x = length y -> steps x y + list_sum y = steps y x + list_sum x.
Proof.
  unfold list_sum. induction x as [|c x IH]; intros [|c' y] L; simpl in *; try discriminate; [reflexivity|].
  injection L as L. specialize (IH y L). lia.
Qed.

Lemma steps_triangle x : forall y z, length x = length y -> length y = length z -> steps x z <= steps x y + steps y z.
Proof.
  induction x as [|c x IH]; intros [|c' y] [|c'' z] L M; simpl in *; try discriminate; [lia|].
  injection L as L. injection M as M. specialize (IH y z L M). lia.
Qed.

Section Posteriors.

  Variables k n : nat.

  Definition d (x y : histogram k n) : nat := steps (proj1_sig x) (proj1_sig y).

  Theorem d_self x : d x x = 0.
  Proof. apply steps_self. Qed.

  Theorem d_symmetric x y : d x y = d y x.
  Proof.
    unfold d. destruct x as [p [A B]], y as [q [C D]]; simpl.
    pose proof (steps_balance p q ltac:(congruence)). lia.
  Qed.

  Theorem d_triangle x y z : d x z <= d x y + d y z.
  Proof.
    unfold d. destruct x as [p [A A0]], y as [q [B B0]], z as [r [C C0]]; simpl. apply steps_triangle; congruence.
  Qed.

  Open Scope R_scope.

  (** What is left to know of the posteriors: the Hellinger distance is a metric and at most 1, and every histogram has
      a neighbour, with another posterior (n >= 1, k >= 2). *)

  Variable all : list (histogram k n).
  Variable h : histogram k n -> histogram k n -> R.
  Hypothesis h_self : forall x, h x x = 0.
  Hypothesis h_symmetric : forall x y, h x y = h y x.
  Hypothesis h_triangle : forall x y z, h x z <= h x y + h y z.
  Hypothesis h_at_most_1 : forall x y, h x y <= 1.
  Hypothesis has_neighbour : forall x, In x all -> exists y, In y all /\ d x y = 1%nat /\ 0 < h x y.

  (** dp.ehd.exact-gs, dp.ehds, dp.mh: for every n, k and prior. *)

  Theorem ehd_histograms eps x y :
    0 <= eps -> adjacent _ all d x y ->
    within eps (EHD _ all h eps (GS _ all d h) x) (EHD _ all h eps (GS _ all d h) y) all.
  Proof.
    intros E A. apply (ehd_private _ all d h); auto using Rle_refl.
  Qed.

  Theorem ehds_histograms gamma eps x y :
    0 <= gamma -> 0 <= eps -> adjacent _ all d x y ->
    within eps (EHDS _ all d h gamma eps x) (EHDS _ all d h gamma eps y) all.
  Proof.
    intros G E A. apply ehds_private; auto using d_self, d_symmetric, d_triangle.
  Qed.

  Theorem mh_histograms gamma eps x y :
    0 <= gamma -> 0 <= eps -> adjacent _ all d x y ->
    within ((1 + gamma) * eps) (MH _ all d h gamma eps x) (MH _ all d h gamma eps y) all.
  Proof.
    intros G E A. apply mh_private; auto using d_self, d_symmetric, d_triangle.
  Qed.

End Posteriors.
