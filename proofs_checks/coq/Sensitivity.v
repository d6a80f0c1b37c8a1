(** gs.supremum, and gs.any-prior for priors >= 1 (N0, N4 section 1): GS <= sqrt (1 - PI/4), attained at n = 1. So EHD with
    that constant is eps-DP (dp.ehd.prior-ge-1).

    In a cell where adjacent histograms differ, the square of its factor of BC is quotient (a + c) >= PI/4 (Quotient.v). *)

From Coq Require Import Reals Lra List Arith Lia.
Import ListNotations.
From DP Require Import Laws Model Dirichlet Gamma Quotient Levels Histograms.
Open Scope R_scope.

Lemma cell a c : 1 <= a -> PI / 4 * (Gamma (a + INR (c + c) / 2) * Gamma (a + INR (c + 1 + (c + 1)) / 2))
  <= Gamma (a + INR (c + (c + 1)) / 2) * Gamma (a + INR (c + (c + 1)) / 2).
Proof.
  intros A. pose proof (pos_INR c). pose proof (quotient_at_least (a + INR c) ltac:(lra)) as Q. unfold quotient in Q.
  replace (a + INR (c + c) / 2) with (a + INR c) by (rewrite plus_INR; field).
  replace (a + INR (c + 1 + (c + 1)) / 2) with (a + INR c + 1) by (rewrite !plus_INR; simpl; field).
  replace (a + INR (c + (c + 1)) / 2) with (a + INR c + / 2) by (rewrite !plus_INR; simpl; field).
  pose proof (positive (a + INR c) ltac:(lra)). pose proof (positive (a + INR c + 1) ltac:(lra)).
  assert (P : 0 < Gamma (a + INR c) * Gamma (a + INR c + 1)) by (apply Rmult_lt_0_compat; assumption).
  apply (Rmult_le_compat_r (Gamma (a + INR c) * Gamma (a + INR c + 1))) in Q; [|lra].
  unfold Rdiv in Q at 2. rewrite Rmult_assoc, Rinv_l in Q by lra. lra.
Qed.

Lemma beta_close prior : Forall (Rle 1) prior -> forall x y, (steps x y <= 1)%nat -> (steps y x <= 1)%nat ->
  length x = length prior -> length y = length prior ->
  (PI / 4) ^ (steps x y + steps y x) * (beta Gamma prior x x * beta Gamma prior y y)
  <= beta Gamma prior x y * beta Gamma prior x y.
