(** The triangle inequality of the Hellinger distance.

    H is, up to a factor, the distance of the square roots of the densities in a space with an inner product. The proof
    is for any symmetric bilinear form that is never negative on the diagonal, then for distributions on finitely many
    points. For densities the form is the integral of a product; that this is such a form is the textbook part. *)

From Coq Require Import Reals Lra List.
Import ListNotations.
From DP Require Import Laws.
Open Scope R_scope.

Section Inner_product.

  Variable V : Type.
  Variable minus : V -> V -> V.
  Variable form : V -> V -> R.

  Hypothesis form_symmetric : forall f g, form f g = form g f.
  Hypothesis form_nonneg : forall f, 0 <= form f f.
  (** |s f - t g|^2 >= 0 for numbers s, t. *)
  Hypothesis form_combination : forall f g s t, 0 <= s * s * form f f - 2 * (s * t) * form f g + t * t * form g g.

  Theorem cauchy_schwarz f g : form f g * form f g <= form f f * form g g.
  Proof.
    pose proof (form_nonneg f) as F; pose proof (form_nonneg g) as G.
    destruct (Req_dec (form g g) 0) as [Z|Z].
    - (* then form f g = 0: take s = 1 and a large t *)
      rewrite Z. destruct (Req_dec (form f g) 0) as [E|E]; [rewrite E; lra|].
      pose proof (form_combination f g 1 ((form f f + 1) / (2 * form f g))) as C. rewrite Z in C.
      replace (1 * 1 * form f f - 2 * (1 * ((form f f + 1) / (2 * form f g))) * form f g
        + (form f f + 1) / (2 * form f g) * ((form f f + 1) / (2 * form f g)) * 0) with (-1) in C by (field; exact E).
      lra.
    - pose proof (form_combination f g (form g g) (form f g)) as C.
      assert (P : 0 < form g g) by lra.
      replace (form g g * form g g * form f f - 2 * (form g g * form f g) * form f g + form f g * form f g * form g g)
        with (form g g * (form f f * form g g - form f g * form f g)) in C by ring.
      assert (0 <= form f f * form g g - form f g * form f g); [|lra].
      apply (Rmult_le_reg_l (form g g)); [exact P|lra].
  Qed.

  Definition distance (f g : V) : R := sqrt (form (minus f g) (minus f g) / 2).

  Hypothesis minus_chain : forall f g k l, form (minus f k) l = form (minus f g) l + form (minus g k) l.

  Theorem distance_triangle f g k : distance f k <= distance f g + distance g k.
  Proof.
    unfold distance. set (p := minus f g). set (q := minus g k).
    assert (E : form (minus f k) (minus f k) = form p p + 2 * form p q + form q q).
    { rewrite (minus_chain f g k), (form_symmetric (minus f g)), (form_symmetric (minus g k)).
      rewrite !(minus_chain f g k). fold p q. rewrite (form_symmetric q p). ring. }
    pose proof (form_nonneg p) as P; pose proof (form_nonneg q) as Q.
    assert (C : form p q <= sqrt (form p p) * sqrt (form q q)).
    { rewrite <- sqrt_mult by assumption. apply Rle_trans with (sqrt (form p q * form p q)).
      - change (form p q * form p q) with (Rsqr (form p q)). rewrite sqrt_Rsqr_abs. apply Rle_abs.
      - apply sqrt_le_1_alt, cauchy_schwarz. }
    pose proof (sqrt_pos (form p p / 2)); pose proof (sqrt_pos (form q q / 2)).
    rewrite <- (sqrt_Rsqr (sqrt (form p p / 2) + sqrt (form q q / 2))) by lra. apply sqrt_le_1_alt.
    replace (Rsqr (sqrt (form p p / 2) + sqrt (form q q / 2)))
      with (sqrt (form p p / 2) * sqrt (form p p / 2) + 2 * (sqrt (form p p / 2) * sqrt (form q q / 2))
            + sqrt (form q q / 2) * sqrt (form q q / 2)) by (unfold Rsqr; ring).
    rewrite !sqrt_sqrt by lra. rewrite <- sqrt_mult by lra.
    replace (form p p / 2 * (form q q / 2)) with (form p p * form q q / (2 * 2)) by field.
    rewrite sqrt_div_alt by lra. rewrite sqrt_square by lra. rewrite sqrt_mult by assumption. rewrite E. lra.
  Qed.

