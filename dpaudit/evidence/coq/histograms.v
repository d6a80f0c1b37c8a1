(* A data set is its histogram: k counts whose sum is n. *)

Definition histogram (x : list nat) : Prop := length x = k /\ list_sum x = n.

(* All of them as a list, each once: all_is and all_once below prove it. *)

Fixpoint histograms (k m : nat) : list (list nat) :=
  match k with
  | O => if Nat.eqb m 0 then [[]] else []
  | S k => flat_map (fun c => map (cons c) (histograms k (m - c))) (seq 0 (S m))
  end.

Definition all : list (list nat) := histograms k n.

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

Definition one_step (x y : list nat) : bool := Nat.eqb (steps x y) 1.
Definition adjacent (x y : list nat) : bool := @ADJACENT@.

