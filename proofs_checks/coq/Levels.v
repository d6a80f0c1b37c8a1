(** A3 Lemmas 5.1, 5.2 and 5.3: scores, level sets and the sliding property of an exponential mechanism. *)

From Coq Require Import Reals Lra List Arith Lia.
Import ListNotations.
From DP Require Import Laws Model Dirichlet Gamma Quotient.
Open Scope R_scope.

Section Levels.

  Variable A : Type.
  Variable outputs : list A.
  Variable u : A -> R.
  Variable t : R.
  Hypothesis t_pos : 0 < t.

  Notation P := (exponential t u outputs).

  Definition at_score (a : R) (r : A) : bool := if Req_EM_T (u r) a then true else false.
  Definition level (a : R) : list A := filter (at_score a) outputs.
  Definition chance (a : R) : R := sum P (level a).
  Definition size (a : R) : R := INR (length (level a)).

  (** The probability of a candidate with score a. *)
  Definition single (a : R) : R := exp (- (t * a)) / sum (fun r => exp (- (t * u r))) outputs.

  (** level.5.1 (A3 Lemma 5.1): equal score, equal probability, and conversely. *)

  Theorem level_5_1 r1 r2 : outputs <> [] -> (u r1 = u r2 <-> P r1 = P r2).
  Proof.
    intros N. assert (Z : 0 < sum (fun r => exp (- (t * u r))) outputs).
    { apply sum_pos; [exact N|intros; apply exp_pos]. }
    unfold exponential, law. split; intros E; [rewrite E; reflexivity|].
    apply Rmult_eq_reg_r in E; [|apply Rinv_neq_0_compat; lra].
    apply exp_inv in E. apply (Rmult_eq_reg_l t); lra.
  Qed.

  (** level.5.2 (A3 Lemma 5.2): the chance of a score is the number of its candidates times the probability of one. *)

  Lemma chance_is a : chance a = size a * single a.
  Proof.
    unfold chance, size, level, single, exponential, law.
    generalize (sum (fun r => exp (- (t * u r))) outputs); intros Z.
    induction outputs as [|b l IH]; [simpl; ring|].
    simpl filter. destruct (at_score a b) eqn:B; [|exact IH].
    assert (E : u b = a) by (unfold at_score in B; destruct (Req_EM_T (u b) a); [assumption|discriminate]).
    simpl length. rewrite S_INR. simpl sum. rewrite IH, E. unfold Rdiv. ring.
  Qed.

  Theorem level_5_2 r : chance (u r) = size (u r) * P r.
  Proof. apply chance_is. Qed.

  (** sliding.proved (A3 Lemma 5.3, in the form that its proof derives): with at most two candidates at score a and at
      least one at b, Pr[u = a] <= e^(t (b - a) + ln 2) Pr[u = b], t = eps/(2 S(x)). *)

  Theorem sliding a b :
    size a <= 2 -> 1 <= size b -> chance a <= exp (t * (b - a) + ln 2) * chance b.
  Proof.
    intros Two One. rewrite !chance_is, exp_plus, exp_ln by lra.
    assert (N : outputs <> []).
    { intros E. unfold size, level in One. rewrite E in One. simpl in One. lra. }
    assert (Z : 0 < sum (fun r => exp (- (t * u r))) outputs).
    { apply sum_pos; [exact N|intros; apply exp_pos]. }
    replace (exp (t * (b - a)) * 2 * (size b * single b)) with (2 * size b * single a).
    - assert (0 < single a) by (apply Rdiv_lt_0_compat; [apply exp_pos|exact Z]).
      apply Rmult_le_compat_r; lra.
    - unfold single. replace (- (t * a)) with (t * (b - a) + - (t * b)) by ring. rewrite exp_plus. field. lra.
  Qed.

End Levels.

(** sliding.stated (A3 Lemma 5.3 as printed, with -eps (b - a)/(2 S)) is false: n = 1, prior (1, 1), eps = 1. There are
    two data sets, one step apart, whose posteriors are at distance sqrt (1 - PI/4); x is one of them, a = 0, b that
    distance. *)

Definition distance_n1 (x y : bool) : R := if Bool.eqb x y then 0 else sqrt (1 - PI / 4).
Definition steps_n1 (x y : bool) : nat := if Bool.eqb x y then 0 else 1.
Definition all_n1 : list bool := [false; true].

Theorem distance_n1_is : H Gamma [1; 1] [0; 1]%nat [1; 0]%nat = distance_n1 false true.
Proof.
  unfold H, BC. simpl.
  replace (1 + 0 / 2) with 1 by field. replace (1 + 1 / 2) with (3 / 2) by field. replace (1 + (1 + 1) / 2) with 2 by field.
  rewrite Gamma_1, Gamma_2, Gamma_half, !Rmult_1_r, sqrt_1.
  replace (sqrt PI / 2 * (sqrt PI / 2)) with (sqrt PI * sqrt PI / 4) by field.
  rewrite sqrt_sqrt by (apply Rlt_le, PI_RGT_0). unfold distance_n1. simpl. f_equal. field.
Qed.

Lemma distance_n1_pos : 0 < sqrt (1 - PI / 4).
Proof.
  apply sqrt_lt_R0. pose proof (proj2 (PI_ineq 1)) as B.
  unfold tg_alt, PI_tg in B. simpl in B. lra.
Qed.

(** The hypotheses of Model.v can be met: here they are, with nothing left to assume. *)

