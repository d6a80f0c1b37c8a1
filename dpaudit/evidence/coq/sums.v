(* ------------------------------------------------------------------ sums of exponentials, exactly

   A sum is a list of (exponent, coefficient), exponents falling, no coefficient 0; a number is a quotient of two. *)

Definition esum : Type := list (Q * Q).
Definition term (t : Q * Q) : R := Q2R (snd t) * exp (Q2R (fst t)).
Definition val (s : esum) : R := fold_right (fun t v => term t + v) 0 s.

Fixpoint insert (t : Q * Q) (s : esum) : esum :=
  match s with
  | [] => if Qeq_bool (snd t) 0 then [] else [t]
  | u :: rest =>
    match Qcompare (fst t) (fst u) with
    | Eq => let c := Qred (snd t + snd u) in if Qeq_bool c 0 then rest else (fst u, c) :: rest
    | Gt => if Qeq_bool (snd t) 0 then s else t :: s
    | Lt => u :: insert t rest
    end
  end.

Definition plus (s u : esum) : esum := fold_right insert u s.
Definition scale (t : Q * Q) (s : esum) : esum :=
  map (fun u => (Qred (fst t + fst u), Qred (snd t * snd u))) s.
Definition times (s u : esum) : esum := fold_right (fun t v => plus (scale t u) v) [] s.

Lemma val_cons t s : val (t :: s) = term t + val s.
Proof. reflexivity. Qed.

Lemma zero_term t : Qeq_bool (snd t) 0 = true -> term t = 0.
Proof. intros E. apply Qeq_bool_eq, Qeq_eqR in E. unfold term. rewrite E, RMicromega.Q2R_0. ring. Qed.

Lemma insert_ok t s : val (insert t s) = term t + val s.
Proof.
  induction s as [|u s IH]; cbn [insert].
  - destruct (Qeq_bool (snd t) 0) eqn:Z; repeat rewrite val_cons; [rewrite (zero_term t Z)|]; cbn; lra.
  - destruct (Qcompare (fst t) (fst u)) eqn:C; repeat rewrite val_cons.
    + apply Qeq_alt, Qeq_eqR in C. cbn zeta.
      assert (E : term (fst u, Qred (snd t + snd u)%Q) = term t + term u).
      { unfold term; cbn [fst snd]. rewrite (Qeq_eqR _ _ (Qred_correct (snd t + snd u)%Q)), Q2R_plus, C. ring. }
      destruct (Qeq_bool (Qred (snd t + snd u)%Q) 0) eqn:Z; repeat rewrite val_cons; [|lra].
      apply (zero_term (fst u, Qred (snd t + snd u)%Q)) in Z. lra.
    + rewrite IH. lra.
    + destruct (Qeq_bool (snd t) 0) eqn:Z; repeat rewrite val_cons; [rewrite (zero_term t Z)|]; lra.
Qed.

Lemma plus_ok s u : val (plus s u) = val s + val u.
Proof.
  induction s as [|t s IH]; [change (val u = 0 + val u); ring|]. change (plus (t :: s) u) with (insert t (plus s u)).
  rewrite insert_ok, val_cons, IH. lra.
Qed.

Lemma scale_ok t s : val (scale t s) = term t * val s.
Proof.
  induction s as [|u s IH]; [change (0 = term t * 0); ring|].
  change (scale t (u :: s)) with ((Qred (fst t + fst u), Qred (snd t * snd u)) :: scale t s).
  rewrite !val_cons, IH. unfold term; cbn [fst snd].
  rewrite !(Qeq_eqR _ _ (Qred_correct _)), Q2R_plus, Q2R_mult, exp_plus. ring.
Qed.

Lemma times_ok s u : val (times s u) = val s * val u.
Proof.
  induction s as [|t s IH]; [change (0 = 0 * val u); ring|]. change (times (t :: s) u) with (plus (scale t u) (times s u)).
  rewrite plus_ok, scale_ok, val_cons, IH. ring.
