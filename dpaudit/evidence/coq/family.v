
(* ------------------------------------------------------------------ the model: n records in k categories *)

Definition n : nat := @N@.
Definition twice_prior : list nat := @TWICE_PRIOR@.  (* 2 alpha_i: the prior is alpha = @PRIOR@ *)
Definition k : nat := length twice_prior.
Definition epsilon : R := @EPSILON@.@PARAMETER@

@HISTOGRAMS@
(* Gamma (m/2): Gamma (1/2) = sqrt PI, Gamma 1 = 1, Gamma (z + 1) = z Gamma z. *)

Fixpoint Gamma_half (m : nat) : R :=
  match m with
  | 0 => 0
  | 1 => sqrt PI
  | 2 => 1
  | S (S m) => IZR (Z.of_nat m) / 2 * Gamma_half m
  end.

(* The posteriors are Dir(alpha + x), Dir(alpha + y). Their Bhattacharyya coefficient is the product over the cells of
   Gamma (alpha + (c + c')/2) / sqrt (Gamma (alpha + c) Gamma (alpha + c')); the totals are equal and cancel. *)

Definition cell (a c c' : nat) : R :=
  Gamma_half (a + c + c') / sqrt (Gamma_half (a + 2 * c) * Gamma_half (a + 2 * c')).

Fixpoint BC (a x y : list nat) : R :=
  match a, x, y with
  | a0 :: a, c :: x, c' :: y => cell a0 c c' * BC a x y
  | _, _, _ => 1
  end.

(* The Hellinger distance of the posteriors. *)

Definition H (x y : list nat) : R := sqrt (1 - BC twice_prior x y).

Definition largest (l : list R) : R := fold_right Rmax 0 l.
Definition total (l : list R) : R := fold_right Rplus 0 l.

(* The local sensitivity: the largest change of the score between x and a neighbor, at any candidate. *)

Definition change (x y : list nat) : R := largest (map (fun r => Rabs (H x r - H y r)) all).
Definition LS (x : list nat) : R := largest (map (change x) (filter (one_step x) all)).

@SENSITIVITY@

(* @MECHANISM@: P_x(r) is proportional to exp (- epsilon H(x, r) / (2 Delta(x))). *)

Definition weight (x r : list nat) : R := exp (- (epsilon / (2 * Delta x) * H x r)).
Definition P (x r : list nat) : R := weight x r / total (map (weight x) all).

(* ------------------------------------------------------------------ what is proved *)

Definition upper : R := @UPPER@.
Definition lower : R := @LOWER@.
Definition witness_x := @X@.
Definition witness_y := @Y@.
Definition witness_output := @OUTPUT@.

Definition upper_bound_holds : Prop :=
  forall x y r, histogram x -> histogram y -> adjacent x y = true -> histogram r -> ln (P x r) - ln (P y r) <= upper.

Definition lower_bound_holds : Prop :=
  histogram witness_x /\ histogram witness_y /\ histogram witness_output /\ adjacent witness_x witness_y = true /\
  ln (P witness_x witness_output) - ln (P witness_y witness_output) >= lower.

@ENCLOSURES@
@HISTOGRAMS_PROOF@
(* ------------------------------------------------------------------ the model in enclosures *)

Definition larger (i j : I.type) : I.type := if below i j then j else if below j i then i else I.join i j.

Lemma larger_ok i j x y : encloses i x -> encloses j y -> encloses (larger i j) (Rmax x y).
Proof.
  intros A B. unfold larger. destruct (below i j) eqn:L.
  - rewrite Rmax_right by exact (below_ok _ _ _ _ A B L). exact B.
  - destruct (below j i) eqn:M.
    + rewrite Rmax_left by exact (below_ok _ _ _ _ B A M). exact A.
    + unfold Rmax. apply I.join_correct. destruct (Rle_dec x y); [right|left]; assumption.
Qed.

Definition largest_i (l : list I.type) : I.type := fold_right larger (I.fromZ prec 0) l.

