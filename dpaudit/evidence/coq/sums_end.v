Theorem upper_bound : upper_bound_holds.
Proof.
  intros x y r A B C D E. apply all_is in A, B. apply outputs_is in D.
  destruct (pair_found x y r A B C D) as [[f|] [[g|] [F [G L]]]]; try discriminate.
  apply loss_at_most; [exact E|]. eapply at_most_ok; eassumption.
Qed.

Theorem lower_bound : lower_bound_holds.
Proof.
  destruct witness_listed as [A [B D]]. split; [apply all_is, A|]. split; [apply all_is, B|].
  split; [apply outputs_is, D|]. split; [exact witness_adjacent|].
  destruct witness_found as [[f|] [[g|] [F [G L]]]]; try discriminate.
  apply andb_prop in L. destruct L as [Pos L].
  assert (Q : 0 < P witness_y witness_output).
  { destruct G as [G1 G2]. rewrite G2. apply Rdiv_lt_0_compat; [apply positive_ok, Pos|exact G1]. }
  assert (M : P witness_y witness_output <= exp (Q2R (- lower)) * P witness_x witness_output).
  { exact (at_most_ok (- lower) g f _ _ G F L). }
  destruct (loss_at_most _ _ _ Q M) as [Q' M']. rewrite Q2R_opp in M'.
  repeat (split; [assumption|]). lra.
Qed.
