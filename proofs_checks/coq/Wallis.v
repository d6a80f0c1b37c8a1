(** Wallis's product, from the integrals of powers of the sine over a quarter turn: it is at least PI/4 at every step,
    and tends to PI/4. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition quarter (n : nat) : R := RInt (fun t => sin t ^ n) 0 (PI / 2).

Lemma power_integrable n : ex_RInt (fun t => sin t ^ n) 0 (PI / 2).
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply (ex_derive_continuous (fun t => sin t ^ n)). auto_derive. exact I.
Qed.

Lemma quarter_0 : quarter 0 = PI / 2.
Proof.
  unfold quarter. simpl. rewrite RInt_const. unfold scal; simpl. unfold mult; simpl. ring.
Qed.

Lemma quarter_1 : quarter 1 = 1.
Proof.
  unfold quarter. apply (is_RInt_unique (V := R_CompleteNormedModule)).
  replace 1 with (minus (- cos (PI / 2)) (- cos 0)).
  - apply (is_RInt_derive (fun t => - cos t) (fun t => sin t ^ 1)).
    + intros t _. auto_derive; [exact I|ring].
    + intros t _. apply (ex_derive_continuous (fun t => sin t ^ 1)). auto_derive. exact I.
  - rewrite cos_PI2, cos_0. unfold minus, plus, opp; simpl. ring.
Qed.

(** By parts: (- cos sin^(n+1))' = (n+2) sin^(n+2) - (n+1) sin^n. *)

Lemma quarter_next n : (INR n + 2) * quarter (n + 2) = (INR n + 1) * quarter n.
Proof.
  assert (A : is_RInt (fun t => (INR n + 2) * sin t ^ (n + 2) - (INR n + 1) * sin t ^ n) 0 (PI / 2) 0).
  { assert (Z : 0 = minus (- cos (PI / 2) * sin (PI / 2) ^ (n + 1)) (- cos 0 * sin 0 ^ (n + 1))).
    - rewrite cos_PI2, sin_0. rewrite (pow_i (n + 1)) by lia.
      unfold minus, plus, opp; simpl. ring.
    - rewrite Z at 2. apply (is_RInt_derive (fun t => - cos t * sin t ^ (n + 1))
        (fun t => (INR n + 2) * sin t ^ (n + 2) - (INR n + 1) * sin t ^ n)).
      + intros t _. auto_derive; [exact I|]. replace (pred (n + 1)) with n by lia.
        rewrite plus_INR, !pow_add. simpl. pose proof (sin2_cos2 t) as E. unfold Rsqr in E.
        match goal with |- ?l = ?r => replace l with
          (sin t * sin t * sin t ^ n - (INR n + 1) * sin t ^ n * (cos t * cos t)) by ring end.
        replace (cos t * cos t) with (1 - sin t * sin t) by lra. ring.
      + intros t _. apply (ex_derive_continuous (fun t => (INR n + 2) * sin t ^ (n + 2) - (INR n + 1) * sin t ^ n)).
        auto_derive. exact I. }
  assert (I : forall m, is_RInt (fun t => sin t ^ m) 0 (PI / 2) (quarter m)).
  { intros m. apply (RInt_correct (V := R_CompleteNormedModule)), power_integrable. }
  pose proof (is_RInt_minus _ _ _ _ _ _ (is_RInt_scal _ 0 (PI / 2) (INR n + 2) _ (I (n + 2)%nat))
    (is_RInt_scal _ 0 (PI / 2) (INR n + 1) _ (I n))) as B.
  apply (is_RInt_unique (V := R_CompleteNormedModule)) in A. apply (is_RInt_unique (V := R_CompleteNormedModule)) in B.
  assert (E : minus (scal (INR n + 2) (quarter (n + 2))) (scal (INR n + 1) (quarter n)) = 0).
  { rewrite <- A. symmetry. exact B. }
  unfold minus, plus, opp, scal in E; simpl in E; unfold mult in E; simpl in E. lra.
Qed.

Lemma sine_range t : 0 < t < PI / 2 -> 0 < sin t <= 1.
Proof. intros T. split; [apply sin_gt_0; lra|apply SIN_bound]. Qed.

Lemma quarter_falls n : quarter (n + 1) <= quarter n.
Proof.
  pose proof PI_RGT_0. apply RInt_le; [lra|apply power_integrable|apply power_integrable|].
  intros t T. destruct (sine_range t T) as [A B]. rewrite pow_add, pow_1. pose proof (pow_lt (sin t) n A).
  rewrite <- (Rmult_1_r (sin t ^ n)) at 2. apply Rmult_le_compat_l; lra.
Qed.

Lemma quarter_pos n : 0 < quarter n.
Proof.
  assert (P : 0 < quarter n /\ 0 < quarter (n + 1)); [|apply P]. induction n as [|n [A B]].
  - rewrite quarter_0. simpl. rewrite quarter_1. pose proof PI_RGT_0. lra.
  - replace (S n) with (n + 1)%nat by lia. split; [exact B|].
    replace (n + 1 + 1)%nat with (n + 2)%nat by lia.
    pose proof (quarter_next n) as E. pose proof (pos_INR n).
    apply (Rmult_lt_reg_l (INR n + 2)); [lra|]. rewrite E, Rmult_0_r. apply Rmult_lt_0_compat; lra.
Qed.

(** The product of j (j+1) / (j + 1/2)^2, j = a, ..., a + m - 1. *)

Definition factor (a : R) : R := a * (a + 1) / ((a + / 2) * (a + / 2)).

Fixpoint product (m : nat) (a : R) : R :=
  match m with
  | O => 1
  | S m => product m a * factor (a + INR m)
  end.

Lemma product_is m : product m 1 * quarter (2 * m + 2) = PI / 4 * quarter (2 * m + 1).
Proof.
  induction m as [|m IH].
  - pose proof (quarter_next 0) as E. simpl in *. rewrite quarter_0 in E. rewrite quarter_1. lra.
  - cbn [product]. pose proof (pos_INR m).
    pose proof (quarter_next (2 * m + 2)) as E. pose proof (quarter_next (2 * m + 1)) as F.
    replace (2 * S m + 2)%nat with (2 * m + 2 + 2)%nat by lia.
    replace (2 * S m + 1)%nat with (2 * m + 1 + 2)%nat by lia.
    rewrite plus_INR, mult_INR in E, F. simpl in E, F.
    assert (E' : quarter (2 * m + 2 + 2) = (2 * INR m + 3) / (2 * INR m + 4) * quarter (2 * m + 2)).
    { apply (Rmult_eq_reg_l (2 * INR m + 4)); [|lra].
      transitivity ((2 * INR m + 3) * quarter (2 * m + 2)); [|field; lra]. simpl in *. lra. }
    assert (F' : quarter (2 * m + 1 + 2) = (2 * INR m + 2) / (2 * INR m + 3) * quarter (2 * m + 1)).
    { apply (Rmult_eq_reg_l (2 * INR m + 3)); [|lra].
      transitivity ((2 * INR m + 2) * quarter (2 * m + 1)); [|field; lra]. simpl in *. lra. }
    rewrite E', F'. unfold factor.
    transitivity (product m 1 * quarter (2 * m + 2) * ((2 * INR m + 2) / (2 * INR m + 3))); [field; lra|].
    rewrite IH. ring.
Qed.

Theorem wallis_below m : PI / 4 <= product m 1.
Proof.
  pose proof (product_is m) as E. pose proof (quarter_falls (2 * m + 1)) as F. pose proof (quarter_pos (2 * m + 2)) as P.
  replace (2 * m + 1 + 1)%nat with (2 * m + 2)%nat in F by lia.
  apply (Rmult_le_reg_r (quarter (2 * m + 2))); [exact P|]. rewrite E. pose proof PI_RGT_0.
  apply Rmult_le_compat_l; [lra|exact F].
Qed.

Theorem wallis_above m : product m 1 <= PI / 4 * (1 + / (2 * INR m + 2)).
Proof.
  pose proof (product_is m) as E. pose proof (quarter_falls (2 * m + 2)) as F. pose proof (quarter_pos (2 * m + 2)) as P.
  pose proof (quarter_next (2 * m + 1)) as G. pose proof (pos_INR m). pose proof PI_RGT_0.
  replace (2 * m + 2 + 1)%nat with (2 * m + 1 + 2)%nat in F by lia.
  rewrite plus_INR, mult_INR in G. simpl in G.
  assert (Q : quarter (2 * m + 1) * (2 * INR m + 2) <= (2 * INR m + 3) * quarter (2 * m + 2)).
  { apply Rle_trans with ((2 * INR m + 3) * quarter (2 * m + 1 + 2)).
    - simpl in *. lra.
    - apply Rmult_le_compat_l; lra. }
  apply (Rmult_le_reg_r (quarter (2 * m + 2))); [exact P|]. rewrite E.
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  apply (Rmult_le_reg_l (2 * INR m + 2)); [lra|].
  replace ((2 * INR m + 2) * ((1 + / (2 * INR m + 2)) * quarter (2 * m + 2)))
    with ((2 * INR m + 3) * quarter (2 * m + 2)) by (field; lra). lra.
Qed.
