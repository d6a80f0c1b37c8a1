(* ------------------------------------------------------------------ what is proved *)

Definition upper : R := @UPPER@.
Definition lower : R := @LOWER@.
Definition witness_x := @X@.
Definition witness_y := @Y@.
Definition witness_output := @OUTPUT@.

Definition upper_bound_holds : Prop :=
  forall x y r, In x all -> In y all -> adjacent x y = true -> In r all -> ln (P x r) - ln (P y r) <= upper.

Definition lower_bound_holds : Prop :=
  In witness_x all /\ In witness_y all /\ In witness_output all /\ adjacent witness_x witness_y = true /\
  ln (P witness_x witness_output) - ln (P witness_y witness_output) >= lower.