Qed.

(* Signs: by sums of coefficients, as the exponentials fall (Abel); else by enclosures. *)

Fixpoint falling (before : Q) (carry : Q) (s : esum) : bool :=
  Qle_bool carry 0 &&
  match s with
  | [] => true
  | t :: rest => Qle_bool (fst t) before && falling (fst t) (Qred (carry + snd t)) rest
  end.

Lemma falling_ok s : forall before carry, falling before carry s = true -> Q2R carry * exp (Q2R before) + val s <= 0.
Proof.
  induction s as [|t s IH]; intros before carry H; cbn [falling] in H; apply andb_prop in H; destruct H as [C H];
    apply Qle_bool_iff, Qle_Rle in C; rewrite RMicromega.Q2R_0 in C.
  - cbn. pose proof (exp_pos (Q2R before)). nra.
  - apply andb_prop in H. destruct H as [B H]. apply IH in H. apply Qle_bool_iff, Qle_Rle in B.
    rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_plus in H. rewrite val_cons. unfold term.
    assert (E : exp (Q2R (fst t)) <= exp (Q2R before)).
    { destruct B as [B|B]; [left; apply exp_increasing, B|right; now rewrite B]. }
    nra.
Qed.

Definition sum_i (p : F.precision) (s : esum) : I.type :=
  total_i p (map (fun t => I.mul p (ratio p (Qnum (snd t)) (QDen (snd t)))
    (I.exp p (ratio p (Qnum (fst t)) (QDen (fst t))))) s).

Lemma sum_ok p s : encloses (sum_i p s) (val s).
Proof.
  replace (val s) with (total (map term s)).
  - apply total_ok. induction s as [|t s IH]; cbn [map]; constructor; [|exact IH].
    apply mul_ok; [apply ratio_ok|apply exp_ok, ratio_ok].
  - induction s as [|t s IH]; [reflexivity|]. rewrite val_cons, <- IH. reflexivity.
Qed.

(* First with few digits, as most signs are clear; exponentials that come again and again are looked up. *)

Definition rough := F.PtoP 24.
Definition exp_i (q : Q) : I.type := I.exp rough (ratio rough (Qnum q) (QDen q)).
Definition often : list Q := [@OFTEN@].
Definition powers : list (Q * I.type) := map (fun q => (q, exp_i q)) often.

Definition equal_q (a b : Q) : bool := Z.eqb (Qnum a) (Qnum b) && Pos.eqb (Qden a) (Qden b).

Lemma equal_q_ok a b : equal_q a b = true -> a = b.
Proof.
  destruct a as [p q], b as [r s]. unfold equal_q; cbn. intros H. apply andb_prop in H. destruct H as [A B].
  apply Z.eqb_eq in A. apply Pos.eqb_eq in B. now subst.
Qed.

Fixpoint looked_up (q : Q) (l : list (Q * I.type)) : I.type :=
  match l with
  | [] => exp_i q
  | (a, i) :: l => if equal_q q a then i else looked_up q l
  end.

Lemma looked_up_ok q : encloses (looked_up q powers) (exp (Q2R q)).
Proof.
  unfold powers. generalize often. intros l. induction l as [|a l IH]; cbn [map looked_up].
  - apply exp_ok, ratio_ok.
  - destruct (equal_q q a) eqn:E; [|exact IH]. apply equal_q_ok in E. subst a. apply exp_ok, ratio_ok.
Qed.

Definition rough_sum (s : esum) : I.type :=
  total_i rough (map (fun t => I.mul rough (ratio rough (Qnum (snd t)) (QDen (snd t))) (looked_up (fst t) powers)) s).

Lemma rough_sum_ok s : encloses (rough_sum s) (val s).
Proof.
  replace (val s) with (total (map term s)).
  - apply total_ok. induction s as [|t s IH]; cbn [map]; constructor; [|exact IH].
    apply mul_ok; [apply ratio_ok|apply looked_up_ok].
  - induction s as [|t s IH]; [reflexivity|]. rewrite val_cons, <- IH. reflexivity.
