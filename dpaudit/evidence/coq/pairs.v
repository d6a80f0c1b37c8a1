(* ------------------------------------------------------------------ every pair, every output *)

Definition row : Type := point * list (option quotient).
Definition rows : list row := map (fun x => (x, map (fun r => exact (entry x r)) outputs)) all.

Definition both (f : quotient -> quotient -> bool) (a b : option quotient) : bool :=
  match a, b with
  | Some a, Some b => f a b
  | _, _ => false
  end.

Definition fine (x y r : point) (a b : option quotient) : bool :=
  (if adjacent x y then both (at_most upper) a b else true) &&
  (if same x witness_x && same y witness_y && same r witness_output
   then both (fun f g => positive (fst g) && at_most (- lower) g f) a b else true).

Lemma fine_adjacent x y r a b : fine x y r a b = true -> adjacent x y = true -> both (at_most upper) a b = true.
Proof. unfold fine. intros G A. apply andb_prop in G. destruct G as [G _]. rewrite A in G. exact G. Qed.

Lemma fine_witness x y r a b :
  fine x y r a b = true -> same x witness_x = true -> same y witness_y = true -> same r witness_output = true ->
  both (fun f g => positive (fst g) && at_most (- lower) g f) a b = true.
Proof.
  unfold fine. intros G A B C. apply andb_prop in G. destruct G as [_ G]. rewrite A, B, C in G. exact G.
Qed.

Fixpoint fine_row (x y : point) (l : list point) (p p' : list (option quotient)) : bool :=
  match l, p, p' with
  | r :: l, a :: p, b :: p' => fine x y r a b && fine_row x y l p p'
  | [], _, _ => true
  | _, _, _ => false
  end.

Definition all_fine (l : list row) : bool :=
  forallb (fun e => forallb (fun e' => fine_row (fst e) (fst e') outputs (snd e) (snd e')) l) l.

Lemma all_fine_each l e e' :
  all_fine l = true -> In e l -> In e' l -> fine_row (fst e) (fst e') outputs (snd e) (snd e') = true.
Proof.
  unfold all_fine. intros D J K. rewrite forallb_forall in D. specialize (D e J). cbn beta in D.
  rewrite forallb_forall in D. exact (D e' K).
Qed.

Lemma computed : all_fine rows = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma fine_row_each x y l r :
  fine_row x y l (map (fun r => exact (entry x r)) l) (map (fun r => exact (entry y r)) l) = true -> In r l ->
  fine x y r (exact (entry x r)) (exact (entry y r)) = true.
Proof.
  induction l as [|s l IH]; cbn [fine_row map]; intros C D; [contradiction|].
  apply andb_prop in C. destruct C as [C C']. destruct D as [<-|D]; [exact C|apply IH; assumption].
Qed.

Lemma every_one x y r : In x all -> In y all -> In r outputs ->
  fine x y r (exact (entry x r)) (exact (entry y r)) = true.
Proof.
  intros A B C. apply fine_row_each with outputs; [|exact C].
  apply (all_fine_each rows (x, _) (y, _) computed); apply (in_map (fun x => (x, map (fun r => exact (entry x r)) outputs)));
    assumption.
Qed.

Lemma both_found f a b : both f a b = true -> exists g h, a = Some g /\ b = Some h /\ f g h = true.
Proof. destruct a as [g|], b as [h|]; cbn; try discriminate. intros E. exists g, h. auto. Qed.

Lemma ln_le a b : 0 < a -> a <= b -> ln a <= ln b.
Proof. intros A [L|E]; [left; apply ln_increasing; assumption|right; now rewrite E]. Qed.

Lemma positive_factor a b c : 0 < a -> a <= exp b * c -> 0 < c.
Proof. intros A L. pose proof (exp_pos b). destruct (Rlt_or_le 0 c) as [C|C]; [exact C|]. nra. Qed.

Lemma loss_at_most a b u : 0 < a -> a <= exp u * b -> 0 < b /\ ln a - ln b <= u.
Proof.
  intros A L. pose proof (positive_factor _ _ _ A L) as B. split; [exact B|].
  apply ln_le in L; [|exact A]. rewrite ln_mult, ln_exp in L by (try apply exp_pos; exact B). lra.
Qed.

Theorem upper_bound : upper_bound_holds.
Proof.
  intros x y r A B C D E. pose proof (fine_adjacent _ _ _ _ _ (every_one x y r A B D) C) as G. apply both_found in G.
  destruct G as [g [h [Eg [Eh G]]]]. apply exact_ok in Eg. apply exact_ok in Eh. rewrite entry_ok in Eg, Eh.
  apply loss_at_most; [exact E|]. eapply at_most_ok; eassumption.
Qed.

Theorem lower_bound : lower_bound_holds.
Proof.
  assert (M : forall l x, existsb (same x) l = true -> In x l).
  { intros l x T. apply existsb_exists in T. destruct T as [y [T U]]. apply same_is in U. now subst. }
  assert (A : In witness_x all) by (apply M; vm_cast_no_check (eq_refl true)).
  assert (B : In witness_y all) by (apply M; vm_cast_no_check (eq_refl true)).
  assert (D : In witness_output outputs) by (apply M; vm_cast_no_check (eq_refl true)).
  assert (C : adjacent witness_x witness_y = true) by (vm_cast_no_check (eq_refl true)).
  pose proof (fine_witness _ _ _ _ _ (every_one _ _ _ A B D) (same_self _) (same_self _) (same_self _)) as G.
  apply both_found in G. destruct G as [g [h [Eg [Eh G]]]].
  apply andb_prop in G. destruct G as [Pos G]. apply exact_ok in Eg. apply exact_ok in Eh. rewrite entry_ok in Eg, Eh.
  assert (Q : 0 < P witness_y witness_output).
  { destruct Eh as [H1 H2]. rewrite H2. apply Rdiv_lt_0_compat; [apply positive_ok, Pos|exact H1]. }
  assert (L : P witness_y witness_output <= exp (Q2R (- lower)) * P witness_x witness_output).
  { eapply at_most_ok; eassumption. }
  destruct (loss_at_most _ _ _ Q L) as [Q' L']. rewrite Q2R_opp in L'.
  repeat (split; [assumption|]). lra.
Qed.
