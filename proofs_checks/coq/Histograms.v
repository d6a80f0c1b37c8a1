(** The documents' data sets, histograms of n records in k cells, and the mechanisms on all of them.

    Every hypothesis of Model.v is proved here; what is left is what the model is: n >= 1, k >= 2, a positive prior.
    Gamma is Euler's integral, which Gamma.v defines and proves to exist. *)

From Coq Require Import Reals Lra List Arith Lia.
Import ListNotations.
Open Scope nat_scope.

Definition histogram (k n : nat) : Type := { x : list nat | length x = k /\ list_sum x = n }.

(** The records of x that are to be replaced: the sum of the positive parts of x_i - y_i. *)

Fixpoint steps (x y : list nat) : nat :=
  match x, y with
  | c :: x, c' :: y => (c - c') + steps x y
  | _, _ => 0
  end.

Lemma steps_self x : steps x x = 0.
Proof. induction x as [|c x IH]; simpl; [reflexivity|]. lia. Qed.

Lemma steps_balance x : forall y, length x = length y -> steps x y + list_sum y = steps y x + list_sum x.
Proof.
  unfold list_sum. induction x as [|c x IH]; intros [|c' y] L; simpl in *; try discriminate; [reflexivity|].
  injection L as L. specialize (IH y L). lia.
Qed.

Lemma steps_triangle x : forall y z, length x = length y -> length y = length z -> steps x z <= steps x y + steps y z.
Proof.
  induction x as [|c x IH]; intros [|c' y] [|c'' z] L M; simpl in *; try discriminate; [lia|].
  injection L as L. injection M as M. specialize (IH y z L M). lia.
Qed.

(** Every histogram has a neighbor: one record moves to another cell. *)

Lemma neighbor x : 2 <= length x -> 1 <= list_sum x ->
  exists y, length y = length x /\ list_sum y = list_sum x /\ steps x y = 1.
Proof.
  unfold list_sum. induction x as [|a x IH]; simpl; intros K N; [lia|]. destruct x as [|b x]; simpl in *; [lia|].
  pose proof (steps_self x). destruct a as [|a].
  - destruct b as [|b].
    + destruct x as [|c x]; simpl in *; [lia|]. destruct IH as [y [L [S T]]]; [lia|lia|].
      exists (0 :: y). simpl. lia.
    + exists (1 :: b :: x). cbn [length fold_right steps]. repeat split; lia.
  - exists (a :: S b :: x). cbn [length fold_right steps]. repeat split; lia.
Qed.

Section Datasets.

  Variables k n : nat.

  Definition d (x y : histogram k n) : nat := steps (proj1_sig x) (proj1_sig y).

  Theorem d_self x : d x x = 0.
  Proof. apply steps_self. Qed.

  Theorem d_symmetric x y : d x y = d y x.
  Proof.
    unfold d. destruct x as [p [A B]], y as [q [C D]]; simpl.
    pose proof (steps_balance p q ltac:(congruence)). lia.
  Qed.

  Theorem d_triangle x y z : d x z <= d x y + d y z.
  Proof.
    unfold d. destruct x as [p [A A0]], y as [q [B B0]], z as [r [C C0]]; simpl. apply steps_triangle; congruence.
  Qed.

  (** All of them, each once. *)

  Fixpoint counts (k m : nat) : list (list nat) :=
    match k with
    | O => if Nat.eqb m 0 then [[]] else []
    | S k => flat_map (fun c => map (cons c) (counts k (m - c))) (seq 0 (S m))
    end.

  Lemma counts_are j : forall m x, In x (counts j m) <-> length x = j /\ list_sum x = m.
  Proof.
    induction j as [|j IH]; intros m x; cbn [counts].
    - destruct (Nat.eqb_spec m 0) as [->|N]; simpl; split.
      + intros [<-|[]]; auto.
      + intros [L S]. left. destruct x; [reflexivity|discriminate].
      + intros [].
      + intros [L S]. destruct x; [simpl in S; congruence|discriminate].
    - rewrite in_flat_map. split.
      + intros [c [C D]]. apply in_seq in C. apply in_map_iff in D. destruct D as [y [<- D]]. apply IH in D.
        destruct D as [L S]. split; [simpl; congruence|]. change (c + list_sum y = m). lia.
      + intros [L S]. destruct x as [|c y]; [discriminate|]. injection L as L. change (c + list_sum y = m) in S.
        exists c. split; [apply in_seq; lia|]. apply in_map, IH. split; [exact L|lia].
  Qed.

  Lemma counts_once j : forall m, NoDup (counts j m).
  Proof.
    induction j as [|j IH]; intros m; cbn [counts].
    - destruct (Nat.eqb m 0); repeat constructor. intros [].
    - generalize (seq_NoDup (S m) 0). induction (seq 0 (S m)) as [|c l IHl]; intros L; cbn [flat_map]; [constructor|].
      inversion L as [|? ? N L']; subst. specialize (IHl L'). specialize (IH (m - c)).
      induction (counts j (m - c)) as [|b g IHg]; [exact IHl|]. inversion IH as [|? ? B G]; subst. simpl. constructor.
      + rewrite in_app_iff, in_flat_map. intros [D|[c' [D E]]]; apply in_map_iff in D || apply in_map_iff in E.
        * destruct D as [a [F D]]. injection F as <-. contradiction.
        * destruct E as [a [F _]]. injection F as <- _. contradiction.
      + apply IHg, G.
  Qed.

  Definition typed (x : list nat) : list (histogram k n) :=
    match Nat.eq_dec (length x) k, Nat.eq_dec (list_sum x) n with
    | left a, left b => [exist _ x (conj a b)]
    | _, _ => []
    end.

  Definition all : list (histogram k n) := flat_map typed (counts k n).

  Lemma typed_is x a : In x (counts k n) -> exists p, typed x = [exist _ x p] /\ (a = exist _ x p <-> proj1_sig a = x).
  Proof.
    intros I. apply counts_are in I. destruct I as [L S]. unfold typed.
    destruct (Nat.eq_dec (length x) k) as [A|A]; [|contradiction].
    destruct (Nat.eq_dec (list_sum x) n) as [B|B]; [|contradiction].
    exists (conj A B). split; [reflexivity|]. split; [intros ->; reflexivity|].
    destruct a as [y [C D]]. simpl. intros <-. f_equal. f_equal; apply Peano_dec.UIP_nat.
  Qed.

  Theorem all_complete x : In x all.
  Proof.
    apply in_flat_map. exists (proj1_sig x). assert (I : In (proj1_sig x) (counts k n)) by (apply counts_are, (proj2_sig x)).
    split; [exact I|]. destruct (typed_is _ x I) as [p [E F]]. rewrite E. left. symmetry. apply F. reflexivity.
  Qed.

  Definition as_list (x : histogram k n) : list nat := proj1_sig x.

  Theorem all_once : NoDup all.
  Proof.
    apply (NoDup_map_inv as_list). replace (map as_list all) with (counts k n); [apply counts_once|].
    unfold all. assert (T : forall x, In x (counts k n) -> map as_list (typed x) = [x]).
    { intros x I. apply counts_are in I. destruct I as [L S]. unfold typed.
      destruct (Nat.eq_dec (length x) k); [|contradiction]. destruct (Nat.eq_dec (list_sum x) n); [|contradiction].
      reflexivity. }
    revert T. induction (counts k n) as [|x l IH]; intros T; [reflexivity|].
    change (flat_map typed (x :: l)) with (typed x ++ flat_map typed l). rewrite map_app, (T x (or_introl eq_refl)).
    cbn [app]. f_equal. apply IH. intros y I. apply T. now right.
  Qed.

End Datasets.

(** The documents' model: n >= 1 records in k >= 2 categories, a Dirichlet prior, the Hellinger distance of the
    posteriors. *)

From DP Require Import Laws Model Dirichlet Gamma.
Open Scope R_scope.

Section Posteriors.

  Variable prior : list R.
  Variable n : nat.
  Hypothesis prior_pos : Forall (Rlt 0) prior.
  Hypothesis two_categories : (2 <= length prior)%nat.
  Hypothesis one_record : (1 <= n)%nat.

  Notation k := (length prior).

  Let moments : gamma_moments Gamma := Gamma.moments.

  Definition h (x y : histogram k n) : R := H Gamma prior (proj1_sig x) (proj1_sig y).

  Lemma h_self x : h x x = 0.
  Proof. apply H_self; assumption. Qed.

  Lemma h_symmetric x y : h x y = h y x.
  Proof. apply H_symmetric; assumption. Qed.

  Theorem h_triangle x y z : h x z <= h x y + h y z.
  Proof.
    apply H_triangle; try assumption; [apply (proj1 (proj2_sig x))|apply (proj1 (proj2_sig y))|apply (proj1 (proj2_sig z))].
  Qed.

  Lemma h_at_most_1 x y : h x y <= 1.
  Proof. apply H_at_most_1; assumption. Qed.

  Lemma has_neighbor x : In x (all k n) -> exists y, In y (all k n) /\ d k n x y = 1%nat /\ 0 < h x y.
  Proof.
    intros _. destruct x as [p [A B]]. destruct (neighbor p) as [q [L [S T]]]; [lia|lia|].
    assert (Q : length q = k /\ list_sum q = n) by (split; congruence).
    exists (exist _ q Q). split; [apply all_complete|]. split; [exact T|].
    apply H_pos; simpl; try assumption; [apply Q|]. intros E. subst q. rewrite steps_self in T. discriminate.
  Qed.

  Lemma one_apart x y : d k n x y = 1%nat -> adjacent _ (all k n) (d k n) x y.
  Proof. intros D. repeat split; [apply all_complete|apply all_complete|exact D]. Qed.

  (** ls.reduction, smooth.gamma, smooth.exp: Model.v on all data sets, for every n, k and prior. *)

  Theorem ls_histograms x : LS _ (all k n) (d k n) h x = largest (h x) (neighbors _ (all k n) (d k n) x).
  Proof. apply ls_reduction; auto using h_self, h_symmetric, h_triangle, has_neighbor, all_complete. Qed.

  Theorem smooth_histograms gamma x y :
    0 <= gamma -> d k n x y = 1%nat ->
    LS _ (all k n) (d k n) h x <= S _ (all k n) (d k n) h gamma x /\
    / S _ (all k n) (d k n) h gamma x - / S _ (all k n) (d k n) h gamma y <= gamma.
  Proof.
    intros G A. split; [apply smooth_at_least_local|apply smooth_gamma]; auto using d_self, d_symmetric, d_triangle,
      h_self, h_symmetric, h_triangle, has_neighbor, all_complete, one_apart.
  Qed.

  Theorem smooth_exp_histograms gamma x y :
    0 <= gamma -> d k n x y = 1%nat ->
    LS _ (all k n) (d k n) h x <= S_exp _ (all k n) (d k n) h gamma x /\
    S_exp _ (all k n) (d k n) h gamma x <= exp gamma * S_exp _ (all k n) (d k n) h gamma y.
  Proof.
    intros G A. split; [apply smooth_exp_at_least_local|apply smooth_exp]; auto using d_self, d_symmetric, d_triangle,
      h_self, h_symmetric, h_triangle, has_neighbor, all_complete, one_apart.
  Qed.

  (** dp.ehd.exact-gs, dp.ehd.prior-ge-1: EHD with any Delta that is at least the global sensitivity, so with GS. *)

  Theorem ehd_delta_histograms eps Delta x y :
    0 <= eps -> GS _ (all k n) (d k n) h <= Delta -> d k n x y = 1%nat ->
    within eps (EHD _ (all k n) h eps Delta x) (EHD _ (all k n) h eps Delta y) (all k n).
  Proof.
    intros E B A. apply (ehd_private _ (all k n) (d k n) h); auto using h_self, h_symmetric, h_triangle, has_neighbor,
      one_apart.
  Qed.

  Theorem ehd_histograms eps x y :
    0 <= eps -> d k n x y = 1%nat ->
    within eps (EHD _ (all k n) h eps (GS _ (all k n) (d k n) h) x)
      (EHD _ (all k n) h eps (GS _ (all k n) (d k n) h) y) (all k n).
  Proof. auto using ehd_delta_histograms, Rle_refl. Qed.

  (** dp.ehds, dp.mh. *)

  Theorem ehds_histograms gamma eps x y :
    0 <= gamma -> 0 <= eps -> d k n x y = 1%nat ->
    within eps (EHDS _ (all k n) (d k n) h gamma eps x) (EHDS _ (all k n) (d k n) h gamma eps y) (all k n).
  Proof.
    intros G E A. apply ehds_private; auto using d_self, d_symmetric, d_triangle, h_self, h_symmetric, h_triangle,
      h_at_most_1, has_neighbor, one_apart.
  Qed.

  Theorem mh_histograms gamma eps x y :
    0 <= gamma -> 0 <= eps -> d k n x y = 1%nat ->
    within ((1 + gamma) * eps) (MH _ (all k n) (d k n) h gamma eps x) (MH _ (all k n) (d k n) h gamma eps y) (all k n).
  Proof.
    intros G E A. apply mh_private; auto using d_self, d_symmetric, d_triangle, h_self, h_symmetric, h_triangle,
      h_at_most_1, has_neighbor, one_apart.
  Qed.

End Posteriors.
