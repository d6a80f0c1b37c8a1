(** Counting mechanisms: the geometric, the Laplace, and the documents' floored and clipped Laplace noise on cells. *)

From Coq Require Import Reals Lra List ZArith Lia.
Import ListNotations.
From DP Require Import Laws Model Histograms.
Open Scope R_scope.

(** The geometric mechanism: P_c(o) = (1 - q)/(1 + q) q^|o - c|, q = e^(-eps), for whole numbers c and o. *)

Definition geometric (eps : R) (c o : Z) : R :=
  (1 - exp (- eps)) / (1 + exp (- eps)) * exp (- (eps * IZR (Z.abs (o - c)))).

Theorem geometric_private eps c c' o :
  0 <= eps -> (Z.abs (c - c') <= 1)%Z -> geometric eps c o <= exp eps * geometric eps c' o.
Proof.
  intros E A. unfold geometric.
  assert (B : 0 <= (1 - exp (- eps)) / (1 + exp (- eps))).
  { apply Rmult_le_pos.
    - rewrite <- exp_0. pose proof (exp_le (- eps) 0). lra.
    - apply Rlt_le, Rinv_0_lt_compat. pose proof (exp_pos (- eps)). lra. }
  rewrite <- Rmult_assoc, (Rmult_comm (exp eps)), Rmult_assoc, <- exp_plus.
  apply Rmult_le_compat_l; [exact B|]. apply exp_le.
  assert (T : IZR (Z.abs (o - c')) <= IZR (Z.abs (o - c)) + 1) by (rewrite <- plus_IZR; apply IZR_le; lia).
  apply (Rmult_le_compat_l eps) in T; [|exact E]. lra.
Qed.

(** The Laplace mechanism of scale b = s/eps: its density at o changes by a factor of at most e^(eps |c - c'|/s). *)

Definition laplace_density (b c o : R) : R := / (2 * b) * exp (- (Rabs (o - c) / b)).

Theorem laplace_private eps s c c' o :
  0 < eps -> 0 < s -> Rabs (c - c') <= s ->
  laplace_density (s / eps) c o <= exp eps * laplace_density (s / eps) c' o.
Proof.
  intros E S A. unfold laplace_density.
  assert (B : 0 < s / eps) by (apply Rdiv_lt_0_compat; assumption).
  rewrite <- Rmult_assoc, (Rmult_comm (exp eps)), Rmult_assoc, <- exp_plus.
  apply Rmult_le_compat_l; [apply Rlt_le, Rinv_0_lt_compat; lra|]. apply exp_le.
  assert (T : Rabs (o - c') <= Rabs (o - c) + s).
  { replace (o - c') with ((o - c) + (c - c')) by ring.
    apply Rle_trans with (Rabs (o - c) + Rabs (c - c')); [apply Rabs_triang|lra]. }
  apply (Rmult_le_compat_r (eps / s)) in T; [|apply Rlt_le, Rdiv_lt_0_compat; assumption].
  replace ((Rabs (o - c) + s) * (eps / s)) with (Rabs (o - c) / (s / eps) + eps) in T by (field; lra).
  replace (Rabs (o - c') * (eps / s)) with (Rabs (o - c') / (s / eps)) in T by (field; lra). lra.
Qed.

(** One noised cell of the documents: floor (c + Lap(1/t)), clipped into [0, n]; t = eps/s. F is the distribution
    function of the noise, at whole numbers. *)

Definition F (t : R) (v : Z) : R :=
  if Z.ltb v 0 then / 2 * exp (t * IZR v) else 1 - / 2 * exp (- (t * IZR v)).

Definition cell (t : R) (n c o : Z) : R :=
  let above := if Z.eqb o 0 then 0 else F t (o - c) in
  let below := if Z.eqb o n then 1 else F t (o + 1 - c) in
  below - above.

(** Going from c to c + 1 takes v = o - c to v - 1. Four closed forms, of which the rest follows. *)

Section Cell.

  Variable t : R.
  Hypothesis t_pos : 0 < t.

  Notation E := (exp t).

  Lemma E_above_1 : 1 < E.
  Proof. rewrite <- exp_0. apply exp_increasing, t_pos. Qed.

  Lemma power_prev v : exp (t * IZR (v - 1)) = exp (t * IZR v) / E.
  Proof.
    rewrite minus_IZR. replace (t * (IZR v - 1)) with (t * IZR v + - t) by ring.
    rewrite exp_plus, exp_Ropp. reflexivity.
  Qed.

  Lemma F_low v : (v <= 0)%Z -> F t v = / 2 * exp (t * IZR v).
  Proof.
    intros L. unfold F. destruct (Z.ltb_spec v 0); [reflexivity|].
    replace v with 0%Z by lia. rewrite Rmult_0_r, Ropp_0, exp_0. lra.
  Qed.

  Lemma F_high v : (0 <= v)%Z -> F t v = 1 - / 2 * / exp (t * IZR v).
  Proof. intros L. unfold F. destruct (Z.ltb_spec v 0); [lia|]. rewrite exp_Ropp. reflexivity. Qed.

  Definition down v := E * F t (v - 1) - F t v.
  Definition up v := E * F t v - F t (v - 1).

  Lemma down_low v : (v <= 0)%Z -> down v = 0.
  Proof.
    intros L. unfold down. rewrite !F_low, power_prev by lia. pose proof E_above_1. field. lra.
  Qed.

  Lemma down_high v : (1 <= v)%Z -> down v = (E - 1) - / 2 * (E * E - 1) / exp (t * IZR v).
  Proof.
    intros L. unfold down. rewrite !F_high, power_prev by lia. pose proof E_above_1. pose proof (exp_pos (t * IZR v)).
    field. lra.
  Qed.

  Lemma up_low v : (v <= 0)%Z -> up v = / 2 * (E - / E) * exp (t * IZR v).
  Proof.
    intros L. unfold up. rewrite !F_low, power_prev by lia. pose proof E_above_1. field. lra.
  Qed.

  Lemma up_high v : (1 <= v)%Z -> up v = E - 1.
  Proof.
    intros L. unfold up. rewrite !F_high, power_prev by lia. pose proof E_above_1. pose proof (exp_pos (t * IZR v)).
    field. lra.
  Qed.

  Lemma power_le v w : (v <= w)%Z -> exp (t * IZR v) <= exp (t * IZR w).
  Proof. intros L. apply exp_le, Rmult_le_compat_l; [lra|apply IZR_le, L]. Qed.

  Lemma inverse_le_1 : / E < 1.
  Proof. rewrite <- Rinv_1. apply Rinv_1_lt_contravar; [lra|apply E_above_1]. Qed.

  Lemma down_bounds v : 0 <= down v <= E - 1.
  Proof.
    pose proof E_above_1 as One. destruct (Z_le_gt_dec v 0) as [L|L]; [rewrite down_low by exact L; lra|].
    rewrite down_high by lia. pose proof (power_le 1 v ltac:(lia)) as P. rewrite Rmult_1_r in P.
    set (x := exp (t * IZR v)) in *.
    assert (Q : 0 <= / 2 * (E * E - 1) / x).
    { apply Rmult_le_pos; [nra|apply Rlt_le, Rinv_0_lt_compat; lra]. }
    assert (/ 2 * (E * E - 1) / x <= E - 1); [|lra].
    apply (Rmult_le_reg_r x); [lra|]. replace (/ 2 * (E * E - 1) / x * x) with (/ 2 * (E * E - 1)) by (field; lra). nra.
  Qed.

  Lemma down_step v : down v <= down (v + 1).
  Proof.
    pose proof E_above_1 as One. destruct (Z_le_gt_dec v 0) as [L|L].
    - rewrite (down_low v) by exact L. apply down_bounds.
    - rewrite !down_high by lia. pose proof (power_le v (v + 1) ltac:(lia)) as P. pose proof (exp_pos (t * IZR v)).
      apply Rinv_le_contravar in P; [|assumption]. unfold Rdiv.
      assert (0 <= / 2 * (E * E - 1)) by nra. nra.
  Qed.

  Lemma up_bounds v : 0 <= up v <= E - 1.
  Proof.
    pose proof E_above_1 as One. pose proof inverse_le_1 as I. pose proof (Rinv_0_lt_compat E ltac:(lra)) as J.
    destruct (Z_le_gt_dec v 0) as [L|L]; [|rewrite up_high by lia; lra].
    rewrite up_low by exact L. pose proof (exp_pos (t * IZR v)) as P.
    pose proof (power_le v 0 L) as Q. rewrite Rmult_0_r, exp_0 in Q. set (x := exp (t * IZR v)) in *.
    assert (A : / 2 * (E - / E) <= E - 1).
    { assert (E * / E = 1) by (apply Rinv_r; lra). nra. }
    split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (/ 2 * (E - / E) * 1); [|lra].
    apply Rmult_le_compat_l; lra.
  Qed.

  Lemma up_step v : up v <= up (v + 1).
  Proof.
    pose proof E_above_1 as One. destruct (Z_le_gt_dec 0 v) as [L|L].
    - rewrite (up_high (v + 1)) by lia. apply up_bounds.
    - rewrite !up_low by lia. pose proof inverse_le_1. apply Rmult_le_compat_l; [lra|apply power_le; lia].
  Qed.

  (** One cell, counts c and c + 1, both directions. *)

  Lemma cell_down n c o : (0 <= o <= n)%Z -> cell t n c o <= E * cell t n (c + 1) o.
  Proof.
    intros B. unfold cell. pose proof E_above_1. pose proof (down_step (o - c)) as D.
    pose proof (down_bounds (o - c)) as G. pose proof (down_bounds (o + 1 - c)) as K. unfold down in *.
    replace (o - (c + 1))%Z with (o - c - 1)%Z by ring. replace (o + 1 - (c + 1))%Z with (o + 1 - c - 1)%Z by ring.
    replace (o - c + 1)%Z with (o + 1 - c)%Z in D by ring.
    destruct (Z.eqb o 0), (Z.eqb o n); lra.
  Qed.

  Lemma cell_up n c o : (0 <= o <= n)%Z -> cell t n (c + 1) o <= E * cell t n c o.
  Proof.
    intros B. unfold cell. pose proof E_above_1. pose proof (up_step (o - c)) as D.
    pose proof (up_bounds (o - c)) as G. pose proof (up_bounds (o + 1 - c)) as K. unfold up in *.
    replace (o - (c + 1))%Z with (o - c - 1)%Z by ring. replace (o + 1 - (c + 1))%Z with (o + 1 - c - 1)%Z by ring.
    replace (o - c + 1)%Z with (o + 1 - c)%Z in D by ring.
    destruct (Z.eqb o 0), (Z.eqb o n); lra.
  Qed.

  Lemma cell_nonneg n c o : (0 <= o <= n)%Z -> 0 <= cell t n c o.
  Proof.
    intros B. pose proof (cell_down n c o B) as D. pose proof (cell_up n c o B) as U. pose proof E_above_1.
    apply (Rmult_le_compat_l E) in U; [|lra]. destruct (Rle_or_lt 0 (cell t n c o)) as [L|L]; [exact L|].
    assert (1 < E * E) by nra. assert (E * E * cell t n c o < 1 * cell t n c o); [|lra].
    apply Ropp_lt_cancel. rewrite !Ropp_mult_distr_r. apply Rmult_lt_compat_r; lra.
  Qed.

  Theorem cell_private n c c' o :
    (0 <= o <= n)%Z -> (Z.abs (c - c') <= 1)%Z -> cell t n c o <= E * cell t n c' o.
  Proof.
    intros B A. destruct (Z.eq_dec c' (c + 1)) as [->|N]; [apply cell_down, B|].
    destruct (Z.eq_dec c (c' + 1)) as [->|M]; [apply cell_up, B|].
    replace c' with c by lia. pose proof (cell_nonneg n c o B). pose proof E_above_1. nra.
  Qed.

  (** Independent noise on a list of cells; how many of the noised cells differ. *)

  Fixpoint cells (n : Z) (x o : list Z) : R :=
    match x, o with
    | c :: x, v :: o => cell t n c v * cells n x o
    | _, _ => 1
    end.

  Fixpoint moved (x y : list Z) : nat :=
    match x, y with
    | c :: x, c' :: y => (if Z.eqb c c' then 0 else 1) + moved x y
    | _, _ => 0
    end.

  Lemma cells_nonneg n x o : Forall (fun v => 0 <= v <= n)%Z o -> 0 <= cells n x o.
  Proof.
    revert o; induction x as [|c x IH]; intros [|v o] B; simpl; try lra.
    inversion B; subst. apply Rmult_le_pos; [apply cell_nonneg; assumption|apply IH; assumption].
  Qed.

  (** With m moved noised cells the factor is at most e^(t m). *)

  Theorem cells_private eps n x y o :
    Forall (fun v => 0 <= v <= n)%Z o -> Forall2 (fun c c' => Z.abs (c - c') <= 1)%Z x y ->
    t * INR (moved x y) <= eps -> cells n x o <= exp eps * cells n y o.
  Proof.
    intros B A L. apply Rle_trans with (exp (t * INR (moved x y)) * cells n y o).
    2: { apply Rmult_le_compat_r; [apply cells_nonneg, B|apply exp_le, L]. }
    clear L. revert o B. induction A as [|c c' x y H A IH]; intros o B.
    { simpl. rewrite Rmult_0_r, exp_0. lra. }
    destruct o as [|v o].
    { simpl cells. rewrite Rmult_1_r. rewrite <- exp_0. apply exp_le, Rmult_le_pos; [lra|apply pos_INR]. }
    inversion B; subst. simpl cells. simpl moved. rewrite plus_INR, Rmult_plus_distr_l, exp_plus.
    replace (exp (t * INR (if Z.eqb c c' then 0 else 1)) * exp (t * INR (moved x y)) * (cell t n c' v * cells n y o))
      with ((exp (t * INR (if Z.eqb c c' then 0 else 1)) * cell t n c' v) * (exp (t * INR (moved x y)) * cells n y o))
      by ring.
    apply Rmult_le_compat; [apply cell_nonneg; assumption|apply cells_nonneg; assumption| |apply IH; assumption].
    destruct (Z.eqb_spec c c') as [->|N]; simpl; [rewrite Rmult_0_r, exp_0; lra|rewrite Rmult_1_r].
    apply cell_private; assumption.
  Qed.

End Cell.

(** The documents' mechanisms on histograms: which cells are noised, and by how much. *)

Definition noised (m : nat) (x : list nat) : list Z := map Z.of_nat (firstn m x).

Lemma moved_by_steps x : forall y m,
  length x = length y -> (moved (noised m x) (noised m y) <= steps x y + steps y x)%nat.
Proof.
  unfold noised. induction x as [|c x IH]; intros [|c' y] [|m] L; simpl in *; try discriminate; try lia.
  injection L as L. specialize (IH y m L).
  destruct (Z.eqb_spec (Z.of_nat c) (Z.of_nat c')) as [E|E]; lia.
Qed.

Lemma close_by_steps x : forall y m,
  length x = length y -> (steps x y <= 1)%nat -> (steps y x <= 1)%nat ->
  Forall2 (fun c c' => Z.abs (c - c') <= 1)%Z (noised m x) (noised m y).
Proof.
  unfold noised. induction x as [|c x IH]; intros [|c' y] [|m] L A B; simpl in *; try discriminate; constructor.
  - lia.
  - injection L as L. apply IH; [exact L|lia|lia].
Qed.

Lemma moved_in_length l : forall m, (moved l m <= length l)%nat.
Proof.
  induction l as [|c l IH]; intros [|c' m]; simpl; try lia. specialize (IH m). destruct (Z.eqb c c'); lia.
Qed.

Section Noised.

  Variables k n : nat.

  (** N0, N4 section 3; A3 section 4.1. The last cell of LSDim and LSHist follows from the others. *)

  Definition LSZhang (eps : R) (x : histogram k n) : list Z -> R :=
    cells (eps / 2) (Z.of_nat n) (noised k (proj1_sig x)).
  Definition LSDim (eps : R) (x : histogram k n) : list Z -> R :=
    cells (eps / INR k) (Z.of_nat n) (noised (k - 1) (proj1_sig x)).
  Definition LSHist (eps : R) (x : histogram k n) : list Z -> R :=
    cells (eps / (if Nat.eqb k 2 then 1 else 2)) (Z.of_nat n) (noised (k - 1) (proj1_sig x)).

  Lemma noised_private m t eps x y o :
    0 < t -> d k n x y = 1%nat -> Forall (fun v => 0 <= v <= Z.of_nat n)%Z o ->
    t * INR (Nat.min m 2) <= eps ->
    cells t (Z.of_nat n) (noised m (proj1_sig x)) o <= exp eps * cells t (Z.of_nat n) (noised m (proj1_sig y)) o.
  Proof.
    intros T D B L. pose proof D as D'. rewrite d_symmetric in D'. unfold d in D, D'.
    assert (E : length (proj1_sig x) = length (proj1_sig y)).
    { destruct x as [p [P P']], y as [q [Q Q']]; simpl; congruence. }
    apply cells_private; [exact T|exact B|apply close_by_steps; [exact E|lia|lia]|].
    apply Rle_trans with (t * INR (Nat.min m 2)); [|exact L].
    apply Rmult_le_compat_l; [lra|]. apply le_INR, Nat.min_glb.
    - apply Nat.le_trans with (length (noised m (proj1_sig x))); [apply moved_in_length|].
      unfold noised. rewrite map_length. apply firstn_le_length.
    - pose proof (moved_by_steps _ _ m E). lia.
  Qed.

  (** dp.lszhang, dp.lsdim, dp.lshist (N0, N4 Theorem 3.1; A3 section 4.1): eps-DP for every eps, n and k. *)

  Theorem lszhang_private eps x y o :
    0 < eps -> d k n x y = 1%nat -> Forall (fun v => 0 <= v <= Z.of_nat n)%Z o ->
    LSZhang eps x o <= exp eps * LSZhang eps y o.
  Proof.
    intros E D B. apply noised_private; [lra|exact D|exact B|].
    apply Rle_trans with (eps / 2 * INR 2); [|simpl; lra].
    apply Rmult_le_compat_l; [lra|]. apply le_INR, Nat.le_min_r.
  Qed.

  Theorem lsdim_private eps x y o :
    (2 <= k)%nat -> 0 < eps -> d k n x y = 1%nat -> Forall (fun v => 0 <= v <= Z.of_nat n)%Z o ->
    LSDim eps x o <= exp eps * LSDim eps y o.
  Proof.
    intros K E D B. assert (P : 0 < INR k) by (apply lt_0_INR; lia).
    apply noised_private; [apply Rdiv_lt_0_compat; assumption|exact D|exact B|].
    apply Rle_trans with (eps / INR k * INR k); [|right; field; lra].
    apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; assumption|]. apply le_INR. lia.
  Qed.

  Theorem lshist_private eps x y o :
    (2 <= k)%nat -> 0 < eps -> d k n x y = 1%nat -> Forall (fun v => 0 <= v <= Z.of_nat n)%Z o ->
    LSHist eps x o <= exp eps * LSHist eps y o.
  Proof.
    intros K E D B. unfold LSHist. destruct (Nat.eqb_spec k 2) as [T|T].
    - apply noised_private; [lra|exact D|exact B|]. rewrite T. simpl. lra.
    - apply noised_private; [lra|exact D|exact B|].
      apply Rle_trans with (eps / 2 * INR 2); [|simpl; lra].
      apply Rmult_le_compat_l; [lra|]. apply le_INR, Nat.le_min_r.
  Qed.

End Noised.
