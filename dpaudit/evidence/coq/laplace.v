(* ------------------------------------------------------------------ the model

   n records in k categories; a data set is its histogram, a list of k counts. @MECHANISM@ adds independent noise
   Lap(1/t), t = epsilon/s = @RATE@, to the first @NOISED@ cells, takes the floor and clips into [0, n]. *)

Definition n : nat := @N@.
Definition k : nat := @K@.
Definition noised : nat := @NOISED@.
Definition t : Q := @RATE_Q@.  (* epsilon = @EPSILON@, s = @SCALE@ *)

Fixpoint histograms (k m : nat) : list (list nat) :=
  match k with
  | O => if Nat.eqb m 0 then [[]] else []
  | S k => flat_map (fun c => map (cons c) (histograms k (m - c))) (seq 0 (S m))
  end.

Fixpoint vectors (cells : nat) : list (list nat) :=
  match cells with
  | O => [[]]
  | S cells => flat_map (fun v => map (cons v) (vectors cells)) (seq 0 (S n))
  end.

Definition all : list (list nat) := histograms k n.
Definition outputs : list (list nat) := vectors noised.

(* How many records of x are to be replaced to get y: the sum of the positive parts of x_i - y_i. *)

Fixpoint steps (x y : list nat) : nat :=
  match x, y with
  | c :: x, c' :: y => (c - c') + steps x y
  | _, _ => 0
  end.

Fixpoint same (x y : list nat) : bool :=
  match x, y with
  | c :: x, c' :: y => Nat.eqb c c' && same x y
  | [], [] => true
  | _, _ => false
  end.

Definition adjacent (x y : list nat) : bool := @ADJACENT@.

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

@STATEMENT@
(* ------------------------------------------------------------------ the same as expressions *)

Definition point : Type := list nat.

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

Lemma same_is x y : same x y = true -> x = y.
Proof.
  revert y. induction x as [|c x IH]; intros [|c' y]; simpl; try discriminate; [reflexivity|]. intros T.
  apply andb_prop in T. destruct T as [T U]. apply Nat.eqb_eq in T. f_equal; [exact T|apply IH, U].
Qed.

Lemma same_self x : same x x = true.
Proof. induction x as [|c x IH]; [reflexivity|]. simpl. rewrite Nat.eqb_refl. exact IH. Qed.

