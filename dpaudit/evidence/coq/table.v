(* ------------------------------------------------------------------ the table

   Rows are data sets, columns are outputs, both known by their position:
   data sets
     @DATASETS@;
   outputs
     @OUTPUTS@. *)

@EXPRESSIONS@
@SHARED@Definition table : list (list expr) :=
  [@TABLE@].

Definition dataset (x : nat) : Prop := (x < @ROWS@)%nat.
Definition output (r : nat) : Prop := (r < @COLUMNS@)%nat.
Definition P (x r : nat) : R := value (nth r (nth x table []) (Num 0)).
@LISTED@Definition adjacent (x y : nat) : bool := @ADJACENT@.

@SUMS_STATEMENT@
(* ------------------------------------------------------------------ the rest is proof *)

Definition all : list nat := seq 0 @ROWS@.
Definition outputs : list nat := seq 0 @COLUMNS@.

Lemma all_is x : In x all <-> dataset x.
Proof. unfold all, dataset. rewrite in_seq. lia. Qed.

Lemma outputs_is r : In r outputs <-> output r.
Proof. unfold outputs, output. rewrite in_seq. lia. Qed.

Definition point : Type := nat.
Definition entry (x r : nat) : expr := nth r (nth x table []) (Num 0).
Definition same : nat -> nat -> bool := Nat.eqb.

Lemma entry_ok x r : value (entry x r) = P x r.
Proof. reflexivity. Qed.

Lemma same_is x y : same x y = true -> x = y.
Proof. apply Nat.eqb_eq. Qed.

Lemma same_self x : same x x = true.
Proof. apply Nat.eqb_refl. Qed.

@ENCLOSURES@
@SUMS@
@PAIRS@
