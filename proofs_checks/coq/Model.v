(** The documents' mechanisms on any finite model, for every n, k and prior.

    A model is a finite list of data sets (histograms), with the number of records d in which two of them differ and
    the distance h of their posteriors. Of the documents' model we use only what the section names: d and h are
    metrics, h <= 1, and every data set has a neighbor, whose posterior is another one. Candidates are the
    posteriors of all data sets. *)

From Coq Require Import Reals Lra List Arith Lia.
Import ListNotations.
From DP Require Import Laws.
Open Scope R_scope.

(** The largest value over a list; 0 if it is empty. *)

Fixpoint largest {A} (f : A -> R) (l : list A) : R :=
  match l with
  | [] => 0
  | a :: rest => Rmax (f a) (largest f rest)
  end.

Lemma largest_above {A} (f : A -> R) l a : In a l -> f a <= largest f l.
Proof.
  induction l as [|b l IH]; simpl; [easy|]; intros [E|I].
  - rewrite E; apply Rmax_l.
  - apply Rle_trans with (largest f l); [apply IH, I|apply Rmax_r].
Qed.

Lemma largest_below {A} (f : A -> R) l b : 0 <= b -> (forall a, In a l -> f a <= b) -> largest f l <= b.
Proof.
  intros B; induction l as [|c l IH]; simpl; intros H; [exact B|].
  apply Rmax_lub; [apply H; now left|apply IH; intros; apply H; now right].
Qed.

Lemma largest_attained {A} (f : A -> R) l :
  l <> [] -> (forall a, In a l -> 0 <= f a) -> exists a, In a l /\ largest f l = f a.
Proof.
  induction l as [|a l IH]; [congruence|]; intros _ P; simpl.
  destruct l as [|b l].
  - exists a; split; [now left|]. simpl. apply Rmax_left, P; now left.
  - destruct IH as [c [I E]]; [discriminate|intros; apply P; now right|].
    destruct (Rle_or_lt (f a) (largest f (b :: l))) as [L|L].
    + exists c; split; [now right|]. rewrite Rmax_right; assumption.
    + exists a; split; [now left|]. rewrite Rmax_left; [reflexivity|lra].
Qed.

