(** (eps, delta): the privacy profile of two laws on a finite list of outputs, and basic composition. *)

From Coq Require Import Reals Lra List.
Import ListNotations.
From DP Require Import Laws.
Open Scope R_scope.

(** The definition by events: P(event) <= e^eps P'(event) + delta, an event being a test on outputs. *)

Definition approx {A} (eps delta : R) (P P' : A -> R) (outputs : list A) : Prop :=
  forall event : A -> bool,
    sum P (filter event outputs) <= exp eps * sum P' (filter event outputs) + delta.

(** The profile: delta(eps) = sum over outputs of max(0, P - e^eps P'). *)

Definition profile {A} (eps : R) (P P' : A -> R) (outputs : list A) : R :=
  sum (fun r => Rmax 0 (P r - exp eps * P' r)) outputs.

Lemma profile_bounds_event {A} eps (P P' : A -> R) outputs event :
  sum P (filter event outputs) - exp eps * sum P' (filter event outputs) <= profile eps P P' outputs.
Proof.
  unfold profile. induction outputs as [|a l IH]; simpl; [lra|].
  pose proof (Rmax_l 0 (P a - exp eps * P' a)). pose proof (Rmax_r 0 (P a - exp eps * P' a)).
  destruct (event a); simpl; lra.
Qed.

Lemma profile_attained {A} eps (P P' : A -> R) outputs :
  let event := fun r => if Rlt_dec (exp eps * P' r) (P r) then true else false in
  sum P (filter event outputs) - exp eps * sum P' (filter event outputs) = profile eps P P' outputs.
Proof.
  intros event. unfold profile. induction outputs as [|a l IH]; simpl; [lra|].
  destruct (event a) eqn:E; unfold event in E; destruct (Rlt_dec (exp eps * P' a) (P a)) as [L|L]; try discriminate; simpl.
  - rewrite Rmax_right by lra. lra.
  - rewrite Rmax_left by lra. lra.
Qed.

(** So the profile is the least delta: the formula that dpaudit computes is the definition. *)

Theorem profile_is_least {A} eps delta (P P' : A -> R) outputs :
  approx eps delta P P' outputs <-> profile eps P P' outputs <= delta.
Proof.
  split.
  - intros D. rewrite <- profile_attained. specialize (D (fun r => if Rlt_dec (exp eps * P' r) (P r) then true else false)).
    simpl in D |- *. lra.
  - intros L event. pose proof (profile_bounds_event eps P P' outputs event). lra.
Qed.

(** Pure privacy is the profile at 0, and the profile falls as eps grows. *)

Theorem pure_is_zero {A} eps (P P' : A -> R) outputs :
  within eps P P' outputs <-> profile eps P P' outputs <= 0.
Proof.
  unfold within, profile. induction outputs as [|a l IH]; simpl; [split; [intros; lra|easy]|].
  assert (N : 0 <= sum (fun r => Rmax 0 (P r - exp eps * P' r)) l) by (apply sum_nonneg; intros; apply Rmax_l).
  pose proof (Rmax_l 0 (P a - exp eps * P' a)) as B. pose proof (Rmax_r 0 (P a - exp eps * P' a)) as C. split.
  - intros W. rewrite Rmax_left by (pose proof (W a (or_introl eq_refl)); lra).
    assert (sum (fun r => Rmax 0 (P r - exp eps * P' r)) l <= 0) by (apply IH; intros; apply W; now right). lra.
  - intros S r [<-|I]; [lra|]. apply IH; [lra|exact I].
Qed.

Theorem profile_falls {A} eps eps' (P P' : A -> R) outputs :
  (forall r, In r outputs -> 0 <= P' r) -> eps <= eps' -> profile eps' P P' outputs <= profile eps P P' outputs.
Proof.
  intros N L. apply sum_le. intros r I. apply Rle_max_compat_l.
  pose proof (Rmult_le_compat_r (P' r) _ _ (N r I) (exp_le _ _ L)). lra.
Qed.

(** Post-processing: a law that is pushed through any function f of the output keeps its (eps, delta). *)

Definition image {A B} (f : A -> B) (event : B -> bool) : A -> bool := fun r => event (f r).

Theorem post_processing {A B} eps delta (P P' : A -> R) outputs (f : A -> B) :
  approx eps delta P P' outputs ->
  forall event, sum P (filter (image f event) outputs) <= exp eps * sum P' (filter (image f event) outputs) + delta.
Proof. intros D event. apply D. Qed.

(** Composition: two independent releases. *)

Definition both {A B} (P : A -> R) (Q : B -> R) (r : A * B) : R := P (fst r) * Q (snd r).

Lemma sum_app {A} (f : A -> R) l m : sum f (l ++ m) = sum f l + sum f m.
Proof. induction l as [|a l IH]; simpl; [lra|]. rewrite IH; lra. Qed.

Lemma sum_map {A B} (f : B -> R) (g : A -> B) l : sum f (map g l) = sum (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma sum_prod {A B} (f : A * B -> R) l m : sum f (list_prod l m) = sum (fun a => sum (fun b => f (a, b)) m) l.
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite sum_app, sum_map, IH. reflexivity. Qed.

(** Pure: the epsilons add up. *)

Theorem pure_composition {A B} eps1 eps2 (P P' : A -> R) (Q Q' : B -> R) l m :
  (forall r, In r l -> 0 <= P r) -> (forall r, In r m -> 0 <= Q r) ->
  within eps1 P P' l -> within eps2 Q Q' m -> within (eps1 + eps2) (both P Q) (both P' Q') (list_prod l m).
Proof.
  intros NP NQ W V [a b] I. apply in_prod_iff in I. destruct I as [I J]. unfold both; simpl.
  rewrite exp_plus. replace (exp eps1 * exp eps2 * (P' a * Q' b)) with ((exp eps1 * P' a) * (exp eps2 * Q' b)) by ring.
  apply Rmult_le_compat; auto.
Qed.

(** (eps, delta): epsilons and deltas add up. The proof is by the profile:
    P Q - e^(e1+e2) P' Q' = (P - e^e1 P') Q + e^e1 P' (Q - e^e2 Q'), and e^e1 P' <= P + (e^e1 P' - P)+ is not needed:
    min(e^e1 P', P) <= P is enough. *)

Lemma split_product p p' q q' e1 e2 :
  0 <= p -> 0 <= q -> 0 <= p' -> 0 <= q' -> 0 <= e1 -> 0 <= e2 ->
  Rmax 0 (p * q - e1 * e2 * (p' * q')) <= Rmax 0 (p - e1 * p') * q + p * Rmax 0 (q - e2 * q').
Proof.
  intros P Q P' Q' E1 E2.
  pose proof (Rmax_l 0 (p - e1 * p')) as A. pose proof (Rmax_r 0 (p - e1 * p')) as B.
  pose proof (Rmax_l 0 (q - e2 * q')) as C. pose proof (Rmax_r 0 (q - e2 * q')) as D.
  set (x := Rmax 0 (p - e1 * p')) in *. set (y := Rmax 0 (q - e2 * q')) in *.
  assert (K : 0 <= x * q) by (apply Rmult_le_pos; assumption).
  assert (L : 0 <= p * y) by (apply Rmult_le_pos; assumption).
  apply Rmax_lub; [lra|].
  (* with m = p - x <= e1 p' and q - y <= e2 q': p q - x q - p y <= m (q - y) or m <= 0 or q - y <= 0 *)
  assert (F : p * q - x * q - p * y <= (p - x) * (q - y)) by nra.
  assert (G : (p - x) * (q - y) <= e1 * e2 * (p' * q')).
  { assert (X : x <= p) by (apply Rmax_lub; [exact P|]; assert (0 <= e1 * p') by (apply Rmult_le_pos; assumption); lra).
    assert (Y : y <= q) by (apply Rmax_lub; [exact Q|]; assert (0 <= e2 * q') by (apply Rmult_le_pos; assumption); lra).
    replace (e1 * e2 * (p' * q')) with ((e1 * p') * (e2 * q')) by ring. apply Rmult_le_compat; lra. }
  lra.
Qed.

Theorem composition {A B} eps1 eps2 delta1 delta2 (P P' : A -> R) (Q Q' : B -> R) l m :
  (forall r, In r l -> 0 <= P r /\ 0 <= P' r) -> (forall r, In r m -> 0 <= Q r /\ 0 <= Q' r) ->
  sum P l = 1 -> sum Q m = 1 ->
  approx eps1 delta1 P P' l -> approx eps2 delta2 Q Q' m ->
  approx (eps1 + eps2) (delta1 + delta2) (both P Q) (both P' Q') (list_prod l m).
Proof.
  rewrite !profile_is_least. intros NP NQ TP TQ D1 D2.
  apply Rle_trans with (profile eps1 P P' l + profile eps2 Q Q' m); [|lra].
  unfold profile at 1. rewrite sum_prod. unfold both; simpl. rewrite exp_plus.
  apply Rle_trans with
    (sum (fun a => sum (fun b => Rmax 0 (P a - exp eps1 * P' a) * Q b + P a * Rmax 0 (Q b - exp eps2 * Q' b)) m) l).
  - apply sum_le; intros a I; apply sum_le; intros b J. destruct (NP a I), (NQ b J).
    apply split_product; try assumption; apply Rlt_le, exp_pos.
  - right. unfold profile.
    rewrite (sum_ext _ (fun a => Rmax 0 (P a - exp eps1 * P' a)
      + profile eps2 Q Q' m * P a)).
    + rewrite sum_plus, sum_scale, TP. unfold profile. ring.
    + intros a _. rewrite sum_plus, !sum_scale, TQ. unfold profile. ring.
Qed.
