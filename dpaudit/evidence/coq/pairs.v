(* ------------------------------------------------------------------ every pair, every output

   A row holds an item for each output, whose meaning is its probability. *)

Definition fine (x y r : point) (a b : item) : bool :=
  (if adjacent x y then most a b else true) &&
  (if same x witness_x && same y witness_y && same r witness_output then least a b else true).

Fixpoint fine_row (x y : point) (l : list point) (p p' : list item) : bool :=
  match l, p, p' with
  | r :: l, a :: p, b :: p' => fine x y r a b && fine_row x y l p p'
  | _, _, _ => true
  end.

Definition all_fine (l : list (point * list item)) : bool :=
  forallb (fun e => forallb (fun e' => fine_row (fst e) (fst e') outputs (snd e) (snd e')) l) l.

Lemma all_fine_each l e e' :
  all_fine l = true -> In e l -> In e' l -> fine_row (fst e) (fst e') outputs (snd e) (snd e') = true.
Proof.
  unfold all_fine. intros D J K. rewrite forallb_forall in D. specialize (D e J). cbn beta in D.
  rewrite forallb_forall in D. exact (D e' K).
Qed.

(* If coqc stops here, a bound does not hold. *)

Lemma both_bounds_computed : all_fine laws = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma fine_row_ok x y l p p' r :
  Forall2 means p (map (P x) l) -> Forall2 means p' (map (P y) l) -> fine_row x y l p p' = true -> In r l ->
  exists a b, means a (P x r) /\ means b (P y r) /\ fine x y r a b = true.
Proof.
  revert p p'. induction l as [|s l IH]; cbn [fine_row map]; intros p p' A B C D; [contradiction|].
  inversion A; inversion B; subst. apply andb_prop in C. destruct C as [C C'].
  destruct D as [<-|D]; [|eapply IH; eassumption]. do 2 eexists; repeat split; eassumption.
Qed.

Lemma all_fine_ok x y r : In x all -> In y all -> In r outputs ->
  exists a b, means a (P x r) /\ means b (P y r) /\ fine x y r a b = true.
Proof.
  intros A B C. destruct (each_found _ _ _ _ laws_ok A) as [e [J [<- E]]].
  destruct (each_found _ _ _ _ laws_ok B) as [e' [J' [<- E']]].
  pose proof (all_fine_each laws e e' both_bounds_computed J J') as D.
  eapply fine_row_ok; eassumption.
Qed.

Lemma pair_found x y r : In x all -> In y all -> adjacent x y = true -> In r outputs ->
  exists a b, means a (P x r) /\ means b (P y r) /\ most a b = true.
Proof.
  intros A B C D. destruct (all_fine_ok x y r A B D) as [a [b [E [F G]]]]. exists a, b. repeat split; try assumption.
  unfold fine in G. apply andb_prop in G. destruct G as [G _]. rewrite C in G. exact G.
Qed.

Lemma listed l x : existsb (same x) l = true -> In x l.
Proof. intros T. apply existsb_exists in T. destruct T as [y [T U]]. apply same_is in U. now subst. Qed.

Lemma witness_listed : In witness_x all /\ In witness_y all /\ In witness_output outputs.
Proof. repeat split; apply listed; vm_cast_no_check (eq_refl true). Qed.

Lemma witness_adjacent : adjacent witness_x witness_y = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma witness_found : exists a b,
  means a (P witness_x witness_output) /\ means b (P witness_y witness_output) /\ least a b = true.
Proof.
  destruct witness_listed as [A [B C]]. destruct (all_fine_ok _ _ _ A B C) as [a [b [E [F G]]]].
  exists a, b. repeat split; try assumption.
  unfold fine in G. apply andb_prop in G. destruct G as [_ G]. rewrite !same_self in G. exact G.
Qed.

Lemma ln_le a b : 0 < a -> a <= b -> ln a <= ln b.
Proof. intros A [L|E]; [left; apply ln_increasing; assumption|right; now rewrite E]. Qed.

Lemma loss_at_most a b u : 0 < a -> a <= exp u * b -> 0 < b /\ ln a - ln b <= u.
Proof.
  intros A L. assert (B : 0 < b).
  { pose proof (exp_pos u). destruct (Rlt_or_le 0 b) as [C|C]; [exact C|]. nra. }
  split; [exact B|].
  apply ln_le in L; [|exact A]. rewrite ln_mult, ln_exp in L by (try apply exp_pos; exact B). lra.
Qed.