Qed.

Definition nonpositive (s : esum) : bool :=
  match s with
  | [] => true
  | t :: _ =>
    if falling (fst t) 0 s then true
    else if below (rough_sum s) (I.fromZ prec 0) then true
    else below (sum_i prec s) (I.fromZ prec 0)
  end.

Lemma nonpositive_ok s : nonpositive s = true -> val s <= 0.
Proof.
  destruct s as [|t s]; [intros _; cbn; lra|]. unfold nonpositive.
  destruct (falling (fst t) 0 (t :: s)) eqn:A; [intros _|].
  { apply falling_ok in A. rewrite RMicromega.Q2R_0 in A. lra. }
  destruct (below (rough_sum (t :: s)) (I.fromZ prec 0)) eqn:B; intros H.
  - exact (below_ok _ _ _ _ (rough_sum_ok _) (fromZ_ok prec 0) B).
  - exact (below_ok _ _ _ _ (sum_ok _ _) (fromZ_ok prec 0) H).
Qed.

Definition positive (s : esum) : bool :=
  match s with
  | [] => false
  | _ =>
    if forallb (fun t => negb (Qle_bool (snd t) 0)) s then true
    else match I.sign_strict (sum_i prec s) with Xgt => true | _ => false end
  end.

Lemma positive_ok s : positive s = true -> 0 < val s.
Proof.
  intros H. assert (N : s <> []) by (intros E; now rewrite E in H).
  destruct s as [|t s]; [congruence|]. unfold positive in H. destruct (forallb (fun t => negb (Qle_bool (snd t) 0)) (t :: s)) eqn:E.
  - clear N H. assert (T : forall t, negb (Qle_bool (snd t) 0) = true -> 0 < term t).
    { intros u D. apply Rmult_lt_0_compat; [|apply exp_pos]. rewrite <- RMicromega.Q2R_0. apply Qlt_Rlt.
      apply Qnot_le_lt. intros L. apply Qle_bool_iff in L. now rewrite L in D. }
    cbn [forallb] in E. apply andb_prop in E. destruct E as [A B].
    assert (0 <= val s).
    { induction s as [|u s IH]; [cbn; lra|]. rewrite val_cons. cbn [forallb] in B.
      apply andb_prop in B. destruct B as [B C]. specialize (IH C). specialize (T u B). lra. }
    rewrite val_cons. specialize (T t A). lra.
  - pose proof (I.sign_strict_correct (sum_i prec (t :: s))) as S. destruct (I.sign_strict (sum_i prec (t :: s))); try discriminate.
    specialize (S _ (sum_ok prec (t :: s))). destruct S as [_ S]. exact S.
Qed.

(* Quotients. The same denominator is kept, where it is the same. *)

Definition quotient : Type := esum * esum.
Definition is (f : quotient) (x : R) : Prop := 0 < val (snd f) /\ x = val (fst f) / val (snd f).

Fixpoint equal (s u : esum) : bool :=
  match s, u with
  | [], [] => true
  | a :: s, b :: u => equal_q (fst a) (fst b) && equal_q (snd a) (snd b) && equal s u
  | _, _ => false
  end.

Lemma equal_ok s : forall u, equal s u = true -> s = u.
Proof.
  induction s as [|[a b] s IH]; intros [|[c d] u]; cbn; try discriminate; [reflexivity|]. intros H.
  apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [A B].
  apply equal_q_ok in A. apply equal_q_ok in B. apply IH in C. now subst.
Qed.

Definition one : esum := [(0, 1)]%Q.

Lemma one_ok : val one = 1.
Proof. unfold one. rewrite val_cons. unfold term; cbn [fst snd]. rewrite RMicromega.Q2R_0, RMicromega.Q2R_1, exp_0. cbn. ring. Qed.