Section Model.

  Variable X : Type.
  Variable all : list X.
  Variable d : X -> X -> nat.
  Variable h : X -> X -> R.

  Hypothesis d_self : forall x, d x x = 0%nat.
  Hypothesis d_symmetric : forall x y, d x y = d y x.
  Hypothesis d_triangle : forall x y z, (d x z <= d x y + d y z)%nat.
  Hypothesis h_self : forall x, h x x = 0.
  Hypothesis h_symmetric : forall x y, h x y = h y x.
  Hypothesis h_triangle : forall x y z, h x z <= h x y + h y z.
  Hypothesis h_at_most_1 : forall x y, h x y <= 1.
  Hypothesis has_neighbor : forall x, In x all -> exists y, In y all /\ d x y = 1%nat /\ 0 < h x y.

  Definition adjacent (x y : X) : Prop := In x all /\ In y all /\ d x y = 1%nat.
  Definition neighbors (x : X) : list X := filter (fun y => Nat.eqb (d x y) 1) all.

  Lemma adjacent_symmetric x y : adjacent x y -> adjacent y x.
  Proof. intros [I [J D]]; repeat split; auto; rewrite d_symmetric; exact D. Qed.

  Lemma neighbors_spec x y : In x all -> (In y (neighbors x) <-> adjacent x y).
  Proof.
    intros I. unfold neighbors, adjacent. rewrite filter_In, Nat.eqb_eq. tauto.
  Qed.

  Lemma h_nonneg x y : 0 <= h x y.
  Proof.
    pose proof (h_triangle x y x) as T. rewrite h_self, (h_symmetric y x) in T. lra.
  Qed.

  (** A3 section 3: the local sensitivity, the largest change of the score at a neighbor and a candidate. *)

  Definition LS (x : X) : R := largest (fun y => largest (fun r => Rabs (h x r - h y r)) all) (neighbors x).

  Lemma change_at_most x y r : Rabs (h x r - h y r) <= h x y.
  Proof.
    pose proof (h_triangle x y r); pose proof (h_triangle y x r).
    rewrite (h_symmetric y x) in *. apply Rabs_le; lra.
  Qed.

  (** ls.reduction (P1 section 6.1, A3 section 7.1, D2 II): LS is the distance to the farthest neighbor; the
      candidate r = BI(x) attains it. *)

  Theorem ls_reduction x : In x all -> LS x = largest (h x) (neighbors x).
  Proof.
    intros I. unfold LS. apply Rle_antisym.
    - apply largest_below.
      + pose proof (largest_above (h x) (neighbors x)) as U.
        destruct (has_neighbor x I) as [y [J [D P]]].
        apply Rle_trans with (h x y); [lra|apply U, neighbors_spec; repeat split; auto].
      + intros y N. apply largest_below.
        * apply Rle_trans with (h x y); [apply h_nonneg|apply largest_above, N].
        * intros r _. apply Rle_trans with (h x y); [apply change_at_most|apply largest_above, N].
    - apply largest_below.
      + destruct (has_neighbor x I) as [y [J [D P]]].
        apply Rle_trans with (largest (fun r => Rabs (h x r - h y r)) all).
        * apply Rle_trans with (Rabs (h x x - h y x)); [apply Rabs_pos|].
          apply (largest_above (fun r => Rabs (h x r - h y r))), I.
        * apply (largest_above (fun y => largest (fun r => Rabs (h x r - h y r)) all)).
          apply neighbors_spec; [exact I|repeat split; auto].
      + intros y N.
        apply Rle_trans with (largest (fun r => Rabs (h x r - h y r)) all).
        * apply Rle_trans with (Rabs (h x x - h y x)).
          { rewrite h_self, (h_symmetric y x). replace (0 - h x y) with (- h x y) by ring.
            rewrite Rabs_Ropp. apply Rle_abs. }
          apply (largest_above (fun r => Rabs (h x r - h y r))), I.
        * apply (largest_above (fun y => largest (fun r => Rabs (h x r - h y r)) all)), N.
  Qed.

  Lemma LS_above x y : adjacent x y -> h x y <= LS x.
  Proof.
    intros A. rewrite ls_reduction by apply A. apply largest_above, neighbors_spec; [apply A|exact A].
  Qed.

  Lemma LS_pos x : In x all -> 0 < LS x.
  Proof.
    intros I. destruct (has_neighbor x I) as [y [J [D P]]].
    apply Rlt_le_trans with (h x y); [exact P|apply LS_above; repeat split; auto].
  Qed.

  (** dp.ehd.exact-gs (D2 section 1.1, P1 section 4.1.1): EHD with any Delta that is at least the largest change. *)

  Definition EHD (eps Delta : R) (x : X) : X -> R := exponential (eps / (2 * Delta)) (h x) all.

  Definition GS : R := largest LS all.

  Theorem ehd_private eps Delta x y :
    0 <= eps -> GS <= Delta -> adjacent x y -> within eps (EHD eps Delta x) (EHD eps Delta y) all.
  Proof.
    intros E B A.
    assert (L : h x y <= Delta).
    { apply Rle_trans with (LS x); [apply LS_above, A|].
      apply Rle_trans with GS; [apply largest_above, A|exact B]. }
    assert (D : 0 < Delta).
    { apply Rlt_le_trans with GS; [|exact B]. apply Rlt_le_trans with (LS x); [apply LS_pos, A|].
      apply largest_above, A. }
    replace eps with (2 * (eps / 2)) at 1 by field. apply exponential_within. intros r _.
    rewrite <- Rmult_minus_distr_l, Rabs_mult.
    assert (P : 0 <= eps / (2 * Delta)) by (apply Rmult_le_pos; [exact E|apply Rlt_le, Rinv_0_lt_compat; lra]).
    rewrite (Rabs_pos_eq _ P).
    apply Rle_trans with (eps / (2 * Delta) * Delta); [|right; field; lra].
    apply Rmult_le_compat_l; [exact P|]. apply Rle_trans with (h x y); [apply change_at_most|exact L].
  Qed.

  Section Smooth.

    Variable gamma : R.
    Hypothesis gamma_nonneg : 0 <= gamma.

    (** A3 Theorem 5.1: the gamma-smooth sensitivity. *)

    Definition S (x : X) : R := largest (fun z => / (/ LS z + gamma * INR (d x z))) all.

    Lemma S_term_pos x z : In z all -> 0 < / LS z + gamma * INR (d x z).
    Proof.
      intros I. apply Rplus_lt_le_0_compat; [apply Rinv_0_lt_compat, LS_pos, I|].
      apply Rmult_le_pos; [exact gamma_nonneg|apply pos_INR].
    Qed.

    Theorem smooth_at_least_local x : In x all -> LS x <= S x.
    Proof.
      intros I. pose proof (largest_above (fun z => / (/ LS z + gamma * INR (d x z))) all x I) as L. simpl in L.
      rewrite d_self in L. simpl in L. rewrite Rmult_0_r, Rplus_0_r, Rinv_inv in L. exact L.
    Qed.

    Lemma S_pos x : In x all -> 0 < S x.
    Proof. intros I. apply Rlt_le_trans with (LS x); [apply LS_pos, I|apply smooth_at_least_local, I]. Qed.

    (** smooth.gamma (A3 Theorem 5.1): 1/S changes by at most gamma between adjacent data sets. *)

    Theorem smooth_gamma x y : adjacent x y -> / S x - / S y <= gamma.
    Proof.
      intros A. pose proof A as [I [J D]].
      assert (N : all <> []) by (intros E; rewrite E in I; exact I).
      destruct (largest_attained (fun z => / (/ LS z + gamma * INR (d y z))) all N) as [z [K E]].
      { intros z K. apply Rlt_le, Rinv_0_lt_compat, S_term_pos, K. }
      assert (V : / S y = / LS z + gamma * INR (d y z)).
      { unfold S. rewrite E, Rinv_inv. reflexivity. }
      assert (U : / S x <= / LS z + gamma * INR (d x z)).
      { rewrite <- (Rinv_inv (/ LS z + gamma * INR (d x z))).
        apply Rinv_le_contravar; [apply Rinv_0_lt_compat, S_term_pos, K|].
        apply (largest_above (fun z => / (/ LS z + gamma * INR (d x z)))), K. }
      assert (T : INR (d x z) <= INR (d y z) + 1).
      { rewrite <- S_INR. apply le_INR. pose proof (d_triangle x y z). lia. }
      apply (Rmult_le_compat_l gamma) in T; [|exact gamma_nonneg]. lra.
    Qed.

    Lemma smooth_gamma_abs x y : adjacent x y -> Rabs (/ S x - / S y) <= gamma.
    Proof.
      intros A. pose proof (smooth_gamma x y A). pose proof (smooth_gamma y x (adjacent_symmetric x y A)).
      apply Rabs_le; lra.
    Qed.

    (** smooth.exp (P1 section 4.2): the exponential smooth sensitivity. *)

    Definition S_exp (x : X) : R := largest (fun z => LS z * exp (- (gamma * INR (d x z)))) all.

    Theorem smooth_exp_at_least_local x : In x all -> LS x <= S_exp x.
    Proof.
      intros I. pose proof (largest_above (fun z => LS z * exp (- (gamma * INR (d x z)))) all x I) as L. simpl in L.
      rewrite d_self in L. simpl in L. rewrite Rmult_0_r, Ropp_0, exp_0, Rmult_1_r in L. exact L.
    Qed.

    Theorem smooth_exp x y : adjacent x y -> S_exp x <= exp gamma * S_exp y.
    Proof.
      intros [I [J D]]. apply largest_below.
      { apply Rmult_le_pos; [apply Rlt_le, exp_pos|].
        apply Rle_trans with (LS y); [apply Rlt_le, LS_pos, J|apply smooth_exp_at_least_local, J]. }
      intros z K.
      apply Rle_trans with (exp gamma * (LS z * exp (- (gamma * INR (d y z))))).
      - replace (exp gamma * (LS z * exp (- (gamma * INR (d y z)))))
          with (LS z * (exp gamma * exp (- (gamma * INR (d y z))))) by ring.
        apply Rmult_le_compat_l; [apply Rlt_le, LS_pos, K|]. rewrite <- exp_plus. apply exp_le.
        assert (T : INR (d y z) <= INR (d x z) + 1).
        { rewrite <- S_INR. apply le_INR. pose proof (d_triangle y x z). rewrite (d_symmetric y x) in *. lia. }
        apply (Rmult_le_compat_l gamma) in T; [|exact gamma_nonneg]. lra.
      - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
        apply (largest_above (fun z => LS z * exp (- (gamma * INR (d y z))))), K.
    Qed.

    (** The score over the smooth sensitivity changes by at most 1 + gamma. *)

    Lemma scaled_change x y r : adjacent x y -> Rabs (h x r / S x - h y r / S y) <= 1 + gamma.
    Proof.
      intros A.
      replace (h x r / S x - h y r / S y) with ((h x r - h y r) * / S x + h y r * (/ S x - / S y))
        by (unfold Rdiv; ring).
      apply Rle_trans with (Rabs ((h x r - h y r) * / S x) + Rabs (h y r * (/ S x - / S y))); [apply Rabs_triang|].
      assert (P : 0 < S x) by (apply S_pos, A).
      apply Rplus_le_compat; rewrite Rabs_mult.
      - rewrite (Rabs_pos_eq (/ S x)) by (apply Rlt_le, Rinv_0_lt_compat, P).
        apply Rle_trans with (S x * / S x); [|right; apply Rinv_r; lra].
        apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, P|].
        apply Rle_trans with (h x y); [apply change_at_most|].
        apply Rle_trans with (LS x); [apply LS_above, A|apply smooth_at_least_local, A].
      - rewrite (Rabs_pos_eq (h y r)) by apply h_nonneg. rewrite <- (Rmult_1_l gamma).
        apply Rmult_le_compat; [apply h_nonneg|apply Rabs_pos|apply h_at_most_1|apply smooth_gamma_abs, A].
    Qed.

    (** dp.mh (A3 Definition 6, Lemma 5.6): MH is (1+gamma) eps-DP. *)

    Definition MH (eps : R) (x : X) : X -> R := exponential (eps / (2 * S x)) (h x) all.

    Theorem mh_private eps x y :
      0 <= eps -> adjacent x y -> within ((1 + gamma) * eps) (MH eps x) (MH eps y) all.
    Proof.
      intros E A. replace ((1 + gamma) * eps) with (2 * (eps / 2 * (1 + gamma))) by field.
      apply exponential_within. intros r _.
      assert (P : 0 < S x) by (apply S_pos, A). assert (Q : 0 < S y) by (apply S_pos, A).
      replace (eps / (2 * S x) * h x r - eps / (2 * S y) * h y r)
        with (eps / 2 * (h x r / S x - h y r / S y)) by (field; lra).
      rewrite Rabs_mult, (Rabs_pos_eq (eps / 2)) by lra.
      apply Rmult_le_compat_l; [lra|apply scaled_change, A].
    Qed.

    (** dp.ehds (N0, N4 Theorem 3.1): EHDS is eps-DP. *)

    Definition EHDS (eps : R) (x : X) : X -> R := exponential (eps / (2 * (1 + gamma) * S x)) (h x) all.

    Theorem ehds_private eps x y : 0 <= eps -> adjacent x y -> within eps (EHDS eps x) (EHDS eps y) all.
    Proof.
      intros E A.
      assert (P : 0 < S x) by (apply S_pos, A). assert (Q : 0 < S y) by (apply S_pos, A).
      assert (M : 0 <= eps / (1 + gamma)) by (apply Rmult_le_pos; [exact E|apply Rlt_le, Rinv_0_lt_compat; lra]).
      pose proof (mh_private (eps / (1 + gamma)) x y M A) as W.
      unfold EHDS. unfold MH in W.
      replace (eps / (2 * (1 + gamma) * S x)) with (eps / (1 + gamma) / (2 * S x)) by (field; lra).
      replace (eps / (2 * (1 + gamma) * S y)) with (eps / (1 + gamma) / (2 * S y)) by (field; lra).
      replace eps with ((1 + gamma) * (eps / (1 + gamma))) at 1 by (field; lra). exact W.
    Qed.

  End Smooth.

End Model.
