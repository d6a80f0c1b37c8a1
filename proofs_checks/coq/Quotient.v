(** The quotient Gamma (a + 1/2)^2 / (Gamma a Gamma (a + 1)) is below 1, and at least PI/4 from a = 1 on; there it is
    PI/4, so Gamma (3/2) = sqrt PI / 2. *)

From Coq Require Import Reals Lra Lia List.
Import ListNotations.
From DP Require Import Laws Dirichlet Gamma Wallis.
Open Scope R_scope.

Lemma gamma_convex c m : 0 < c ->
  Gamma (c + INR (m + 1) / 2) * Gamma (c + INR (m + 1) / 2) < Gamma (c + INR m / 2) * Gamma (c + INR (m + 2) / 2).
Proof.
  intros C. pose proof (Gamma_pos Gamma moments c m C) as G0. pose proof (Gamma_pos Gamma moments c (m + 1) C) as G1.
  set (g0 := Gamma (c + INR m / 2)) in *. set (g1 := Gamma (c + INR (m + 1) / 2)) in *.
  set (g2 := Gamma (c + INR (m + 2) / 2)) in *.
  pose (p := [(g1 * g1, m); (- (2 * (g1 * g0)), (m + 1)%nat); (g0 * g0, (m + 2)%nat)]).
  assert (Q : forall u, at_point p u = u ^ m * ((g1 - g0 * u) * (g1 - g0 * u))).
  { intros u. unfold at_point, p. cbn [sum fst snd]. rewrite !pow_add. simpl. ring. }
  assert (I : 0 < integral Gamma c p).
  { apply moments; [exact C| |].
    - intros u U. rewrite Q. pose proof (pow_lt u m U). apply Rmult_le_pos; [lra|apply Rle_0_sqr].
    - exists (g1 / g0 + 1). assert (P : 0 < g1 / g0 + 1) by (pose proof (Rdiv_lt_0_compat g1 g0 G1 G0); lra).
      split; [exact P|]. rewrite Q. apply Rmult_lt_0_compat; [apply pow_lt, P|].
      replace (g1 - g0 * (g1 / g0 + 1)) with (- g0) by (field; lra).
      replace (- g0 * - g0) with (g0 * g0) by ring. apply Rmult_lt_0_compat; exact G0. }
  assert (E : integral Gamma c p = g0 * (g0 * g2 - g1 * g1)).
  { unfold integral, p. cbn [sum fst snd]. fold g0 g1 g2. ring. }
  rewrite E in I. apply Rnot_le_lt. intros L.
  assert (g0 * (g0 * g2 - g1 * g1) <= g0 * 0) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma positive a : 0 < a -> 0 < Gamma a.
Proof.
  intros A. replace a with (a + INR 0 / 2) by (simpl; field). apply (Gamma_pos Gamma moments a 0 A).
Qed.

Definition quotient (a : R) : R := Gamma (a + / 2) * Gamma (a + / 2) / (Gamma a * Gamma (a + 1)).