Definition add_q (f g : quotient) : quotient :=
  if equal (snd f) (snd g) then (plus (fst f) (fst g), snd f)
  else (plus (times (fst f) (snd g)) (times (fst g) (snd f)), times (snd f) (snd g)).

Definition mul_q (f g : quotient) : quotient := (times (fst f) (fst g), times (snd f) (snd g)).

Definition div_q (f g : quotient) : option quotient :=
  if positive (fst g) then
    Some (if equal (snd f) (snd g) then (fst f, fst g) else (times (fst f) (snd g), times (snd f) (fst g)))
  else None.

Lemma add_q_ok f g x y : is f x -> is g y -> is (add_q f g) (x + y).
Proof.
  intros [A B] [C D]. unfold add_q. destruct (equal (snd f) (snd g)) eqn:E; split; cbn [fst snd].
  - exact A.
  - apply equal_ok in E. rewrite plus_ok, B, D, <- E. field. lra.
  - rewrite times_ok. apply Rmult_lt_0_compat; assumption.
  - rewrite plus_ok, !times_ok, B, D. field. lra.
Qed.

Lemma mul_q_ok f g x y : is f x -> is g y -> is (mul_q f g) (x * y).
Proof.
  intros [A B] [C D]. split; cbn [fst snd mul_q].
  - rewrite times_ok. apply Rmult_lt_0_compat; assumption.
  - rewrite !times_ok, B, D. field. lra.
Qed.

Lemma div_q_ok f g h x y : is f x -> is g y -> div_q f g = Some h -> is h (x / y).
Proof.
  intros [A B] [C D]. unfold div_q. destruct (positive (fst g)) eqn:P; [|discriminate].
  apply positive_ok in P. intros E. inversion E; subst h; clear E.
  destruct (equal (snd f) (snd g)) eqn:S; split; cbn [fst snd].
  - exact P.
  - apply equal_ok in S. rewrite B, D, <- S. field. rewrite <- S in C. lra.
  - rewrite times_ok. apply Rmult_lt_0_compat; assumption.
  - rewrite !times_ok, B, D. field. lra.
Qed.

Definition two (f : quotient -> quotient -> option quotient) (a b : option quotient) : option quotient :=
  match a, b with
  | Some a, Some b => f a b
  | _, _ => None
  end.

Fixpoint exact (e : expr) : option quotient :=
  match e with
  | Num q => Some (insert (0%Q, Qred q) [], one)
  | Exp q => Some ([(Qred q, 1%Q)], one)
  | Add a b => two (fun f g => Some (add_q f g)) (exact a) (exact b)
  | Mul a b => two (fun f g => Some (mul_q f g)) (exact a) (exact b)
  | Div a b => two div_q (exact a) (exact b)
  end.

Lemma exact_ok e : forall f, exact e = Some f -> is f (value e).
Proof.
  induction e as [q|q|a A b B|a A b B|a A b B]; cbn [exact value]; intros f E.
  - injection E as <-. split; unfold fst, snd; rewrite one_ok; [lra|].
    change (Q2R q = val (insert (0%Q, Qred q) []) / 1). rewrite insert_ok. unfold term, fst, snd.
    rewrite (Qeq_eqR _ _ (Qred_correct _)), RMicromega.Q2R_0, exp_0. cbn. field.
  - injection E as <-. split; unfold fst, snd; rewrite one_ok; [lra|]. rewrite val_cons. unfold term, fst, snd.
    rewrite (Qeq_eqR _ _ (Qred_correct _)), RMicromega.Q2R_1. cbn. field.
  - destruct (exact a) as [g|]; [|discriminate]. destruct (exact b) as [h|]; [|discriminate]. cbn in E.
    inversion E; subst f. apply add_q_ok; [apply A|apply B]; reflexivity.
  - destruct (exact a) as [g|]; [|discriminate]. destruct (exact b) as [h|]; [|discriminate]. cbn in E.
    inversion E; subst f. apply mul_q_ok; [apply A|apply B]; reflexivity.
  - destruct (exact a) as [g|]; [|discriminate]. destruct (exact b) as [h|]; [|discriminate]. cbn in E.
    apply (div_q_ok g h f); [apply A; reflexivity|apply B; reflexivity|exact E].