Theorem ehds_n1 gamma eps x y :
  0 <= gamma -> 0 <= eps -> x <> y ->
  within eps (EHDS bool all_n1 steps_n1 distance_n1 gamma eps x) (EHDS bool all_n1 steps_n1 distance_n1 gamma eps y) all_n1.
Proof.
  intros G E N. pose proof distance_n1_pos as D.
  assert (B : sqrt (1 - PI / 4) <= 1).
  { apply Rle_trans with (sqrt 1); [|rewrite sqrt_1; lra]. apply sqrt_le_1_alt. pose proof PI_RGT_0. lra. }
  apply ehds_private; try assumption; unfold steps_n1, distance_n1.
  - intros []; reflexivity.
  - intros [] []; reflexivity.
  - intros [] [] []; simpl; lia.
  - intros []; reflexivity.
  - intros [] []; reflexivity.
  - intros [] [] []; simpl; lra.
  - intros [] []; simpl; lra.
  - intros z _. exists (negb z). destruct z; simpl; auto.
  - destruct x, y; try congruence; repeat split; simpl; auto.
Qed.

Lemma LS_n1 x : LS bool all_n1 steps_n1 distance_n1 x = sqrt (1 - PI / 4).
Proof.
  pose proof distance_n1_pos as D. set (s := sqrt (1 - PI / 4)) in *.
  unfold LS, neighbors, distance_n1. destruct x; simpl; fold s;
    rewrite ?Rminus_0_r, ?Rminus_0_l, ?Rabs_Ropp, ?(Rabs_pos_eq s) by lra;
    rewrite (Rmax_left s 0), (Rmax_left s s) by lra; apply Rmax_left; lra.
Qed.

Lemma S_n1 x : S bool all_n1 steps_n1 distance_n1 1 x = sqrt (1 - PI / 4).
Proof.
  pose proof distance_n1_pos as D. unfold S, all_n1. simpl. rewrite !LS_n1. set (s := sqrt (1 - PI / 4)) in *.
  assert (B : / (/ s + 1 * 1) <= s).
  { rewrite <- (Rinv_inv s) at 2. apply Rinv_le_contravar; [apply Rinv_0_lt_compat, D|lra]. }
  assert (P : 0 < / (/ s + 1 * 1)).
  { apply Rinv_0_lt_compat. pose proof (Rinv_0_lt_compat s D). lra. }
  assert (E : / (/ s + 1 * 0) = s) by (rewrite Rmult_0_r, Rplus_0_r, Rinv_inv; reflexivity).
  destruct x; simpl; rewrite E.
  - rewrite (Rmax_left s 0) by lra. apply Rmax_right, B.
  - rewrite (Rmax_left (/ (/ s + 1 * 1)) 0) by lra. apply Rmax_left, B.
Qed.

Theorem sliding_stated_is_false :
  let s := S bool all_n1 steps_n1 distance_n1 1 false in
  let u := distance_n1 false in
  let t := 1 / (2 * s) in
  H Gamma [1; 1] [0; 1]%nat [1; 0]%nat = u true /\
  exists a b, size bool all_n1 u a = 1 /\ size bool all_n1 u b = 1 /\
    ~ chance bool all_n1 u t a <= exp (- (1 * (b - a)) / (2 * s) + ln 2) * chance bool all_n1 u t b.
Proof.
  intros s u t. split; [apply distance_n1_is|]. pose proof distance_n1_pos as D. unfold s in *. rewrite S_n1 in *. clear s.
  set (s := sqrt (1 - PI / 4)) in *. exists 0, s.
  assert (U : u false = 0 /\ u true = s) by (split; reflexivity). destruct U as [U0 U1].
  assert (A : size bool all_n1 u 0 = 1).
  { unfold size, level, at_score. simpl. rewrite U0, U1. destruct (Req_EM_T 0 0); [|easy].
    destruct (Req_EM_T s 0); [lra|reflexivity]. }
  assert (B : size bool all_n1 u s = 1).
  { unfold size, level, at_score. simpl. rewrite U0, U1. destruct (Req_EM_T 0 s); [lra|].
    destruct (Req_EM_T s s); [reflexivity|easy]. }
  repeat split; [exact A|exact B|]. rewrite !chance_is, A, B. unfold single.
  assert (Z : 0 < sum (fun r => exp (- (t * u r))) all_n1).
  { apply sum_pos; [discriminate|intros; apply exp_pos]. }
  set (z := sum (fun r => exp (- (t * u r))) all_n1) in *.
  unfold t. rewrite S_n1. fold s. rewrite exp_plus, exp_ln by lra.
  replace (- (1 * (s - 0)) / (2 * s)) with (- / 2) by (field; lra).
  replace (- (1 / (2 * s) * s)) with (- / 2) by (field; lra).
  replace (- (1 / (2 * s) * 0)) with 0 by ring. rewrite exp_0. intros C.
  apply (Rmult_le_compat_r z) in C; [|lra].
  replace (1 * (1 / z) * z) with 1 in C by (field; lra).
  replace (exp (- / 2) * 2 * (1 * (exp (- / 2) / z)) * z) with (2 * (exp (- / 2) * exp (- / 2))) in C by (field; lra).
  rewrite <- exp_plus in C. replace (- / 2 + - / 2) with (- (1)) in C by field. rewrite exp_Ropp in C.
  assert (E : 2 < exp 1) by (replace 2 with (1 + 1) by ring; apply exp_ineq1; lra).
  apply (Rmult_le_compat_r (exp 1)) in C; [|lra]. rewrite Rmult_assoc, Rinv_l in C by lra. lra.
Qed.
