(** Euler's integral exists at every z > 0 and defines Gamma; Gamma (z + 1) = z Gamma z, Gamma 1 = 1. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From DP Require Import Laws Dirichlet Euler.
Open Scope R_scope.

(** An integral over t > 0 of what is nowhere negative exists if the integrals over parts are bounded. *)

Lemma integral_exists g M :
  (forall t, 0 < t -> 0 <= g t) -> (forall t, 0 < t -> continuous g t) ->
  (forall x y, 0 < x -> x <= y -> RInt g x y <= M) ->
  exists l, is_RInt_gen g (at_right 0) (Rbar_locally p_infty) l.
Proof.
  intros N C B.
  assert (I : forall x y, 0 < x -> x <= y -> ex_RInt g x y).
  { intros x y X Y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t T. apply C.
    rewrite Rmin_left in T by exact Y. lra. }
  pose (E := fun r => exists x y, 0 < x /\ x <= y /\ r = RInt g x y).
  destruct (completeness E) as [l [U L]].
  { exists M. intros r [x [y [X [Y ->]]]]. apply B; assumption. }
  { exists (RInt g 1 1), 1, 1. repeat split; lra. }
  exists l. intros P [eps D]. pose proof (cond_pos eps) as Ep.
  assert (A : exists x y, 0 < x /\ x <= y /\ l - eps < RInt g x y).
  { destruct (Classical_Prop.classic (exists x y, 0 < x /\ x <= y /\ l - eps < RInt g x y)) as [A|A]; [exact A|].
    exfalso. assert (l <= l - eps); [|lra]. apply L. intros r [x [y [X [Y ->]]]].
    apply Rnot_lt_le. intros Q. apply A. exists x, y. auto. }
  destruct A as [x0 [y0 [X0 [Y0 A]]]].
  apply (Filter_prod _ _ _ (fun a => 0 < a <= x0) (fun b => y0 <= b)).
  - exists (mkposreal x0 X0). intros a Q T. change (Rabs (a - 0) < x0) in Q. rewrite Rabs_pos_eq in Q by lra. lra.
  - exists y0. intros; lra.
  - intros a b [P0 P1] P2. exists (RInt g a b). split.
    + apply (RInt_correct (V := R_CompleteNormedModule)), I; simpl; lra.
    + apply D. change (Rabs (RInt g a b - l) < eps).
      assert (V : RInt g a b <= l) by (apply U; exists a, b; repeat split; lra).
      pose proof (RInt_Chasles (V := R_CompleteNormedModule) g a x0 y0 (I a x0 P0 P1) (I x0 y0 X0 Y0)) as E1.
      pose proof (RInt_Chasles (V := R_CompleteNormedModule) g a y0 b (I a y0 P0 ltac:(lra)) (I y0 b ltac:(lra) P2)) as E2.
      unfold plus in E1, E2; simpl in E1, E2.
      assert (0 <= RInt g a x0) by (apply RInt_ge_0; [lra|apply I; lra|intros; apply N; lra]).
      assert (0 <= RInt g y0 b) by (apply RInt_ge_0; [lra|apply I; lra|intros; apply N; lra]).
      apply Rabs_def1; lra.
Qed.

Lemma integral_of_derivative F f la lb :
  (forall t, 0 < t -> is_derive F t (f t)) -> (forall t, 0 < t -> continuous f t) ->
  filterlim F (at_right 0) (locally la) -> filterlim F (Rbar_locally p_infty) (locally lb) ->
  is_RInt_gen f (at_right 0) (Rbar_locally p_infty) (lb - la).
Proof.
  intros D C A B P [eps Q]. pose proof (cond_pos eps) as Ep.
  assert (Hp : 0 < eps / 2) by lra.
  pose proof (A _ (locally_ball la (mkposreal _ Hp))) as A1. pose proof (B _ (locally_ball lb (mkposreal _ Hp))) as B1.
  destruct A1 as [d A1]. destruct B1 as [M B1].
  apply (Filter_prod _ _ _ (fun a => 0 < a /\ Rabs (F a - la) < eps / 2) (fun b => 0 < b /\ Rabs (F b - lb) < eps / 2)).
  - exists d. intros a X T. split; [exact T|exact (A1 a X T)].
  - exists (Rmax M 0). intros b X. pose proof (Rmax_l M 0). pose proof (Rmax_r M 0).
    split; [lra|apply (B1 b); lra].
  - intros a b [X X1] [Y Y1]. exists (F b - F a). simpl. split.
    + assert (0 < Rmin a b) by (apply Rmin_glb_lt; assumption).
      apply (is_RInt_derive F f); intros t T; [apply D|apply C]; lra.
    + apply Q. change (Rabs (F b - F a - (lb - la)) < eps).
      replace (F b - F a - (lb - la)) with ((F b - lb) + - (F a - la)) by ring.
      eapply Rle_lt_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
Qed.

(** t^z is at most C e^(t/2) with C = (2z)^z. *)

Definition top (z : R) : R := exp (z * ln (2 * z)).

Lemma power_below z t : 0 < z -> 0 < t -> density (z + 1) t <= top z * exp (- (t / 2)).
Proof.
  intros Z T. unfold density, Rpower, top. rewrite <- !exp_plus. apply exp_le.
  assert (Q : 0 < t / (2 * z)) by (apply Rdiv_lt_0_compat; lra).
  assert (L : ln t <= ln (2 * z) + t / (2 * z)).
  { replace t with (2 * z * (t / (2 * z))) at 1 by (field; lra). rewrite ln_mult by lra. apply Rplus_le_compat_l.
    rewrite <- (ln_exp (t / (2 * z))) at 2. pose proof (exp_ineq1 (t / (2 * z)) ltac:(lra)).
    left. apply ln_increasing; lra. }
  apply (Rmult_le_compat_l z) in L; [|lra]. replace (z * (ln (2 * z) + t / (2 * z))) with (z * ln (2 * z) + t / 2) in L
    by (field; lra). lra.
Qed.

Lemma top_pos z : 0 < top z.
Proof. apply exp_pos. Qed.

Lemma density_continuous z t : 0 < t -> continuous (density z) t.
Proof. intros T. apply (ex_derive_continuous (density z)). unfold density, Rpower. auto_derive. exact T. Qed.

(** (t^z e^(-t))' = z t^(z-1) e^(-t) - t^z e^(-t). *)

Lemma derivative z t : 0 < t -> is_derive (density (z + 1)) t (z * density z t - density (z + 1) t).
Proof.
  intros T. unfold density, Rpower. auto_derive; [exact T|].
  replace (z + 1 - 1) with z by ring. replace ((z - 1) * ln t) with (z * ln t + - ln t) by ring.
  rewrite exp_plus, (exp_Ropp (ln t)), exp_ln by exact T. field. lra.
Qed.

Lemma tail_at_0 z : 0 < z -> filterlim (density (z + 1)) (at_right 0) (locally 0).
Proof.
  intros Z P [eps D]. pose proof (cond_pos eps) as Ep.
  exists (mkposreal (exp (ln eps / z)) (exp_pos _)). intros t Q T. apply D.
  change (Rabs (t - 0) < exp (ln eps / z)) in Q. rewrite Rminus_0_r, Rabs_pos_eq in Q by lra.
  change (Rabs (density (z + 1) t - 0) < eps). pose proof (density_pos (z + 1) t).
  rewrite Rabs_pos_eq by lra. rewrite Rminus_0_r. apply ln_increasing in Q; [|exact T]. rewrite ln_exp in Q.
  unfold density, Rpower. rewrite <- exp_plus. rewrite <- (exp_ln eps Ep). apply exp_increasing.
  apply (Rmult_lt_compat_l z) in Q; [|exact Z]. replace (z * (ln eps / z)) with (ln eps) in Q by (field; lra).
  replace (z + 1 - 1) with z by ring. lra.
Qed.

Lemma tail_at_infinity z : 0 < z -> filterlim (density (z + 1)) (Rbar_locally p_infty) (locally 0).
Proof.
  intros Z P [eps D]. pose proof (cond_pos eps) as Ep. pose proof (top_pos z) as C.
  exists (Rmax 0 (- 2 * ln (eps / top z))). intros t Q. pose proof (Rmax_l 0 (- 2 * ln (eps / top z))).
  pose proof (Rmax_r 0 (- 2 * ln (eps / top z))). assert (T : 0 < t) by lra. apply D.
  change (Rabs (density (z + 1) t - 0) < eps). pose proof (density_pos (z + 1) t).
  rewrite Rabs_pos_eq by lra. rewrite Rminus_0_r. eapply Rle_lt_trans; [apply power_below; assumption|].
  assert (E : exp (- (t / 2)) < exp (ln (eps / top z))) by (apply exp_increasing; lra).
  rewrite exp_ln in E by (apply Rdiv_lt_0_compat; lra).
  apply (Rmult_lt_compat_l (top z)) in E; [|exact C]. replace (top z * (eps / top z)) with (pos eps) in E by (field; lra).
  exact E.
Qed.

Lemma density_bounded z x y : 0 < z -> 0 < x -> x <= y -> RInt (density z) x y <= 3 * top z / z.
Proof.
  intros Z X Y. pose proof (top_pos z) as C.
  pose (F := fun t => density (z + 1) t - 2 * top z * exp (- (t / 2))).
  pose (f := fun t => z * density z t - density (z + 1) t + top z * exp (- (t / 2))).
  assert (K : forall t, x <= t <= y -> continuous f t).
  { intros t T. apply (ex_derive_continuous f). unfold f, density, Rpower. auto_derive. repeat split; lra. }
  assert (I : is_RInt f x y (F y - F x)).
  { apply (is_RInt_derive F f); intros t T; rewrite Rmin_left, Rmax_right in T by exact Y; [|apply K, T].
    unfold F, f.
    evar_last.
    - apply (is_derive_minus (density (z + 1)) (fun t => 2 * top z * exp (- (t / 2)))); [apply derivative; lra|].
      instantiate (1 := - (top z * exp (- (t / 2)))). auto_derive; [exact I|]. unfold Rdiv. field.
    - unfold minus, plus, opp; simpl. ring. }
  assert (J : ex_RInt (density z) x y).
  { apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t T. rewrite Rmin_left in T by exact Y.
    apply density_continuous. lra. }
  assert (L : z * RInt (density z) x y <= F y - F x).
  { rewrite <- (is_RInt_unique (V := R_CompleteNormedModule) f x y _ I).
    change (z * RInt (density z) x y) with (scal z (RInt (density z) x y)).
    rewrite <- (RInt_scal (V := R_CompleteNormedModule)) by exact J.
    apply RInt_le; [exact Y|apply (ex_RInt_scal (V := R_NormedModule)), J|exists (F y - F x); exact I|].
    intros t T. unfold f, scal; simpl; unfold mult; simpl. pose proof (power_below z t Z ltac:(lra)). lra. }
  assert (E : forall t, 0 < t -> 0 < exp (- (t / 2)) < 1).
  { intros t T. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. }
  destruct (E x X) as [E0 E1]. destruct (E y ltac:(lra)) as [E2 E3].
  assert (F y <= top z).
  { unfold F. pose proof (power_below z y Z ltac:(lra)). assert (0 <= top z * exp (- (y / 2))) by (apply Rmult_le_pos; lra).
    assert (top z * exp (- (y / 2)) <= top z * 1) by (apply Rmult_le_compat_l; lra). lra. }
  assert (- 2 * top z <= F x).
  { unfold F. pose proof (density_pos (z + 1) x).
    assert (top z * exp (- (x / 2)) <= top z * 1) by (apply Rmult_le_compat_l; lra). lra. }
  apply (Rmult_le_reg_l z); [exact Z|]. replace (z * (3 * top z / z)) with (3 * top z) by (field; lra). lra.
Qed.

Definition Gamma (z : R) : R := RInt_gen (density z) (at_right 0) (Rbar_locally p_infty).

Theorem Gamma_is : euler Gamma.
Proof.
  intros z Z. apply (RInt_gen_correct (V := R_CompleteNormedModule)).
  apply (integral_exists (density z) (3 * top z / z)); intros.
  - apply Rlt_le, density_pos.
  - apply density_continuous; assumption.
  - apply density_bounded; assumption.
Qed.

Lemma moments : gamma_moments Gamma.
Proof. exact (euler_moments Gamma Gamma_is). Qed.

(** Integration by parts. *)

Theorem Gamma_next z : 0 < z -> Gamma (z + 1) = z * Gamma z.
Proof.
  intros Z.
  assert (A : is_RInt_gen (fun t => z * density z t - density (z + 1) t) (at_right 0) (Rbar_locally p_infty) (0 - 0)).
  { apply (integral_of_derivative (density (z + 1))); [intros; apply derivative; assumption| |apply tail_at_0, Z|
      apply tail_at_infinity, Z].
    intros t T. apply (ex_derive_continuous (fun t => z * density z t - density (z + 1) t)).
    unfold density, Rpower. auto_derive. split; exact T || (split; [exact T|exact I]). }
  pose proof (is_RInt_gen_minus _ _ _ _ (is_RInt_gen_scal (density z) z _ (Gamma_is z Z))
    (Gamma_is (z + 1) ltac:(lra))) as B.
  apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in A. apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in B.
  assert (E : minus (scal z (Gamma z)) (Gamma (z + 1)) = 0 - 0) by (rewrite <- A; symmetry; exact B).
  unfold minus, plus, opp, scal in E; simpl in E; unfold mult in E; simpl in E. lra.
Qed.

Theorem Gamma_1 : Gamma 1 = 1.
Proof.
  assert (A : is_RInt_gen (density 1) (at_right 0) (Rbar_locally p_infty) (0 - -1)).
  { apply (integral_of_derivative (fun t => - exp (- t))).
    - intros t T. auto_derive; [exact I|]. unfold density, Rpower. rewrite Rminus_diag_eq, Rmult_0_l, exp_0 by reflexivity.
      ring.
    - intros t T. apply density_continuous, T.
    - assert (K : continuous (fun t => - exp (- t)) 0).
      { apply (ex_derive_continuous (fun t => - exp (- t))). auto_derive. exact I. }
      unfold continuous in K. rewrite Ropp_0, exp_0 in K. intros P Q. destruct (K P Q) as [d D]. exists d.
      intros t T _. apply D, T.
    - intros P [eps D]. pose proof (cond_pos eps) as Ep. exists (- ln eps). intros t T. apply D.
      change (Rabs (- exp (- t) - 0) < eps). rewrite Rminus_0_r, Rabs_Ropp, Rabs_pos_eq by (apply Rlt_le, exp_pos).
      rewrite <- (exp_ln eps Ep). apply exp_increasing. lra. }
  apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in A. unfold Gamma. rewrite A. ring.
Qed.
