@@ constant definition
(* The documents' constant. *)

Definition Delta (x : list nat) : R := sqrt (1 - PI / 4).
@@ constant proof
Definition constant_i : I.type := I.sqrt prec (I.sub prec (I.fromZ prec 1) (I.div prec (I.pi prec) (I.fromZ prec 4))).
Definition Delta_i (e : row) : I.type := constant_i.

Lemma Delta_ok e x : row_ok H e x -> encloses (Delta_i e) (Delta x).
Proof. intros _. unfold Delta_i, constant_i, Delta. apply sqrt_ok, sub_ok; [apply fromZ_ok|apply div_ok; [apply pi_ok|apply fromZ_ok]]. Qed.
@@ global definition
(* The global sensitivity of this model. *)

Definition Delta (x : list nat) : R := largest (map LS all).
@@ global proof
Definition global_i : I.type := largest_i (map snd local_rows).
Definition Delta_i (e : row) : I.type := global_i.

Lemma Delta_ok e x : row_ok H e x -> encloses (Delta_i e) (Delta x).
Proof. intros _. unfold Delta_i, global_i, Delta. apply largest_ok. eapply each_map; [exact local_rows_ok|]. intros z y _ [_ L]. exact L. Qed.
@@ local definition
Definition Delta (x : list nat) : R := LS x.
@@ local proof
Definition Delta_i (e : row) : I.type := LS_i e.

Lemma Delta_ok e x : row_ok H e x -> encloses (Delta_i e) (Delta x).
Proof. apply LS_ok. Qed.
@@ smooth definition
(* The smooth sensitivity, from the local sensitivity of every data set z and its distance. *)

Definition smooth (x : list nat) : R :=
  largest (map (fun z => 1 / (1 / LS z + gamma * IZR (Z.of_nat (steps x z)))) all).
@@ smooth proof
Definition smooth_i (e : row) : I.type :=
  largest_i (map (fun z => I.div prec (I.fromZ prec 1) (I.add prec (I.div prec (I.fromZ prec 1) (snd z))
    (I.mul prec gamma_i (I.fromZ prec (Z.of_nat (steps (fst e) (fst (fst z)))))))) local_rows).

Lemma smooth_ok e x : row_ok H e x -> encloses (smooth_i e) (smooth x).
Proof.
  intros [<- _]. unfold smooth_i, smooth. apply largest_ok. eapply each_map; [exact local_rows_ok|].
  intros z y _ [[<- _] L]. apply div_ok; [apply fromZ_ok|]. apply add_ok; [apply div_ok; [apply fromZ_ok|exact L]|].
  apply mul_ok; [exact gamma_ok|apply fromZ_ok].
Qed.
@@ EHDS definition
Definition Delta (x : list nat) : R := (1 + gamma) * smooth x.
@@ EHDS proof
Definition Delta_i (e : row) : I.type := I.mul prec (I.add prec (I.fromZ prec 1) gamma_i) (smooth_i e).

Lemma Delta_ok e x : row_ok H e x -> encloses (Delta_i e) (Delta x).
Proof. intros E. unfold Delta_i, Delta. apply mul_ok; [apply add_ok; [apply fromZ_ok|exact gamma_ok]|apply smooth_ok, E]. Qed.
@@ MH definition
Definition Delta (x : list nat) : R := smooth x.
@@ MH proof
Definition Delta_i (e : row) : I.type := smooth_i e.

Lemma Delta_ok e x : row_ok H e x -> encloses (Delta_i e) (Delta x).
Proof. apply smooth_ok. Qed.
@@ MHdelta definition
(* The exponential smooth sensitivity, from the local sensitivity of every data set z and its distance. *)

Definition gamma : R := ln (1 - epsilon / (2 * ln (delta / (2 * IZR (Z.of_nat n + 1))))).
Definition Delta (x : list nat) : R :=
  largest (map (fun z => LS z * exp (- (gamma * IZR (Z.of_nat (steps x z))))) all).
@@ MHdelta proof
Definition gamma_i : I.type :=
  let tail := I.ln prec (I.div prec delta_i (I.mul prec (I.fromZ prec 2) (I.fromZ prec (Z.of_nat n + 1)))) in
  I.ln prec (I.sub prec (I.fromZ prec 1) (I.div prec epsilon_i (I.mul prec (I.fromZ prec 2) tail))).

Lemma gamma_ok : encloses gamma_i gamma.
Proof.
  unfold gamma_i, gamma. apply ln_ok, sub_ok; [apply fromZ_ok|]. apply div_ok; [exact epsilon_ok|]. apply mul_ok; [apply fromZ_ok|].
  apply ln_ok, div_ok; [exact delta_ok|]. apply mul_ok; apply fromZ_ok.
Qed.

(* e^(-gamma m), m = 0..n, once. *)

Definition fade_i (m : nat) : I.type := I.exp prec (I.neg (I.mul prec gamma_i (I.fromZ prec (Z.of_nat m)))).
Definition fades : list I.type := map fade_i (seq 0 (S n)).

Lemma fade_ok m : encloses (nth m fades I.nai) (exp (- (gamma * IZR (Z.of_nat m)))).
Proof.
  unfold fades. destruct (Nat.lt_ge_cases m (S n)) as [L|L].
  - rewrite nth_indep with (d' := fade_i 0) by (rewrite map_length, seq_length; exact L).
    rewrite map_nth, seq_nth by exact L. unfold fade_i. apply exp_ok, neg_ok, mul_ok; [exact gamma_ok|apply fromZ_ok].
  - rewrite nth_overflow by (rewrite map_length, seq_length; exact L). apply encloses_any. rewrite I.nai_correct. exact I.
Qed.

Definition Delta_i (e : row) : I.type :=
  largest_i (map (fun z => I.mul prec (snd z) (nth (steps (fst e) (fst (fst z))) fades I.nai)) local_rows).

Lemma Delta_ok e x : row_ok H e x -> encloses (Delta_i e) (Delta x).
Proof.
  intros [<- _]. unfold Delta_i, Delta. apply largest_ok. eapply each_map; [exact local_rows_ok|].
  intros z y _ [[<- _] L]. apply mul_ok; [exact L|apply fade_ok].
Qed.