Qed.

(* p <= e^u p', exactly. *)

Definition shift (u : Q) (s : esum) : esum := scale (u, 1%Q) s.
Definition minus_one : esum := [(0, -1)]%Q.

Definition at_most (u : Q) (f g : quotient) : bool :=
  if equal (snd f) (snd g) then nonpositive (plus (fst f) (times minus_one (shift u (fst g))))
  else nonpositive (plus (times (fst f) (snd g)) (times minus_one (shift u (times (fst g) (snd f))))).

Lemma minus_one_ok : val minus_one = -1.
Proof. unfold minus_one. rewrite val_cons. unfold term; cbn [fst snd]. rewrite RMicromega.Q2R_0, exp_0. unfold Q2R; cbn. lra. Qed.

Lemma shift_ok u s : val (shift u s) = exp (Q2R u) * val s.
Proof. unfold shift. rewrite scale_ok. unfold term; cbn [fst snd]. rewrite RMicromega.Q2R_1. ring. Qed.

Lemma at_most_ok u f g x y : is f x -> is g y -> at_most u f g = true -> x <= exp (Q2R u) * y.
Proof.
  intros [A B] [C D]. unfold at_most. destruct (equal (snd f) (snd g)) eqn:E; intros H; apply nonpositive_ok in H.
  - apply equal_ok in E. rewrite plus_ok, times_ok, minus_one_ok, shift_ok in H. rewrite B, D, <- E.
    apply (Rmult_le_reg_r (val (snd f))); [exact A|].
    replace (val (fst f) / val (snd f) * val (snd f)) with (val (fst f)) by (field; lra).
    replace (exp (Q2R u) * (val (fst g) / val (snd f)) * val (snd f)) with (exp (Q2R u) * val (fst g)) by (field; lra).
    lra.
  - rewrite plus_ok, !times_ok, minus_one_ok, shift_ok, times_ok in H. rewrite B, D.
    apply (Rmult_le_reg_r (val (snd f) * val (snd g))); [apply Rmult_lt_0_compat; assumption|].
    replace (val (fst f) / val (snd f) * (val (snd f) * val (snd g))) with (val (fst f) * val (snd g)) by (field; lra).
    replace (exp (Q2R u) * (val (fst g) / val (snd g)) * (val (snd f) * val (snd g)))
      with (exp (Q2R u) * (val (fst g) * val (snd f))) by (field; lra).
    lra.
Qed.

(* Comparisons of two probabilities; what is no such quotient means nothing, and compares with nothing. *)

Definition item : Type := option quotient.
Definition means (a : item) (x : R) : Prop := match a with Some f => is f x | None => True end.

Definition most (a b : item) : bool :=
  match a, b with
  | Some f, Some g => at_most upper f g
  | _, _ => false
  end.

Definition least (a b : item) : bool :=
  match a, b with
  | Some f, Some g => positive (fst g) && at_most (- lower) g f
  | _, _ => false
  end.

Definition laws : list (point * list item) := map (fun x => (x, map (fun r => exact (entry x r)) outputs)) all.

Lemma laws_ok : Forall2 (fun e x => fst e = x /\ Forall2 means (snd e) (map (P x) outputs)) laws all.
Proof.
  apply each_left with (P := eq); [apply each_equal|]. intros x y <-. split; [reflexivity|].
  apply each_self. intros r _. unfold means. destruct (exact (entry x r)) eqn:E; [|exact I].
  rewrite <- entry_ok. apply exact_ok, E.
Qed.
