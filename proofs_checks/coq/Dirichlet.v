(** The Hellinger distance of the documents' posteriors Dir(alpha + x), from the Gamma function, is a metric at most 1.

    One fact of analysis is used, and named: Gamma (a + m/2) is the m-th moment of a positive measure on u > 0, so a
    polynomial in u that is nowhere negative has an integral that is not. Euler.v proves it from Euler's integral. *)

From Coq Require Import Reals Lra List Arith Lia.
Import ListNotations.
From DP Require Import Laws Hellinger.
Open Scope R_scope.

(** A polynomial is a list of (coefficient, power). *)

Definition at_point (p : list (R * nat)) (u : R) : R := sum (fun t => fst t * u ^ snd t) p.

Definition integral (Gamma : R -> R) (a : R) (p : list (R * nat)) : R :=
  sum (fun t => fst t * Gamma (a + INR (snd t) / 2)) p.

Definition gamma_moments (Gamma : R -> R) : Prop :=
  forall a p, 0 < a -> (forall u, 0 < u -> 0 <= at_point p u) -> (exists u, 0 < u /\ 0 < at_point p u) ->
  0 < integral Gamma a p.

Section Dirichlet.

  Variable Gamma : R -> R.
  Hypothesis moments : gamma_moments Gamma.

  (** The documents' H (P1, A3 section 2): sqrt (1 - BC), BC = B((a+b)/2) / sqrt (B(a) B(b)) with a = alpha + x and
      b = alpha + y; the totals of a and b are equal, so that their Gamma functions cancel. *)

  Fixpoint beta (prior : list R) (x y : list nat) : R :=
    match prior, x, y with
    | a :: prior, c :: x, c' :: y => Gamma (a + INR (c + c') / 2) * beta prior x y
    | _, _, _ => 1
    end.

  Definition BC (prior : list R) (x y : list nat) : R := beta prior x y / sqrt (beta prior x x * beta prior y y).
  Definition H (prior : list R) (x y : list nat) : R := sqrt (1 - BC prior x y).

  (** An integral of what is nowhere negative, though perhaps 0, is not negative. *)

  Lemma integral_nonneg a p : 0 < a -> (forall u, 0 < u -> 0 <= at_point p u) -> 0 <= integral Gamma a p.
  Proof.
    intros A N. apply Rnot_lt_le. intros L.
    assert (G : 0 < integral Gamma a [(1, O)]).
    { apply moments; [exact A|intros; unfold at_point; simpl; lra|exists 1; unfold at_point; simpl; lra]. }
    pose (e := - integral Gamma a p / integral Gamma a [(1, O)]).
    assert (E : 0 < e) by (apply Rdiv_lt_0_compat; lra).
    assert (M : 0 < integral Gamma a ((e, O) :: p)).
    { apply moments; [exact A| |exists 1; split; [lra|]].
      - intros u U. pose proof (N u U). unfold at_point in *. simpl. lra.
      - pose proof (N 1 Rlt_0_1). unfold at_point in *. simpl in *. lra. }
    assert (Z : integral Gamma a ((e, O) :: p) = e * integral Gamma a [(1, O)] + integral Gamma a p).
    { unfold integral. simpl. ring. }
    rewrite Z in M. unfold e in M. unfold Rdiv in M. rewrite Rmult_assoc, Rinv_l in M by lra. lra.
  Qed.

  Lemma Gamma_pos a m : 0 < a -> 0 < Gamma (a + INR m / 2).
  Proof.
    intros A. replace (Gamma (a + INR m / 2)) with (integral Gamma a [(1, m)]) by (unfold integral; simpl; ring).
    apply moments; [exact A| |exists 1; split; [lra|]]; unfold at_point; simpl.
    - intros u U. pose proof (pow_lt u m U). lra.
    - rewrite pow1. lra.
  Qed.

  Section Prior.

    Variable prior : list R.
    Hypothesis prior_pos : Forall (Rlt 0) prior.

    Lemma beta_pos x y : 0 < beta prior x y.
    Proof.
      revert x y. induction prior_pos as [|a l A L IH]; intros [|c x] [|c' y]; simpl; try lra.
      apply Rmult_lt_0_compat; [apply Gamma_pos, A|apply IH, L].
    Qed.

    Lemma beta_symmetric x y : beta prior x y = beta prior y x.
    Proof.
      clear prior_pos. revert x y. induction prior as [|a l IH]; intros [|c x] [|c' y]; simpl; try reflexivity.
      rewrite IH, (Nat.add_comm c). reflexivity.
    Qed.

    (** Three posteriors: the matrix of their beta is that of an inner product. Cell by cell. *)

    Lemma beta_gram : forall x y z r s t, length x = length prior -> length y = length prior -> length z = length prior ->
      0 <= r * r * beta prior x x + s * s * beta prior y y + t * t * beta prior z z
        + 2 * (r * s) * beta prior x y + 2 * (r * t) * beta prior x z + 2 * (s * t) * beta prior y z.
    Proof.
      induction prior_pos as [|a l A L IH]; intros x y z r s t X Y Z.
      - simpl. replace (r * r * 1 + s * s * 1 + t * t * 1 + 2 * (r * s) * 1 + 2 * (r * t) * 1 + 2 * (s * t) * 1)
          with (Rsqr (r + s + t)) by (unfold Rsqr; ring). apply Rle_0_sqr.
      - destruct x as [|c x], y as [|c' y], z as [|c'' z]; try discriminate. simpl in X, Y, Z.
        injection X as X. injection Y as Y. injection Z as Z.
        pose (p := [(r * r * beta l x x, (c + c)%nat); (s * s * beta l y y, (c' + c')%nat);
          (t * t * beta l z z, (c'' + c'')%nat); (2 * (r * s) * beta l x y, (c + c')%nat);
          (2 * (r * t) * beta l x z, (c + c'')%nat); (2 * (s * t) * beta l y z, (c' + c'')%nat)]).
        apply Rle_trans with (integral Gamma a p).
        + apply integral_nonneg; [exact A|]. intros u U.
          pose proof (IH L x y z (r * u ^ c) (s * u ^ c') (t * u ^ c'') X Y Z) as Q.
          unfold at_point, p. cbn [sum fst snd]. rewrite !pow_add. lra.
        + right. unfold integral, p. cbn [sum fst snd beta]. ring.
    Qed.

    Definition fits (x : list nat) : Prop := length x = length prior.

    Lemma root_pos x : 0 < sqrt (beta prior x x).
    Proof. apply sqrt_lt_R0, beta_pos. Qed.

    Lemma BC_is x y : BC prior x y = beta prior x y * / sqrt (beta prior x x) * / sqrt (beta prior y y).
    Proof.
      unfold BC. rewrite sqrt_mult by (apply Rlt_le, beta_pos). pose proof (root_pos x). pose proof (root_pos y).
      field. lra.
    Qed.

    Lemma BC_self x : BC prior x x = 1.
    Proof. unfold BC. pose proof (beta_pos x x). rewrite sqrt_square by lra. field. lra. Qed.

    Lemma BC_symmetric x y : BC prior x y = BC prior y x.
    Proof. unfold BC. rewrite beta_symmetric, (Rmult_comm (beta prior x x)). reflexivity. Qed.

    Lemma BC_pos x y : 0 < BC prior x y.
    Proof. apply Rdiv_lt_0_compat; [apply beta_pos|]. apply sqrt_lt_R0, Rmult_lt_0_compat; apply beta_pos. Qed.

    Lemma BC_gram x y z r s t : fits x -> fits y -> fits z ->
      0 <= r * r + s * s + t * t + 2 * (r * s) * BC prior x y + 2 * (r * t) * BC prior x z + 2 * (s * t) * BC prior y z.
    Proof.
      intros X Y Z. pose proof (root_pos x) as P. pose proof (root_pos y) as Q. pose proof (root_pos z) as R.
      pose proof (beta_gram x y z (r / sqrt (beta prior x x)) (s / sqrt (beta prior y y)) (t / sqrt (beta prior z z))
        X Y Z) as G.
      rewrite !BC_is. pose proof (sqrt_sqrt (beta prior x x) (Rlt_le _ _ (beta_pos x x))) as E.
      pose proof (sqrt_sqrt (beta prior y y) (Rlt_le _ _ (beta_pos y y))) as F.
      pose proof (sqrt_sqrt (beta prior z z) (Rlt_le _ _ (beta_pos z z))) as K.
      set (i := sqrt (beta prior x x)) in *. set (j := sqrt (beta prior y y)) in *. set (l := sqrt (beta prior z z)) in *.
      rewrite <- E, <- F, <- K in G.
      match goal with |- 0 <= ?g => match type of G with 0 <= ?h => replace g with h; [exact G|] end end.
      field. lra.
    Qed.

    Theorem H_self x : H prior x x = 0.
    Proof. unfold H. rewrite BC_self, Rminus_diag_eq, sqrt_0; reflexivity. Qed.

    Theorem H_symmetric x y : H prior x y = H prior y x.
    Proof. unfold H. rewrite BC_symmetric. reflexivity. Qed.

    Theorem H_at_most_1 x y : H prior x y <= 1.
    Proof.
      unfold H. apply Rle_trans with (sqrt 1); [|rewrite sqrt_1; lra]. apply sqrt_le_1_alt.
      pose proof (BC_pos x y). lra.
    Qed.

    (** The triangle inequality: Hellinger.v in the space that three posteriors span. *)

    Theorem H_triangle x y z : fits x -> fits y -> fits z -> H prior x z <= H prior x y + H prior y z.
    Proof.
      intros X Y Z.
      pose (V := (R * R * R)%type).
      pose (form := fun f g : V => let '(r, s, t) := f in let '(r', s', t') := g in
        r * r' + s * s' + t * t' + (r * s' + s * r') * BC prior x y + (r * t' + t * r') * BC prior x z
        + (s * t' + t * s') * BC prior y z).
      pose (minus := fun f g : V => let '(r, s, t) := f in let '(r', s', t') := g in (r - r', s - s', t - t')).
      assert (N : forall f, 0 <= form f f).
      { intros [[r s] t]. pose proof (BC_gram x y z r s t X Y Z). unfold form. lra. }
      assert (T : distance V minus form (1, 0, 0) (0, 0, 1)
        <= distance V minus form (1, 0, 0) (0, 1, 0) + distance V minus form (0, 1, 0) (0, 0, 1)).
      { apply distance_triangle; [|exact N| |].
        - intros [[r s] t] [[r' s'] t']. unfold form. ring.
        - intros [[r s] t] [[r' s'] t'] a b.
          pose proof (N (a * r - b * r', a * s - b * s', a * t - b * t')) as G. unfold form in *. lra.
        - intros [[r s] t] [[r' s'] t'] [[r'' s''] t''] [[a b] e]. unfold form, minus. ring. }
      unfold distance, form, minus in T. unfold H.
      replace (1 - BC prior x z) with ((((1 - 0) * (1 - 0) + (0 - 0) * (0 - 0) + (0 - 1) * (0 - 1)
        + ((1 - 0) * (0 - 0) + (0 - 0) * (1 - 0)) * BC prior x y + ((1 - 0) * (0 - 1) + (0 - 1) * (1 - 0)) * BC prior x z
        + ((0 - 0) * (0 - 1) + (0 - 1) * (0 - 0)) * BC prior y z)) / 2) by field.
      replace (1 - BC prior x y) with ((((1 - 0) * (1 - 0) + (0 - 1) * (0 - 1) + (0 - 0) * (0 - 0)
        + ((1 - 0) * (0 - 1) + (0 - 1) * (1 - 0)) * BC prior x y + ((1 - 0) * (0 - 0) + (0 - 0) * (1 - 0)) * BC prior x z
        + ((0 - 1) * (0 - 0) + (0 - 0) * (0 - 1)) * BC prior y z)) / 2) by field.
      replace (1 - BC prior y z) with ((((0 - 0) * (0 - 0) + (1 - 0) * (1 - 0) + (0 - 1) * (0 - 1)
        + ((0 - 0) * (1 - 0) + (1 - 0) * (0 - 0)) * BC prior x y + ((0 - 0) * (0 - 1) + (0 - 1) * (0 - 0)) * BC prior x z
        + ((1 - 0) * (0 - 1) + (0 - 1) * (1 - 0)) * BC prior y z)) / 2) by field.
      exact T.
    Qed.

  End Prior.

  (** Another histogram has another posterior: H is positive. One cell first. *)

  Lemma power_differs s t c c' : 0 < s -> 0 < t -> c <> c' -> exists u, 0 < u /\ s * u ^ c <> t * u ^ c'.
  Proof.
    intros S T N. destruct (Req_dec s t) as [<-|D].
    - exists 2. split; [lra|]. intros E. apply Rmult_eq_reg_l in E; [|lra].
      destruct (Nat.lt_total c c') as [L|[L|L]]; [|contradiction|];
        apply (Rlt_pow 2) in L; try lra.
    - exists 1. split; [lra|]. rewrite !pow1. lra.
  Qed.

  Lemma cell_below a c c' : 0 < a -> c <> c' ->
    Gamma (a + INR (c + c') / 2) < sqrt (Gamma (a + INR (c + c) / 2) * Gamma (a + INR (c' + c') / 2)).
  Proof.
    intros A N. pose proof (Gamma_pos a (c + c) A) as P. pose proof (Gamma_pos a (c' + c') A) as Q.
    rewrite sqrt_mult by lra.
    set (i := sqrt (Gamma (a + INR (c + c) / 2))) in *. set (j := sqrt (Gamma (a + INR (c' + c') / 2))) in *.
    assert (I : 0 < i) by (apply sqrt_lt_R0, P). assert (J : 0 < j) by (apply sqrt_lt_R0, Q).
    pose proof (sqrt_sqrt _ (Rlt_le _ _ P)) as E. pose proof (sqrt_sqrt _ (Rlt_le _ _ Q)) as F. fold i in E. fold j in F.
    pose (p := [(j * j, (c + c)%nat); (i * i, (c' + c')%nat); (- (2 * (i * j)), (c + c')%nat)]).
    assert (V : forall u, at_point p u = Rsqr (j * u ^ c - i * u ^ c')).
    { intros u. unfold at_point, p, Rsqr. cbn [sum fst snd]. rewrite !pow_add. ring. }
    assert (M : 0 < integral Gamma a p).
    { apply moments; [exact A|intros u _; rewrite V; apply Rle_0_sqr|].
      destruct (power_differs j i c c' J I N) as [u [U D]]. exists u. split; [exact U|]. rewrite V. apply Rsqr_pos_lt. lra. }
    unfold integral, p in M. cbn [sum fst snd] in M. rewrite <- E, <- F in M.
    assert (0 < 2 * (i * j) * (i * j - Gamma (a + INR (c + c') / 2))) by lra.
    assert (0 < i * j) by (apply Rmult_lt_0_compat; assumption).
    apply Rnot_le_lt. intros L. nra.
  Qed.

  Lemma beta_below prior x : Forall (Rlt 0) prior -> forall y, length x = length prior -> length y = length prior ->
    beta prior x y <= sqrt (beta prior x x * beta prior y y) /\
    (x <> y -> beta prior x y < sqrt (beta prior x x * beta prior y y)).
  Proof.
    intros L. revert x. induction L as [|a l A L IH]; intros [|c x] [|c' y] X Y; try discriminate.
    - simpl. rewrite Rmult_1_r, sqrt_1. split; [lra|congruence].
    - simpl in X, Y. injection X as X. injection Y as Y. destruct (IH x y X Y) as [W S]. cbn [beta].
      pose proof (Gamma_pos a (c + c) A). pose proof (Gamma_pos a (c' + c') A). pose proof (Gamma_pos a (c + c') A).
      pose proof (beta_pos l L x x). pose proof (beta_pos l L y y). pose proof (beta_pos l L x y).
      replace (Gamma (a + INR (c + c) / 2) * beta l x x * (Gamma (a + INR (c' + c') / 2) * beta l y y))
        with ((Gamma (a + INR (c + c) / 2) * Gamma (a + INR (c' + c') / 2)) * (beta l x x * beta l y y)) by ring.
      rewrite sqrt_mult by (apply Rlt_le, Rmult_lt_0_compat; assumption).
      destruct (Nat.eq_dec c c') as [<-|N].
      + rewrite sqrt_square by lra. split; [apply Rmult_le_compat_l; lra|].
        intros D. apply Rmult_lt_compat_l; [assumption|]. apply S. congruence.
      + pose proof (cell_below a c c' A N).
        assert (K : Gamma (a + INR (c + c') / 2) * beta l x y
          < sqrt (Gamma (a + INR (c + c) / 2) * Gamma (a + INR (c' + c') / 2)) * sqrt (beta l x x * beta l y y)).
        { apply Rlt_le_trans with (sqrt (Gamma (a + INR (c + c) / 2) * Gamma (a + INR (c' + c') / 2)) * beta l x y).
          - apply Rmult_lt_compat_r; assumption.
          - apply Rmult_le_compat_l; lra. }
        split; [lra|intros _; exact K].
  Qed.

  Theorem H_pos prior x y : Forall (Rlt 0) prior -> length x = length prior -> length y = length prior -> x <> y ->
    0 < H prior x y.
  Proof.
    intros L X Y D. destruct (beta_below prior x L y X Y) as [_ S]. specialize (S D).
    apply sqrt_lt_R0. unfold BC. pose proof (beta_pos prior L x y).
    assert (0 < sqrt (beta prior x x * beta prior y y)) by lra.
    apply (Rmult_lt_reg_r (sqrt (beta prior x x * beta prior y y))); [assumption|].
    rewrite Rmult_0_l, Rmult_minus_distr_r. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

End Dirichlet.