Lemma largest_ok l m : Forall2 encloses l m -> encloses (largest_i l) (largest m).
Proof. intros E. induction E; simpl; [apply fromZ_ok|apply larger_ok; assumption]. Qed.

Fixpoint zip {A B C} (f : A -> B -> C) (l : list A) (m : list B) : list C :=
  match l, m with
  | a :: l, b :: m => f a b :: zip f l m
  | _, _ => []
  end.

Fixpoint Gamma_i (m : nat) : I.type :=
  match m with
  | 0 => I.fromZ prec 0
  | 1 => I.sqrt prec (I.pi prec)
  | 2 => I.fromZ prec 1
  | S (S m) => I.mul prec (ratio prec (Z.of_nat m) 2) (Gamma_i m)
  end.

Lemma Gamma_ok m : encloses (Gamma_i m) (Gamma_half m).
Proof.
  cut (encloses (Gamma_i m) (Gamma_half m) /\ encloses (Gamma_i (S m)) (Gamma_half (S m))); [tauto|].
  induction m as [|m [A B]]; [split; [apply fromZ_ok|apply sqrt_ok, pi_ok]|]. split; [exact B|].
  destruct m as [|m]; [apply fromZ_ok|].
  change (encloses (I.mul prec (ratio prec (Z.of_nat (S m)) 2) (Gamma_i (S m))) (IZR (Z.of_nat (S m)) / 2 * Gamma_half (S m))).
  apply mul_ok; [apply ratio_ok|exact A].
Qed.

(* A table of them; what lies beyond it is enclosed by the whole line. *)

Definition Gammas : list I.type := map Gamma_i (seq 0 (S (fold_right Nat.max 0%nat twice_prior + 2 * n))).
Definition Gamma_of (m : nat) : I.type := nth m Gammas I.nai.

Lemma Gamma_table_ok m : encloses (Gamma_of m) (Gamma_half m).
Proof.
  unfold Gamma_of, Gammas. generalize (S (fold_right Nat.max 0%nat twice_prior + 2 * n)). intros k.
  destruct (Nat.lt_ge_cases m k) as [L|L].
  - rewrite nth_indep with (d' := Gamma_i 0) by (rewrite map_length, seq_length; exact L).
    rewrite map_nth, seq_nth by exact L. apply Gamma_ok.
  - rewrite nth_overflow by (rewrite map_length, seq_length; exact L). apply encloses_any. rewrite I.nai_correct. exact I.
Qed.

Definition cell_i (a c c' : nat) : I.type :=
  if Nat.eqb c c' then I.fromZ prec 1 else
  I.div prec (Gamma_of (a + c + c')) (I.sqrt prec (I.mul prec (Gamma_of (a + 2 * c)) (Gamma_of (a + 2 * c')))).

Fixpoint BC_i (a x y : list nat) : I.type :=
  match a, x, y with
  | a0 :: a, c :: x, c' :: y => I.mul prec (cell_i a0 c c') (BC_i a x y)
  | _, _, _ => I.fromZ prec 1
  end.

Definition H_i (x y : list nat) : I.type :=
  if same x y then I.fromZ prec 0 else I.sqrt prec (I.sub prec (I.fromZ prec 1) (BC_i twice_prior x y)).

(* Gamma is positive, so a cell that does not change has the quotient 1, and H(x, x) = 0. *)

Lemma Gamma_pos m : (0 < m)%nat -> 0 < Gamma_half m.
Proof.
  cut (((0 < m)%nat -> 0 < Gamma_half m) /\ 0 < Gamma_half (S m)); [tauto|].
  induction m as [|m [A B]]; [split; [intros L; inversion L|apply sqrt_lt_R0, PI_RGT_0]|]. split; [intros _; exact B|].
  destruct m as [|m]; [apply Rlt_0_1|].
  change (0 < IZR (Z.of_nat (S m)) / 2 * Gamma_half (S m)).
  apply Rmult_lt_0_compat; [|apply A; lia]. apply Rdiv_lt_0_compat; [apply IZR_lt; lia|lra].
Qed.