Lemma quotient_below a : 0 < a -> quotient a < 1.
Proof.
  intros A. pose proof (gamma_convex a 0 A) as C. simpl in C.
  replace (a + 1 / 2) with (a + / 2) in C by field. replace (a + 0 / 2) with a in C by field.
  replace (a + (1 + 1) / 2) with (a + 1) in C by field.
  pose proof (positive a A). pose proof (positive (a + 1) ltac:(lra)).
  assert (0 < Gamma a * Gamma (a + 1)) by (apply Rmult_lt_0_compat; assumption).
  unfold quotient. apply (Rmult_lt_reg_r (Gamma a * Gamma (a + 1))); [assumption|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma quotient_above a : 0 < a -> a / (a + / 2) < quotient a.
Proof.
  intros A. pose proof (gamma_convex (a + / 2) 0 ltac:(lra)) as C. simpl in C.
  replace (a + / 2 + 1 / 2) with (a + 1) in C by field. replace (a + / 2 + 0 / 2) with (a + / 2) in C by field.
  replace (a + / 2 + (1 + 1) / 2) with (a + / 2 + 1) in C by field.
  rewrite (Gamma_next (a + / 2)) in C by lra.
  pose proof (positive a A) as P. pose proof (positive (a + 1) ltac:(lra)) as Q.
  assert (D : 0 < Gamma a * Gamma (a + 1)) by (apply Rmult_lt_0_compat; assumption).
  unfold quotient. apply (Rmult_lt_reg_r (Gamma a * Gamma (a + 1) * (a + / 2))); [apply Rmult_lt_0_compat; lra|].
  replace (a / (a + / 2) * (Gamma a * Gamma (a + 1) * (a + / 2))) with (a * Gamma a * Gamma (a + 1)) by (field; lra).
  replace (Gamma (a + / 2) * Gamma (a + / 2) / (Gamma a * Gamma (a + 1)) * (Gamma a * Gamma (a + 1) * (a + / 2)))
    with (Gamma (a + / 2) * ((a + / 2) * Gamma (a + / 2))) by (field; lra).
  rewrite <- (Gamma_next a A). exact C.
Qed.

(** One step: quotient a = factor a * quotient (a + 1), so quotient a is a product times a factor that tends to 1. *)

Lemma factor_pos a : 0 < a -> 0 < factor a.
Proof. intros A. apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; lra. Qed.

Lemma quotient_next a : 0 < a -> quotient a = factor a * quotient (a + 1).
Proof.
  intros A. unfold quotient, factor. replace (a + 1 + / 2) with (a + / 2 + 1) by ring.
  rewrite (Gamma_next (a + / 2)), (Gamma_next (a + 1)), (Gamma_next a) by lra.
  pose proof (positive a A). field. lra.
Qed.

Lemma quotient_product m a : 0 < a -> quotient a = product m a * quotient (a + INR m).
Proof.
  intros A. induction m as [|m IH]; [simpl; rewrite Rplus_0_r; ring|]. cbn [product]. pose proof (pos_INR m).
  rewrite IH, (quotient_next (a + INR m)), S_INR by lra. rewrite <- (Rplus_assoc a (INR m) 1). ring.
Qed.

Lemma product_pos m a : 0 < a -> 0 < product m a.
Proof.
  intros A. induction m as [|m IH]; simpl; [lra|]. pose proof (pos_INR m).
  apply Rmult_lt_0_compat; [exact IH|apply factor_pos; lra].
Qed.

(** factor a = 1 - 1/(2a+1)^2 rises. *)

Lemma factor_rises b a : 0 < b -> b <= a -> factor b <= factor a.
Proof.
  intros B L. assert (F : forall c, 0 < c -> factor c = 1 - / (4 * ((c + / 2) * (c + / 2)))).
  { intros c C. unfold factor. field. lra. }
  rewrite !F by lra. apply Rplus_le_compat_l, Ropp_le_contravar, Rinv_le_contravar.
  - assert (0 < (b + / 2) * (b + / 2)) by (apply Rmult_lt_0_compat; lra). lra.
  - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra.
Qed.

Lemma product_rises m b a : 0 < b -> b <= a -> product m b <= product m a.
Proof.
  intros B L. induction m as [|m IH]; simpl; [lra|]. pose proof (pos_INR m).
  apply Rmult_le_compat; [apply Rlt_le, product_pos, B|apply Rlt_le, factor_pos; lra|exact IH|apply factor_rises; lra].
Qed.

(** A number that is at least c - d / (m + 1) for every m is at least c. *)

Lemma at_least_limit c d r : 0 <= d -> (forall m, c - d * / (INR m + 1) <= r) -> c <= r.
Proof.
  intros D H. apply Rnot_lt_le. intros L.
  destruct (archimed_cor1 ((c - r) / (d + 1))) as [m [M P]]; [apply Rdiv_lt_0_compat; lra|].
  pose proof (H m) as B. pose proof (lt_0_INR m P) as Q.
  assert (E : / (INR m + 1) < (c - r) / (d + 1)).
  { apply Rlt_trans with (/ INR m); [apply Rinv_lt_contravar; [apply Rmult_lt_0_compat|]; lra|exact M]. }
  assert (0 < / (INR m + 1)) by (apply Rinv_0_lt_compat; lra).
  apply (Rmult_lt_compat_r (d + 1)) in E; [|lra].
  replace ((c - r) / (d + 1) * (d + 1)) with (c - r) in E by (field; lra). lra.
Qed.

Theorem quotient_at_least a : 1 <= a -> PI / 4 <= quotient a.
Proof.
  intros A. pose proof PI_RGT_0 as P. apply (at_least_limit _ (PI / 4)); [lra|]. intros m.
  pose proof (pos_INR m). pose proof (wallis_below m) as W. pose proof (product_rises m 1 a Rlt_0_1 A) as R.
  rewrite (quotient_product m a) by lra. pose proof (quotient_above (a + INR m) ltac:(lra)) as Q.
  assert (T : 1 - / (INR m + 1) <= (a + INR m) / (a + INR m + / 2)).
  { replace ((a + INR m) / (a + INR m + / 2)) with (1 - / (2 * (a + INR m) + 1)) by (field; lra).
    apply Rplus_le_compat_l, Ropp_le_contravar, Rinv_le_contravar; lra. }
  assert (N : 0 <= 1 - / (INR m + 1)).
  { assert (/ (INR m + 1) <= / 1) by (apply Rinv_le_contravar; lra). rewrite Rinv_1 in *. lra. }
  replace (PI / 4 - PI / 4 * / (INR m + 1)) with (PI / 4 * (1 - / (INR m + 1))) by ring.
  apply Rmult_le_compat; lra.
Qed.

Theorem quotient_1 : quotient 1 = PI / 4.
Proof.
  apply Rle_antisym; [|apply quotient_at_least; lra].
  pose proof PI_RGT_0 as P. apply (at_least_limit _ (PI / 8)); [lra|]. intros m. pose proof (pos_INR m).
  rewrite (quotient_product m 1) by lra. pose proof (quotient_below (1 + INR m) ltac:(lra)).
  pose proof (wallis_above m). pose proof (product_pos m 1 Rlt_0_1).
  assert (product m 1 * quotient (1 + INR m) <= product m 1 * 1) by (apply Rmult_le_compat_l; lra).
  replace (PI / 4 * (1 + / (2 * INR m + 2))) with (PI / 4 + PI / 8 * / (INR m + 1)) in * by (field; lra). lra.
Qed.

Theorem Gamma_2 : Gamma 2 = 1.
Proof. replace 2 with (1 + 1) by ring. rewrite Gamma_next, Gamma_1 by lra. ring. Qed.

Theorem Gamma_half : Gamma (3 / 2) = sqrt PI / 2.
Proof.
  pose proof quotient_1 as E. unfold quotient in E. replace (1 + / 2) with (3 / 2) in E by field.
  replace (1 + 1) with 2 in E by ring. rewrite Gamma_1, Gamma_2 in E.
  pose proof (positive (3 / 2) ltac:(lra)) as P. pose proof PI_RGT_0 as Q.
  rewrite <- (sqrt_square (Gamma (3 / 2))) by lra.
  replace (Gamma (3 / 2) * Gamma (3 / 2)) with (PI / 4) by lra.
  rewrite sqrt_div_alt by lra. replace 4 with (2 * 2) by ring. rewrite sqrt_square by lra. reflexivity.
Qed.

Theorem Gamma_at_half : Gamma (/ 2) = sqrt PI.
Proof.
  pose proof (Gamma_next (/ 2) ltac:(lra)) as E. replace (/ 2 + 1) with (3 / 2) in E by field.
  rewrite Gamma_half in E. lra.
Qed.
