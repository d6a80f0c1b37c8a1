(* ------------------------------------------------------------------ the table

   Rows are data sets, columns are outputs, both known by their position: 0, 1, 2, ... *)

@EXPRESSIONS@
@SHARED@Definition table : list (list expr) :=
  [@TABLE@].

Definition all : list nat := seq 0 @ROWS@.
Definition outputs : list nat := seq 0 @COLUMNS@.
Definition P (x r : nat) : R := value (nth r (nth x table []) (Num 0)).
@PAIRS@Definition adjacent (x y : nat) : bool := @ADJACENT@.

@STATEMENT@
Definition point : Type := nat.
Definition entry (x r : nat) : expr := nth r (nth x table []) (Num 0).
Definition same : nat -> nat -> bool := Nat.eqb.

Lemma entry_ok x r : value (entry x r) = P x r.
Proof. reflexivity. Qed.

Lemma same_is x y : same x y = true -> x = y.
Proof. apply Nat.eqb_eq. Qed.

Lemma same_self x : same x x = true.
Proof. apply Nat.eqb_refl. Qed.

