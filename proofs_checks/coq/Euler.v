(** The one fact that Dirichlet.v asks of the Gamma function, from Euler's integral, which defines it. *)

From Coq Require Import Reals Lra List FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
From DP Require Import Laws Dirichlet.
Open Scope R_scope.

(** Gamma z is the integral of t^(z-1) e^(-t) over t > 0. *)

Definition density (z t : R) : R := Rpower t (z - 1) * exp (- t).

Definition euler (Gamma : R -> R) : Prop :=
  forall z, 0 < z -> is_RInt_gen (density z) (at_right 0) (Rbar_locally p_infty) (Gamma z).

(** A polynomial in the root of t, times the density. *)

Definition integrand (a : R) (p : list (R * nat)) (t : R) : R :=
  sum (fun c => fst c * density (a + INR (snd c) / 2) t) p.

Lemma integrand_is a p t : 0 < t -> integrand a p t = at_point p (sqrt t) * density a t.
Proof.
  intros T. unfold integrand, at_point. induction p as [|[c m] p IH]; simpl; [ring|]. rewrite IH, Rmult_plus_distr_r.
  f_equal. unfold density. replace (a + INR m / 2 - 1) with ((a - 1) + / 2 * INR m) by field.
  rewrite Rpower_plus, <- Rpower_mult, Rpower_sqrt, Rpower_pow by (try apply sqrt_lt_R0; exact T). ring.
Qed.

Lemma density_pos z t : 0 < density z t.
Proof. apply Rmult_lt_0_compat; apply exp_pos. Qed.

Lemma integrand_integral Gamma a p : euler Gamma -> 0 < a ->
  is_RInt_gen (integrand a p) (at_right 0) (Rbar_locally p_infty) (integral Gamma a p).
Proof.
  intros E A. induction p as [|[c m] p IH].
  - replace (integrand a []) with (fun t => scal 0 (density 1 t)).
    + replace (integral Gamma a []) with (scal 0 (Gamma 1)) by (apply Rmult_0_l).
      exact (is_RInt_gen_scal (density 1) 0 (Gamma 1) (E 1 Rlt_0_1)).
    + apply functional_extensionality. intros t. apply Rmult_0_l.
  - assert (Q : 0 < a + INR m / 2) by (pose proof (pos_INR m); lra).
    exact (is_RInt_gen_plus (fun t => scal c (density (a + INR m / 2) t)) (integrand a p) _ _
      (is_RInt_gen_scal (density (a + INR m / 2)) c _ (E _ Q)) IH).
Qed.

Lemma integrand_continuous a p t : 0 < t -> continuous (integrand a p) t.
Proof.
  intros T. apply (ex_derive_continuous (integrand a p)). induction p as [|[c m] p IH].
  - apply (ex_derive_const 0).
  - apply (ex_derive_plus (fun t => c * density (a + INR m / 2) t) (integrand a p)); [|exact IH].
    unfold density, Rpower. auto_derive. exact T.
Qed.

(** An integral over t > 0 of what is nowhere negative, and positive at a point where it is continuous, is positive. *)

Lemma integral_pos g l t0 :
  is_RInt_gen g (at_right 0) (Rbar_locally p_infty) l -> (forall t, 0 < t -> 0 <= g t) -> 0 < t0 -> continuous g t0 ->
  0 < g t0 -> 0 < l.
Proof.
  intros I N T C P.
  assert (L : locally t0 (fun t => g t0 / 2 < g t)).
  { apply C. apply open_gt. lra. }
  destruct L as [delta D]. pose proof (cond_pos delta) as Dp.
  pose (b := t0 + delta / 2). pose (v := delta / 2 * (g t0 / 2)).
  assert (V : 0 < v) by (apply Rmult_lt_0_compat; lra).
  pose (e := mkposreal v V).
  destruct (I (ball l e) (locally_ball l e)) as [Q S [eta Q1] [M S1] F].
  pose proof (cond_pos eta) as Ep.
  pose (x := Rmin (eta / 2) (t0 / 2)). pose (z := Rmax (M + 1) (b + 1)).
  assert (X : 0 < x /\ x <= eta / 2 /\ x <= t0 / 2).
  { unfold x. split; [apply Rmin_glb_lt; lra|]. split; [apply Rmin_l|apply Rmin_r]. }
  assert (Z : M + 1 <= z /\ b + 1 <= z) by (unfold z; split; [apply Rmax_l|apply Rmax_r]).
  destruct (F x z) as [y [Y B]].
  { apply Q1; [|lra]. change (Rabs (x - 0) < eta). rewrite Rabs_pos_eq by lra. lra. }
  { apply S1. lra. }
  simpl in Y. change (Rabs (y - l) < v) in B.
  assert (W : ex_RInt g x z) by (exists y; exact Y).
  assert (W1 : ex_RInt g x t0).
  { apply (ex_RInt_Chasles_1 (V := R_CompleteNormedModule) g x t0 z); [unfold b in *; lra|exact W]. }
  assert (W2 : ex_RInt g t0 z).
  { apply (ex_RInt_Chasles_2 (V := R_CompleteNormedModule) g x t0 z); [unfold b in *; lra|exact W]. }
  assert (W3 : ex_RInt g t0 b).
  { apply (ex_RInt_Chasles_1 (V := R_CompleteNormedModule) g t0 b z); [unfold b in *; lra|exact W2]. }
  assert (W4 : ex_RInt g b z).
  { apply (ex_RInt_Chasles_2 (V := R_CompleteNormedModule) g t0 b z); [unfold b in *; lra|exact W2]. }
  apply (is_RInt_unique (V := R_CompleteNormedModule) g x z y) in Y.
  pose proof (RInt_Chasles (V := R_CompleteNormedModule) g x t0 z W1 W2) as E1. pose proof (RInt_Chasles (V := R_CompleteNormedModule) g t0 b z W3 W4) as E2.
  unfold plus in E1, E2; simpl in E1, E2.
  assert (G1 : 0 <= RInt g x t0) by (apply RInt_ge_0; [lra|exact W1|intros; apply N; lra]).
  assert (G2 : 0 <= RInt g b z) by (apply RInt_ge_0; [unfold b in *; lra|exact W4|intros; apply N; unfold b in *; lra]).
  assert (G3 : v <= RInt g t0 b).
  { replace v with (RInt (fun _ => g t0 / 2) t0 b).
    - apply RInt_le; [unfold b; lra|apply ex_RInt_const|exact W3|]. intros t [A B']. apply Rlt_le, D.
      change (Rabs (t - t0) < delta). rewrite Rabs_pos_eq by lra. unfold b in *. lra.
    - rewrite RInt_const. unfold scal; simpl. unfold mult; simpl. unfold v, b. ring. }
  apply Rabs_def2 in B. lra.
Qed.

Theorem euler_moments Gamma : euler Gamma -> gamma_moments Gamma.
Proof.
  intros E a p A N [u [U V]].
  apply (integral_pos (integrand a p) _ (u * u)).
  - apply integrand_integral; assumption.
  - intros t T. rewrite integrand_is by exact T. apply Rmult_le_pos; [|apply Rlt_le, density_pos].
    apply N, sqrt_lt_R0, T.
  - apply Rmult_lt_0_compat; exact U.
  - apply integrand_continuous, Rmult_lt_0_compat; exact U.
  - rewrite integrand_is by (apply Rmult_lt_0_compat; exact U). rewrite sqrt_square by lra.
    apply Rmult_lt_0_compat; [exact V|apply density_pos].
Qed.