End Inner_product.

(** Distributions p, q on finitely many points: H(p, q) = sqrt (1/2 sum (sqrt p - sqrt q)^2), which is
    sqrt (1 - BC), BC = sum sqrt (p q). *)

Section Finite.

  Variable A : Type.
  Variable points : list A.

  Definition hellinger (p q : A -> R) : R :=
    sqrt (sum (fun a => (sqrt (p a) - sqrt (q a)) * (sqrt (p a) - sqrt (q a))) points / 2).

  Theorem hellinger_is_bc p q :
    (forall a, In a points -> 0 <= p a /\ 0 <= q a) -> sum p points = 1 -> sum q points = 1 ->
    hellinger p q = sqrt (1 - sum (fun a => sqrt (p a * q a)) points).
  Proof.
    intros N P Q. unfold hellinger. f_equal.
    rewrite (sum_ext _ (fun a => (p a + q a) + -2 * sqrt (p a * q a))).
    - rewrite sum_plus, sum_plus, sum_scale, P, Q. field.
    - intros a I. destruct (N a I) as [pa qa]. rewrite sqrt_mult by assumption.
      pose proof (sqrt_sqrt (p a) pa) as E. pose proof (sqrt_sqrt (q a) qa) as F.
      set (s := sqrt (p a)) in *. set (t := sqrt (q a)) in *. rewrite <- E, <- F. ring.
  Qed.

  Theorem hellinger_symmetric p q : hellinger p q = hellinger q p.
  Proof. unfold hellinger. f_equal. f_equal. apply sum_ext; intros; ring. Qed.

  Theorem hellinger_self p : hellinger p p = 0.
  Proof.
    unfold hellinger. rewrite (sum_ext _ (fun a => 0 * 0)) by (intros; ring).
    rewrite sum_scale, Rmult_0_l. replace (0 / 2) with 0 by field. apply sqrt_0.
  Qed.

  Theorem hellinger_triangle p q r : hellinger p r <= hellinger p q + hellinger q r.
  Proof.
    pose (form := fun f g : A -> R => sum (fun a => f a * g a) points).
    pose (minus := fun f g : A -> R => fun a => f a - g a).
    pose (root := fun (f : A -> R) a => sqrt (f a)).
    apply (distance_triangle (A -> R) minus form) with (f := root p) (g := root q) (k := root r); unfold form, minus.
    - intros; apply sum_ext; intros; ring.
    - intros; apply sum_nonneg; intros; apply Rle_0_sqr.
    - intros f g s t. rewrite <- !sum_scale.
      replace (sum (fun a => s * s * (f a * f a)) points - sum (fun a => 2 * (s * t) * (f a * g a)) points
        + sum (fun a => t * t * (g a * g a)) points)
        with (sum (fun a => (s * f a - t * g a) * (s * f a - t * g a)) points).
      + apply sum_nonneg; intros; apply Rle_0_sqr.
      + rewrite (sum_ext _ (fun a => s * s * (f a * f a) + (-1 * (2 * (s * t) * (f a * g a)) + t * t * (g a * g a))))
          by (intros; ring).
        rewrite !sum_plus, (sum_scale (-1)). ring.
    - intros f g k l. rewrite <- sum_plus. apply sum_ext; intros; ring.
  Qed.

  Theorem hellinger_at_most_1 p q :
    (forall a, In a points -> 0 <= p a /\ 0 <= q a) -> sum p points = 1 -> sum q points = 1 -> hellinger p q <= 1.
  Proof.
    intros N P Q. rewrite hellinger_is_bc by assumption.
    apply Rle_trans with (sqrt 1); [|rewrite sqrt_1; lra]. apply sqrt_le_1_alt.
    assert (0 <= sum (fun a => sqrt (p a * q a)) points) by (apply sum_nonneg; intros; apply sqrt_pos). lra.
  Qed.

End Finite.
