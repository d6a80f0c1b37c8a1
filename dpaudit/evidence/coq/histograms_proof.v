(* ------------------------------------------------------------------ the list of all histograms *)

Definition point : Type := list nat.

Lemma same_is x y : same x y = true -> x = y.
Proof.
  revert y. induction x as [|c x IH]; intros [|c' y]; simpl; try discriminate; [reflexivity|]. intros T.
  apply andb_prop in T. destruct T as [T U]. apply Nat.eqb_eq in T. f_equal; [exact T|apply IH, U].
Qed.

Lemma same_self x : same x x = true.
Proof. induction x as [|c x IH]; [reflexivity|]. simpl. rewrite Nat.eqb_refl. exact IH. Qed.

Lemma histograms_are j : forall m x, In x (histograms j m) <-> length x = j /\ list_sum x = m.
Proof.
  induction j as [|j IH]; intros m x; cbn [histograms].
  - destruct (Nat.eqb_spec m 0) as [->|N]; simpl; split.
    + intros [<-|[]]; auto.
    + intros [L S]. left. destruct x; [reflexivity|discriminate].
    + intros [].
    + intros [L S]. destruct x; [simpl in S; congruence|discriminate].
  - rewrite in_flat_map. split.
    + intros [c [C D]]. apply in_seq in C. apply in_map_iff in D. destruct D as [y [<- D]]. apply IH in D.
      destruct D as [L S]. split; [simpl; congruence|]. change (c + list_sum y = m)%nat. lia.
    + intros [L S]. destruct x as [|c y]; [discriminate|]. injection L as L. change (c + list_sum y = m)%nat in S.
      exists c. split; [apply in_seq; lia|]. apply in_map, IH. split; [exact L|lia].
Qed.

Lemma all_is x : In x all <-> histogram x.
Proof. apply histograms_are. Qed.

Lemma cons_once {A B} (f : nat -> A -> B) (g : nat -> list A) l :
  (forall c a c' a', f c a = f c' a' -> c = c' /\ a = a') -> (forall c, NoDup (g c)) -> NoDup l ->
  NoDup (flat_map (fun c => map (f c) (g c)) l).
Proof.
  intros E G L. induction L as [|c l N L IH]; cbn [flat_map]; [constructor|].
  assert (M : NoDup (map (f c) (g c))).
  { apply FinFun.Injective_map_NoDup; [|apply G]. intros a b F. apply (E c a c b F). }
  revert M. generalize (fun b => proj1 (in_map_iff (f c) (g c) b)).
  induction (map (f c) (g c)) as [|b m IHm]; intros O M; [exact IH|]. inversion M; subst. simpl. constructor.
  - rewrite in_app_iff, in_flat_map. intros [D|[c' [D F]]]; [contradiction|].
    apply in_map_iff in F. destruct F as [a' [F _]]. destruct (O b (or_introl eq_refl)) as [a [H _]].
    destruct (E c' a' c a) as [-> _]; [congruence|contradiction].
  - apply IHm; [|assumption]. intros b' D. apply O. now right.
Qed.

Lemma all_once : NoDup all.
Proof.
  unfold all. generalize n. induction k as [|j IH]; intros m; cbn [histograms].
  - destruct (Nat.eqb m 0); repeat constructor. intros [].
  - apply cons_once; [intros c a c' a' F; injection F; auto|intros c; apply IH|apply seq_NoDup].
Qed.