Proof.
  pose proof PI_RGT_0 as PI0.
  induction 1 as [|a l A L IH]; intros [|c x] [|c' y] U V X Y; try discriminate; [simpl; lra|].
  injection X as X. injection Y as Y. cbn [steps] in U, V.
  specialize (IH x y ltac:(lia) ltac:(lia) X Y).
  assert (Pos : Forall (Rlt 0) l) by (eapply Forall_impl; [|exact L]; intros z Z; lra).
  cbn [beta]. pose proof (beta_pos Gamma moments l Pos x x). pose proof (beta_pos Gamma moments l Pos y y).
  assert (N : 0 <= (PI / 4) ^ (steps x y + steps y x) * (beta Gamma l x x * beta Gamma l y y)).
  { apply Rmult_le_pos; [apply pow_le; lra|]. apply Rlt_le, Rmult_lt_0_compat; assumption. }
  pose proof (Gamma_pos Gamma moments a (c + c) ltac:(lra)). pose proof (Gamma_pos Gamma moments a (c' + c') ltac:(lra)).
  assert (G : forall e, e * (Gamma (a + INR (c + c) / 2) * Gamma (a + INR (c' + c') / 2))
      <= Gamma (a + INR (c + c') / 2) * Gamma (a + INR (c + c') / 2) -> 0 <= e ->
    e * (PI / 4) ^ (steps x y + steps y x) * (Gamma (a + INR (c + c) / 2) * beta Gamma l x x *
      (Gamma (a + INR (c' + c') / 2) * beta Gamma l y y))
    <= Gamma (a + INR (c + c') / 2) * beta Gamma l x y * (Gamma (a + INR (c + c') / 2) * beta Gamma l x y)).
  { intros e D E. set (p := (PI / 4) ^ (steps x y + steps y x)) in *.
    match goal with |- ?s <= ?t => replace s with
      (e * (Gamma (a + INR (c + c) / 2) * Gamma (a + INR (c' + c') / 2)) * (p * (beta Gamma l x x * beta Gamma l y y)))
      by ring; replace t with (Gamma (a + INR (c + c') / 2) * Gamma (a + INR (c + c') / 2) *
        (beta Gamma l x y * beta Gamma l x y)) by ring end.
    apply Rmult_le_compat; try assumption. apply Rmult_le_pos; [exact E|]. apply Rlt_le, Rmult_lt_0_compat; assumption. }
  cbn [steps]. assert (W : (c = c' \/ c' = c + 1 \/ c = c' + 1)%nat) by lia. destruct W as [<-|[->| ->]].
  - rewrite Nat.sub_diag. simpl (0 + _)%nat. rewrite <- (Rmult_1_l ((PI / 4) ^ _)). apply G; lra.
  - replace (c - (c + 1) + steps x y + (c + 1 - c + steps y x))%nat with (1 + (steps x y + steps y x))%nat by lia.
    rewrite pow_add, pow_1. apply G; [apply cell, A|lra].
  - replace (c' + 1 - c' + steps x y + (c' - (c' + 1) + steps y x))%nat with (1 + (steps x y + steps y x))%nat by lia.
    rewrite pow_add, pow_1. apply G; [|lra]. rewrite (Rmult_comm (Gamma (a + INR (c' + 1 + (c' + 1)) / 2))).
    rewrite (Nat.add_comm (c' + 1) c'). apply cell, A.
Qed.

Section Sensitivity.

  Variable prior : list R.
  Variable n : nat.
  Hypothesis prior_at_least_1 : Forall (Rle 1) prior.
  Hypothesis two_categories : (2 <= length prior)%nat.
  Hypothesis one_record : (1 <= n)%nat.

  Notation k := (length prior).

  Lemma prior_pos : Forall (Rlt 0) prior.
  Proof. eapply Forall_impl; [|exact prior_at_least_1]. intros z Z. lra. Qed.

  Lemma h_below x y : d k n x y = 1%nat -> h prior n x y <= sqrt (1 - PI / 4).
  Proof.
    intros D. pose proof D as D'. rewrite d_symmetric in D'. unfold d in D, D'. unfold h, H.
    destruct x as [x [X Sx]], y as [y [Y Sy]]. simpl in *. apply sqrt_le_1_alt.
    pose proof (beta_close prior prior_at_least_1 x y ltac:(lia) ltac:(lia) X Y) as B. rewrite D, D' in B. simpl in B.
    pose proof (beta_pos Gamma moments prior prior_pos x x) as P. pose proof (beta_pos Gamma moments prior prior_pos y y) as Q.
    pose proof (beta_pos Gamma moments prior prior_pos x y) as R.
    assert (T : PI / 4 <= BC Gamma prior x y); [|lra]. pose proof PI_RGT_0. unfold BC.
    assert (W : 0 < beta Gamma prior x x * beta Gamma prior y y) by (apply Rmult_lt_0_compat; assumption).
    pose proof (sqrt_lt_R0 _ W) as V. pose proof (sqrt_sqrt _ (Rlt_le _ _ W)) as E.
    set (s := sqrt (beta Gamma prior x x * beta Gamma prior y y)) in *.
    apply (Rmult_le_reg_r s); [exact V|]. unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rsqr_incr_0; [unfold Rsqr; rewrite <- E in B; lra|apply Rmult_le_pos; lra|lra].
  Qed.

  Theorem gs_at_most : GS _ (all k n) (d k n) (h prior n) <= sqrt (1 - PI / 4).
  Proof.
    apply largest_below; [apply sqrt_pos|]. intros x _.
    rewrite ls_histograms by (try apply prior_pos; assumption).
    apply largest_below; [apply sqrt_pos|]. intros y Y.
    apply neighbors_spec in Y; [|apply all_complete]. apply h_below, Y.
  Qed.

  (** dp.ehd.prior-ge-1: EHD with the constant. *)

  Theorem ehd_constant eps x y :
    0 <= eps -> d k n x y = 1%nat ->
    within eps (EHD _ (all k n) (h prior n) eps (sqrt (1 - PI / 4)) x)
      (EHD _ (all k n) (h prior n) eps (sqrt (1 - PI / 4)) y) (all k n).
  Proof.
    intros E D. apply ehd_delta_histograms; try assumption; [apply prior_pos|apply gs_at_most].
  Qed.

End Sensitivity.

(** The two data sets of n = 1, prior (1, 1), attain it. *)

Theorem gs_attained : GS _ (all 2 1) (d 2 1) (h [1; 1] 1) = sqrt (1 - PI / 4).
Proof.
  assert (O : Forall (Rle 1) [1; 1]) by (repeat constructor; lra).
  apply Rle_antisym; [apply (gs_at_most [1; 1] 1 O); simpl; lia|].
  pose (x := exist _ [0; 1]%nat (conj eq_refl eq_refl) : histogram 2 1).
  pose (y := exist _ [1; 0]%nat (conj eq_refl eq_refl) : histogram 2 1).
  change (sqrt (1 - PI / 4)) with (distance_n1 false true). rewrite <- distance_n1_is.
  change (H Gamma [1; 1] [0; 1]%nat [1; 0]%nat) with (h [1; 1] 1 x y).
  apply Rle_trans with (LS _ (all 2 1) (d 2 1) (h [1; 1] 1) x); [|apply largest_above, all_complete].
  rewrite (ls_histograms [1; 1] 1 (prior_pos _ O)) by (simpl; lia).
  apply largest_above, neighbors_spec; [apply all_complete|]. apply one_apart. reflexivity.
Qed.