Lemma cell_same a c : (0 < a)%nat -> cell a c c = 1.
Proof.
  intros A. unfold cell. replace (a + c + c)%nat with (a + 2 * c)%nat by lia.
  assert (0 < Gamma_half (a + 2 * c)) by (apply Gamma_pos; lia).
  rewrite sqrt_square by lra. apply Rinv_r. lra.
Qed.

Lemma cell_ok a c c' : (0 < a)%nat -> encloses (cell_i a c c') (cell a c c').
Proof.
  intros A. unfold cell_i. destruct (Nat.eqb_spec c c') as [<-|N]; [rewrite cell_same by exact A; apply fromZ_ok|].
  apply div_ok; [apply Gamma_table_ok|]. apply sqrt_ok, mul_ok; apply Gamma_table_ok.
Qed.

Lemma prior_pos : Forall (lt 0) twice_prior.
Proof. repeat constructor. Qed.

Lemma BC_ok a x y : Forall (lt 0) a -> encloses (BC_i a x y) (BC a x y).
Proof.
  intros L. revert x y. induction L as [|a0 a A L IH]; intros [|c x] [|c' y]; simpl; try apply fromZ_ok.
  apply mul_ok; [apply cell_ok, A|apply IH].
Qed.

Lemma BC_same a x : Forall (lt 0) a -> BC a x x = 1.
Proof.
  intros L. revert x. induction L as [|a0 a A L IH]; intros [|c x]; simpl; try reflexivity.
  rewrite cell_same, IH by exact A. ring.
Qed.

Lemma H_ok x y : encloses (H_i x y) (H x y).
Proof.
  unfold H_i, H. destruct (same x y) eqn:S.
  - rewrite <- (same_is x y S), BC_same by exact prior_pos. rewrite Rminus_diag_eq, sqrt_0 by reflexivity. apply fromZ_ok.
  - apply sqrt_ok, sub_ok; [apply fromZ_ok|apply BC_ok, prior_pos].
Qed.

(* One row of distances for each data set. *)

Definition row : Type := list nat * list I.type.
Definition row_ok (f : list nat -> list nat -> R) (e : row) (x : list nat) : Prop :=
  fst e = x /\ Forall2 encloses (snd e) (map (f x) all).

Definition rows : list row := map (fun x => (x, map (H_i x) all)) all.

Lemma rows_ok : Forall2 (row_ok H) rows all.
Proof.
  apply each_left with (P := eq); [apply each_equal|]. intros x y <-. split; [reflexivity|].
  apply each_self. intros r _. apply H_ok.
Qed.

Definition change_i (e e' : row) : I.type :=
  largest_i (zip (fun i j => I.abs (I.sub prec i j)) (snd e) (snd e')).
Definition LS_i (e : row) : I.type :=
  largest_i (map (change_i e) (filter (fun e' => one_step (fst e) (fst e')) rows)).

Lemma zip_ok l m f g s : 
  Forall2 encloses l (map f s) -> Forall2 encloses m (map g s) ->
  Forall2 encloses (zip (fun i j => I.abs (I.sub prec i j)) l m) (map (fun r : list nat => Rabs (f r - g r)) s).
Proof.
  revert l m. induction s as [|r s IH]; simpl; intros l m A B.
  - inversion A; constructor.
  - inversion A; inversion B; subst. simpl. constructor; [apply abs_ok, sub_ok; assumption|apply IH; assumption].
Qed.

Lemma LS_ok e x : row_ok H e x -> encloses (LS_i e) (LS x).
Proof.
  intros [<- E]. apply largest_ok. apply each_map with (P := row_ok H).
  - apply each_filter; [exact rows_ok|]. intros e' y [<- _]. reflexivity.
  - intros e' y _ [<- E']. apply largest_ok, zip_ok; assumption.
Qed.

Definition local_rows : list (row * I.type) := map (fun e => (e, LS_i e)) rows.

Lemma local_rows_ok : Forall2 (fun e x => row_ok H (fst e) x /\ encloses (snd e) (LS x)) local_rows all.
Proof.
  apply each_left with (P := row_ok H); [exact rows_ok|]. intros e x E. split; [exact E|apply LS_ok, E].
Qed.

@NUMBERS@

@SENSITIVITY_PROOF@

Definition law_i (e : row) : row :=
  let rate := I.div prec epsilon_i (I.mul prec (I.fromZ prec 2) (Delta_i e)) in
  let weights := map (fun i => I.exp prec (I.neg (I.mul prec rate i))) (snd e) in
  let whole := total_i prec weights in
  (fst e, map (fun w => I.div prec w whole) weights).

Lemma law_ok e x : row_ok H e x -> row_ok P (law_i e) x.
Proof.
  intros E. pose proof E as [F G]. split; [exact F|]. unfold law_i; cbn [fst snd].
  assert (W : Forall2 encloses (map (fun i => I.exp prec (I.neg (I.mul prec (I.div prec epsilon_i
    (I.mul prec (I.fromZ prec 2) (Delta_i e))) i))) (snd e)) (map (weight x) all)).
  { unfold weight. rewrite <- (map_map (H x) (fun h => exp (- (epsilon / (2 * Delta x) * h)))).
    apply each_map with (P := encloses); [exact G|]. intros i h _ B. apply exp_ok, neg_ok, mul_ok; [|exact B].
    apply div_ok; [exact epsilon_ok|]. apply mul_ok; [apply fromZ_ok|apply Delta_ok, E]. }
  change (map (P x) all) with (map (fun r => weight x r / total (map (weight x) all)) all).
  rewrite <- (map_map (weight x) (fun w => w / total (map (weight x) all))).
  apply each_map with (P := encloses); [exact W|]. intros i w _ B. apply div_ok; [exact B|apply total_ok, W].
Qed.

Definition laws : list row := map law_i rows.

Lemma laws_ok : Forall2 (row_ok P) laws all.
Proof.
  apply each_left with (P := row_ok H); [exact rows_ok|exact law_ok].
Qed.

(* Comparisons of two probabilities. *)

Definition outputs : list point := all.
Definition item : Type := I.type.
Definition means : item -> R -> Prop := encloses.

Definition upper_i : I.type := I.exp prec upper_end_i.
Definition lower_i : I.type := I.exp prec lower_end_i.
Definition most (i j : item) : bool := below i (I.mul prec upper_i j).
Definition least (i j : item) : bool := below (I.mul prec lower_i j) i.

@PAIRS@
Lemma total_pos {A} (f : A -> R) l a : (forall a, 0 < f a) -> In a l -> 0 < total (map f l).
Proof.
  intros F. induction l as [|b l IH]; simpl; [contradiction|]. intros D.
  assert (N : 0 <= total (map f l)).
  { clear IH D. induction l as [|c l IH]; simpl; [lra|]. pose proof (F c). lra. }
  pose proof (F b). lra.
Qed.

Lemma P_pos x r : In r all -> 0 < P x r.
Proof.
  intros D. apply Rdiv_lt_0_compat; [apply exp_pos|]. apply total_pos with r; [intros; apply exp_pos|exact D].
Qed.

Theorem upper_bound : upper_bound_holds.
Proof.
  intros x y r A B C D. apply all_is in A, B, D. destruct (pair_found x y r A B C D) as [i [j [E [F G]]]].
  apply loss_at_most; [apply P_pos, D|].
  eapply below_ok; [exact E|apply mul_ok; [apply exp_ok, upper_end_ok|exact F]|exact G].
Qed.

Theorem lower_bound : lower_bound_holds.
Proof.
  destruct witness_listed as [A [B D]]. repeat (split; [apply all_is; assumption|]).
  split; [exact witness_adjacent|]. destruct witness_found as [i [j [E [F G]]]].
  assert (L : P witness_y witness_output <= exp (- lower) * P witness_x witness_output).
  { rewrite exp_Ropp. apply (Rmult_le_reg_l (exp lower)); [apply exp_pos|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by (pose proof (exp_pos lower); lra).
    eapply below_ok; [apply mul_ok; [apply exp_ok, lower_end_ok|exact F]|exact E|exact G]. }
  apply loss_at_most in L; [|apply P_pos, D]. lra.
Qed.
