(* ------------------------------------------------------------------ what is proved *)

Definition upper : Q := @UPPER_Q@.
Definition lower : Q := @LOWER_Q@.
Definition witness_x := @X@.
Definition witness_y := @Y@.
Definition witness_output := @OUTPUT@.

(* What is possible for x is possible for y, and the loss is at most the bound. *)

Definition upper_bound_holds : Prop :=
  forall x y r, @DATASET@ x -> @DATASET@ y -> adjacent x y = true -> output r ->
  0 < P x r -> 0 < P y r /\ ln (P x r) - ln (P y r) <= Q2R upper.

Definition lower_bound_holds : Prop :=
  @DATASET@ witness_x /\ @DATASET@ witness_y /\ output witness_output /\ adjacent witness_x witness_y = true /\
  0 < P witness_x witness_output /\ 0 < P witness_y witness_output /\
  ln (P witness_x witness_output) - ln (P witness_y witness_output) >= Q2R lower.

