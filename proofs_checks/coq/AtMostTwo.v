(** level.at-most-two (A3, proof of Lemma 5.3), two categories: no three candidates are at the same distance from x, for
    every n, prior and x; so sliding.proved holds there without a hypothesis on the size of levels.

    BC(x,r)^2 = V(x+r)^2 / (V(2x) V(2r)), V(m) = Gamma(a + m/2) Gamma(b + n - m/2). V is strictly log-convex in steps of
    m, as Gamma (c + m/2) is the m-th moment of a positive measure; so BC falls strictly on either side of x. *)

From Coq Require Import Reals Lra List Arith Lia.
Import ListNotations.
From DP Require Import Laws Hellinger Dirichlet Gamma Quotient Levels.
Open Scope R_scope.

Section AtMostTwo.

  Variables a b : R.
  Hypothesis a_pos : 0 < a.
  Hypothesis b_pos : 0 < b.
  Variable n : nat.

  Definition V (m : nat) : R := Gamma (a + INR m / 2) * Gamma (b + INR (2 * n - m) / 2).

  Lemma V_pos m : 0 < V m.
  Proof. apply Rmult_lt_0_compat; apply (Gamma_pos Gamma moments); assumption. Qed.

  Lemma V_convex m : (m + 2 <= 2 * n)%nat -> V (m + 1) * V (m + 1) < V m * V (m + 2).
  Proof.
    intros M. unfold V. pose proof (gamma_convex a m a_pos) as A. pose proof (gamma_convex b (2 * n - (m + 2)) b_pos) as B.
    replace (2 * n - (m + 2) + 1)%nat with (2 * n - (m + 1))%nat in B by lia.
    replace (2 * n - (m + 2) + 2)%nat with (2 * n - m)%nat in B by lia.
    pose proof (Gamma_pos Gamma moments a (m + 1) a_pos). pose proof (Gamma_pos Gamma moments b (2 * n - (m + 1)) b_pos).
    set (x := Gamma (a + INR (m + 1) / 2)) in *. set (y := Gamma (b + INR (2 * n - (m + 1)) / 2)) in *.
    replace (x * y * (x * y)) with (x * x * (y * y)) by ring.
    match goal with |- _ < ?p * ?q * (?r * ?s) => replace (p * q * (r * s)) with (p * r * (s * q)) by ring end.
    apply Rmult_le_0_lt_compat; [apply Rle_0_sqr|apply Rle_0_sqr|exact A|exact B].
  Qed.

  (** V (m+1) / V m rises. *)

  Lemma V_rises p j : (p + j + 2 <= 2 * n)%nat -> V (p + 1) * V (p + j + 1) < V p * V (p + j + 2).
  Proof.
    induction j as [|j IH]; intros M.
    - rewrite Nat.add_0_r in *. apply V_convex, M.
    - assert (L : V (p + 1) * V (p + j + 1) < V p * V (p + j + 2)) by (apply IH; lia).
      pose proof (V_convex (p + j + 1)) as C. replace (p + j + 1 + 1)%nat with (p + j + 2)%nat in C by lia.
      replace (p + j + 1 + 2)%nat with (p + j + 3)%nat in C by lia. specialize (C ltac:(lia)).
      replace (p + S j + 1)%nat with (p + j + 2)%nat by lia. replace (p + S j + 2)%nat with (p + j + 3)%nat by lia.
      pose proof (V_pos (p + j + 1)) as P1. pose proof (V_pos (p + j + 2)) as P2. pose proof (V_pos p) as P0.
      apply Rmult_lt_reg_r with (V (p + j + 1)); [exact P1|].
      apply Rlt_trans with (V p * V (p + j + 2) * V (p + j + 2)).
      + replace (V (p + 1) * V (p + j + 2) * V (p + j + 1)) with (V (p + 1) * V (p + j + 1) * V (p + j + 2)) by ring.
        apply Rmult_lt_compat_r; assumption.
      + replace (V p * V (p + j + 2) * V (p + j + 2)) with (V p * (V (p + j + 2) * V (p + j + 2))) by ring.
        replace (V p * V (p + j + 3) * V (p + j + 1)) with (V p * (V (p + j + 1) * V (p + j + 3))) by ring.
        apply Rmult_lt_compat_l; assumption.
  Qed.

  Lemma rises p q : (p < q)%nat -> (q + 1 <= 2 * n)%nat -> V (p + 1) * V q < V p * V (q + 1).
  Proof.
    intros L M. pose proof (V_rises p (q - p - 1) ltac:(lia)) as E.
    replace (p + (q - p - 1) + 1)%nat with q in E by lia. replace (p + (q - p - 1) + 2)%nat with (q + 1)%nat in E by lia.
    exact E.
  Qed.

  Lemma rises_weakly p q : (p <= q)%nat -> (q + 1 <= 2 * n)%nat -> V (p + 1) * V q <= V p * V (q + 1).
  Proof.
    intros L M. destruct (Nat.eq_dec p q) as [->|N]; [lra|]. apply Rlt_le, rises; lia.
  Qed.

  (** BC^2 but for the factor V(2x). *)

  Definition square (x r : nat) : R := V (x + r) * V (x + r) / V (2 * r).

  Lemma product_below s t u v w z : 0 < s -> 0 < v -> 0 < w -> u * s <= t -> w < z -> 0 < u -> u * s * w < t * z.
  Proof.
    intros S P W L M U. apply Rlt_le_trans with (u * s * z).
    - apply Rmult_lt_compat_l; [apply Rmult_lt_0_compat; assumption|exact M].
    - apply Rmult_le_compat_r; lra.
  Qed.

  Lemma cross p q r s : 0 < q -> 0 < s -> p * s < r * q -> p / q < r / s.
  Proof.
    intros Q S L. apply Rmult_lt_reg_r with (q * s); [apply Rmult_lt_0_compat; assumption|].
    replace (p / q * (q * s)) with (p * s) by (field; lra). replace (r / s * (q * s)) with (r * q) by (field; lra). exact L.
  Qed.

  Lemma falls_right x r : (x <= r)%nat -> (r + 1 <= n)%nat -> square x (r + 1) < square x r.
  Proof.
    intros L M. unfold square. replace (x + (r + 1))%nat with (x + r + 1)%nat by lia.
    replace (2 * (r + 1))%nat with (2 * r + 1 + 1)%nat by lia.
    pose proof (rises_weakly (x + r) (2 * r) ltac:(lia) ltac:(lia)) as A.
    pose proof (rises (x + r) (2 * r + 1) ltac:(lia) ltac:(lia)) as B.
    pose proof (V_pos (x + r)). pose proof (V_pos (x + r + 1)). pose proof (V_pos (2 * r)).
    pose proof (V_pos (2 * r + 1)). pose proof (V_pos (2 * r + 1 + 1)).
    apply cross; [assumption|assumption|].
    apply Rmult_lt_reg_r with (V (2 * r + 1)); [assumption|].
    pose proof (product_below (V (2 * r)) (V (x + r) * V (2 * r + 1)) (V (x + r + 1)) 1
      (V (x + r + 1) * V (2 * r + 1)) (V (x + r) * V (2 * r + 1 + 1))) as C.
    assert (D : V (x + r + 1) * V (2 * r) * (V (x + r + 1) * V (2 * r + 1)) <
      V (x + r) * V (2 * r + 1) * (V (x + r) * V (2 * r + 1 + 1))).
    { apply C; try assumption; try lra. apply Rmult_lt_0_compat; assumption. }
    lra.
  Qed.

  Lemma rises_left x r : (r + 1 <= x)%nat -> (x <= n)%nat -> square x r < square x (r + 1).
  Proof.
    intros L M. unfold square. replace (x + (r + 1))%nat with (x + r + 1)%nat by lia.
    replace (2 * (r + 1))%nat with (2 * r + 1 + 1)%nat by lia.
    pose proof (rises_weakly (2 * r + 1) (x + r) ltac:(lia) ltac:(lia)) as A.
    pose proof (rises (2 * r) (x + r) ltac:(lia) ltac:(lia)) as B.
    pose proof (V_pos (x + r)). pose proof (V_pos (x + r + 1)). pose proof (V_pos (2 * r)).
    pose proof (V_pos (2 * r + 1)). pose proof (V_pos (2 * r + 1 + 1)).
    apply cross; [assumption|assumption|].
    apply Rmult_lt_reg_r with (V (2 * r + 1)); [assumption|].
    pose proof (product_below (V (x + r)) (V (2 * r + 1) * V (x + r + 1)) (V (2 * r + 1 + 1)) 1
      (V (2 * r + 1) * V (x + r)) (V (2 * r) * V (x + r + 1))) as C.
    assert (D : V (2 * r + 1 + 1) * V (x + r) * (V (2 * r + 1) * V (x + r)) <
      V (2 * r + 1) * V (x + r + 1) * (V (2 * r) * V (x + r + 1))).
    { apply C; try assumption; try lra. apply Rmult_lt_0_compat; assumption. }
    lra.
  Qed.

  Lemma right_of x r j : (x <= r)%nat -> (r + S j <= n)%nat -> square x (r + S j) < square x r.
  Proof.
    induction j as [|j IH]; intros L M; [apply falls_right; lia|].
    apply Rlt_trans with (square x (r + S j)); [|apply IH; lia].
    replace (r + S (S j))%nat with (r + S j + 1)%nat by lia. apply falls_right; lia.
  Qed.

  Lemma left_of x r j : (r + S j <= x)%nat -> (x <= n)%nat -> square x r < square x (r + S j).
  Proof.
    induction j as [|j IH]; intros L M; [apply rises_left; lia|].
    apply Rlt_trans with (square x (r + S j)); [apply IH; lia|].
    replace (r + S (S j))%nat with (r + S j + 1)%nat by lia. apply rises_left; lia.
  Qed.

  (** Two candidates on one side of x have different squares. *)

  Lemma one_side x r s : (x <= n)%nat -> (r < s)%nat -> (s <= n)%nat -> (x <= r \/ s <= x)%nat -> square x r <> square x s.
  Proof.
    intros X L M [R1|R1] E.
    - pose proof (right_of x r (s - r - 1) R1 ltac:(lia)) as F. replace (r + S (s - r - 1))%nat with s in F by lia. lra.
    - pose proof (left_of x r (s - r - 1) ltac:(lia) X) as F. replace (r + S (s - r - 1))%nat with s in F by lia. lra.
  Qed.

  (** The distance of the posteriors of the histograms (x, n-x) and (r, n-r). *)

  Definition h2 (x r : nat) : R := H Gamma [a; b] [x; n - x]%nat [r; n - r]%nat.

  Lemma priors_pos : Forall (Rlt 0) [a; b].
  Proof. repeat constructor; assumption. Qed.

  Lemma beta_is x r : (x <= n)%nat -> (r <= n)%nat -> beta Gamma [a; b] [x; n - x]%nat [r; n - r]%nat = V (x + r).
  Proof.
    intros X L. unfold V. cbn [beta]. replace (n - x + (n - r))%nat with (2 * n - (x + r))%nat by lia. ring.
  Qed.

  Lemma bc_at_most_1 x r : BC Gamma [a; b] [x; n - x]%nat [r; n - r]%nat <= 1.
  Proof.
    pose proof (BC_gram Gamma moments [a; b] priors_pos [x; n - x]%nat [r; n - r]%nat [r; n - r]%nat 1 (-1) 0
      eq_refl eq_refl eq_refl) as G.
    rewrite !(BC_self Gamma moments [a; b] priors_pos) in G. lra.
  Qed.

  Lemma same_square x r s : (x <= n)%nat -> (r <= n)%nat -> (s <= n)%nat -> h2 x r = h2 x s -> square x r = square x s.
  Proof.
    intros X L M E. unfold h2, H in E. pose proof (bc_at_most_1 x r). pose proof (bc_at_most_1 x s).
    apply sqrt_inj in E; [|lra|lra].
    assert (B : BC Gamma [a; b] [x; n - x]%nat [r; n - r]%nat = BC Gamma [a; b] [x; n - x]%nat [s; n - s]%nat) by lra.
    assert (Q : forall z, (z <= n)%nat ->
      square x z = BC Gamma [a; b] [x; n - x]%nat [z; n - z]%nat * BC Gamma [a; b] [x; n - x]%nat [z; n - z]%nat * V (x + x)).
    { intros z Z. unfold BC. rewrite !beta_is by assumption. unfold square.
      replace (2 * z)%nat with (z + z)%nat by lia. pose proof (V_pos (x + x)). pose proof (V_pos (z + z)).
      assert (T : 0 < sqrt (V (x + x) * V (z + z))) by (apply sqrt_lt_R0, Rmult_lt_0_compat; assumption).
      assert (T2 : sqrt (V (x + x) * V (z + z)) * sqrt (V (x + x) * V (z + z)) = V (x + x) * V (z + z)).
      { apply sqrt_sqrt, Rlt_le, Rmult_lt_0_compat; assumption. }
      replace (V (x + z) / sqrt (V (x + x) * V (z + z)) * (V (x + z) / sqrt (V (x + x) * V (z + z))) * V (x + x))
        with (V (x + z) * V (x + z) * V (x + x) / (sqrt (V (x + x) * V (z + z)) * sqrt (V (x + x) * V (z + z))))
        by (field; lra).
      rewrite T2. field. lra. }
    rewrite (Q r L), (Q s M), B. reflexivity.
  Qed.

  Definition candidates : list nat := seq 0 (S n).

  Lemma apart x r s : (x <= n)%nat -> (r <= n)%nat -> (s <= n)%nat -> r <> s -> h2 x r = h2 x s ->
    (Nat.min r s < x /\ x < Nat.max r s)%nat.
  Proof.
    intros X L M N E. apply same_square in E; try assumption.
    destruct (Nat.lt_trichotomy r s) as [C|[C|C]]; [|contradiction|].
    - assert (~ (x <= r \/ s <= x)%nat) by (intros F; exact (one_side x r s X C M F E)). lia.
    - assert (~ (x <= s \/ r <= x)%nat) by (intros F; exact (one_side x s r X C L F (eq_sym E))). lia.
  Qed.

  (** level.at-most-two. *)

  Theorem at_most_two x c : (x <= n)%nat -> size _ candidates (h2 x) c <= 2.
  Proof.
    intros X. unfold size. replace 2 with (INR 2) by (simpl; lra). apply le_INR.
    assert (U : NoDup (level _ candidates (h2 x) c)) by (apply NoDup_filter, seq_NoDup).
    assert (K : forall r, In r (level _ candidates (h2 x) c) -> (r <= n)%nat /\ h2 x r = c).
    { intros r I. apply filter_In in I. destruct I as [I J]. apply in_seq in I. split; [lia|].
      unfold at_score in J. destruct (Req_EM_T (h2 x r) c); [assumption|discriminate]. }
    destruct (level _ candidates (h2 x) c) as [|r [|s [|t l]]]; simpl; try lia. exfalso.
    inversion U as [|? ? N1 U1]; subst. inversion U1 as [|? ? N2 U2]; subst.
    destruct (K r) as [R1 R2]; [simpl; auto|]. destruct (K s) as [S1 S2]; [simpl; auto|].
    destruct (K t) as [T1 T2]; [simpl; auto|].
    assert (r <> s /\ r <> t) by (simpl in N1; split; intros F; apply N1; subst; auto).
    assert (s <> t) by (simpl in N2; intros F; apply N2; subst; auto).
    pose proof (apart x r s X R1 S1 ltac:(tauto) ltac:(congruence)).
    pose proof (apart x r t X R1 T1 ltac:(tauto) ltac:(congruence)).
    pose proof (apart x s t X S1 T1 ltac:(tauto) ltac:(congruence)). lia.
  Qed.

  (** sliding.proved for two categories: a and b are attained scores; any t, so t = eps/(2 S(x)). *)

  Theorem sliding_two t x ra rb : (x <= n)%nat -> (rb <= n)%nat ->
    chance _ candidates (h2 x) t (h2 x ra) <=
    exp (t * (h2 x rb - h2 x ra) + ln 2) * chance _ candidates (h2 x) t (h2 x rb).
  Proof.
    intros X B. apply sliding; [apply at_most_two, X|].
    unfold size. replace 1 with (INR 1) by reflexivity. apply le_INR.
    assert (I : In rb (level _ candidates (h2 x) (h2 x rb))).
    { apply filter_In. split; [apply in_seq; lia|]. unfold at_score.
      destruct (Req_EM_T (h2 x rb) (h2 x rb)); [reflexivity|contradiction]. }
    destruct (level _ candidates (h2 x) (h2 x rb)); [contradiction|simpl; lia].
  Qed.

End AtMostTwo.
