(* ------------------------------------------------------------------ the model

   n records in k categories. @MECHANISM@ adds independent noise Lap(s/epsilon) to the first @NOISED@ cells, takes the floor
   and clips into [0, n]. *)

Definition n : nat := @N@.
Definition k : nat := @K@.
Definition noised : nat := @NOISED@.
Definition epsilon : Q := @EPSILON@.
Definition s : Q := @SCALE@.
Definition t : Q := Qred (epsilon / s).  (* in lowest terms *)

@HISTOGRAMS@
(* An output is a list of noised cells, each from 0 to n. *)

Definition output (r : list nat) : Prop := length r = noised /\ Forall (fun v => v <= n)%nat r.

Fixpoint vectors (cells : nat) : list (list nat) :=
  match cells with
  | O => [[]]
  | S cells => flat_map (fun v => map (cons v) (vectors cells)) (seq 0 (S n))
  end.

Definition outputs : list (list nat) := vectors noised.

(* The distribution function of Lap(1/t), and the chance that floor (c + noise), clipped into [0, n], is o. *)

Definition F (v : Z) : R :=
  if Z.ltb v 0 then / 2 * exp (Q2R t * IZR v) else 1 - / 2 * exp (- (Q2R t * IZR v)).

Definition cell (c o : nat) : R :=
  (if Nat.eqb o n then 1 else F (Z.of_nat o + 1 - Z.of_nat c))
  - (if Nat.eqb o 0 then 0 else F (Z.of_nat o - Z.of_nat c)).

Fixpoint P (x o : list nat) : R :=
  match o, x with
  | v :: o, c :: x => cell c v * P x o
  | _, _ => 1
  end.

@SUMS_STATEMENT@
(* ------------------------------------------------------------------ the same as expressions *)

@EXPRESSIONS@
Definition F_e (v : Z) : expr :=
  if Z.ltb v 0 then Mul (Num (1 # 2)) (Exp (t * (v # 1)))
  else Add (Num 1) (Mul (Num (-1 # 2)) (Exp (- (t * (v # 1))))).

Definition cell_e (c o : nat) : expr :=
  Add (if Nat.eqb o n then Num 1 else F_e (Z.of_nat o + 1 - Z.of_nat c))
    (if Nat.eqb o 0 then Num 0 else Mul (Num (-1)) (F_e (Z.of_nat o - Z.of_nat c))).

Fixpoint entry (x o : list nat) : expr :=
  match o, x with
  | v :: o, c :: x => Mul (cell_e c v) (entry x o)
  | _, _ => Num 1
  end.

Lemma whole_q z : Q2R (z # 1) = IZR z.
Proof. unfold Q2R; cbn. field. Qed.

Lemma half_q : Q2R (1 # 2) = / 2.
Proof. unfold Q2R; cbn. lra. Qed.

Lemma minus_half_q : Q2R (-1 # 2) = - / 2.
Proof. unfold Q2R; cbn. lra. Qed.

Lemma minus_one_q : Q2R (-1) = -1.
Proof. unfold Q2R; cbn. lra. Qed.

Lemma F_e_ok v : value (F_e v) = F v.
Proof.
  unfold F_e, F. destruct (Z.ltb v 0); cbn [value].
  - rewrite half_q, Q2R_mult, whole_q. reflexivity.
  - rewrite RMicromega.Q2R_1, minus_half_q, Q2R_opp, Q2R_mult, whole_q. ring.
Qed.

Lemma cell_e_ok c o : value (cell_e c o) = cell c o.
Proof.
  unfold cell_e, cell. cbn [value].
  destruct (Nat.eqb o n); destruct (Nat.eqb o 0); cbn [value];
    rewrite ?F_e_ok, ?RMicromega.Q2R_1, ?RMicromega.Q2R_0, ?minus_one_q; ring.
Qed.

Lemma entry_ok x o : value (entry x o) = P x o.
Proof.
  revert x. induction o as [|v o IH]; intros [|c x]; try apply RMicromega.Q2R_1.
  change (value (cell_e c v) * value (entry x o) = cell c v * P x o). rewrite cell_e_ok, IH. reflexivity.
Qed.

Lemma vectors_are j : forall r, In r (vectors j) <-> length r = j /\ Forall (fun v => v <= n)%nat r.
Proof.
  induction j as [|j IH]; intros r; cbn [vectors].
  - split; [intros [<-|[]]; auto|]. intros [L _]. left. destruct r; [reflexivity|discriminate].
  - rewrite in_flat_map. split.
    + intros [v [V D]]. apply in_seq in V. apply in_map_iff in D. destruct D as [o [<- D]]. apply IH in D.
      destruct D as [L A]. split; [simpl; congruence|constructor; [lia|exact A]].
    + intros [L A]. destruct r as [|v o]; [discriminate|]. injection L as L. inversion A; subst.
      exists v. split; [apply in_seq; lia|apply in_map, IH; auto].
Qed.

Lemma outputs_is r : In r outputs <-> output r.
Proof. apply vectors_are. Qed.

@HISTOGRAMS_PROOF@
@ENCLOSURES@
@SUMS@
@PAIRS@
