(* ------------------------------------------------------------------ enclosures, and what they enclose

   The rest of the file is proof. Intervals with whole-number ends (mantissa and exponent, no machine numbers) come from
   the library Interval, with its theorems that each operation encloses the real one. *)

Module F := SpecificFloat StdZRadix2.
Module I := FloatIntervalFull F.

Definition prec := F.PtoP @PRECISION@.
Definition encloses (i : I.type) (x : R) : Prop := contains (I.convert i) (Xreal x).

Lemma encloses_any i x : contains (I.convert i) Xnan -> encloses i x.
Proof. unfold encloses. destruct (I.convert i); simpl; tauto. Qed.

Definition ratio (p : F.precision) (a b : Z) : I.type := I.div p (I.fromZ p a) (I.fromZ p b).

Lemma add_ok p i j x y : encloses i x -> encloses j y -> encloses (I.add p i j) (x + y).
Proof. exact (I.add_correct p i j (Xreal x) (Xreal y)). Qed.

Lemma sub_ok p i j x y : encloses i x -> encloses j y -> encloses (I.sub p i j) (x - y).
Proof. exact (I.sub_correct p i j (Xreal x) (Xreal y)). Qed.

Lemma mul_ok p i j x y : encloses i x -> encloses j y -> encloses (I.mul p i j) (x * y).
Proof. exact (I.mul_correct p i j (Xreal x) (Xreal y)). Qed.

Lemma neg_ok i x : encloses i x -> encloses (I.neg i) (- x).
Proof. exact (I.neg_correct i (Xreal x)). Qed.

Lemma abs_ok i x : encloses i x -> encloses (I.abs i) (Rabs x).
Proof. exact (I.abs_correct i (Xreal x)). Qed.

Lemma exp_ok p i x : encloses i x -> encloses (I.exp p i) (exp x).
Proof. exact (I.exp_correct p i (Xreal x)). Qed.

Lemma fromZ_ok p a : encloses (I.fromZ p a) (IZR a).
Proof. apply I.fromZ_correct. Qed.

Lemma pi_ok p : encloses (I.pi p) PI.
Proof. apply I.pi_correct. Qed.

Lemma div_ok p i j x y : encloses i x -> encloses j y -> encloses (I.div p i j) (x / y).
Proof.
  intros A B. pose proof (I.div_correct p i j (Xreal x) (Xreal y) A B) as C.
  simpl in C. unfold Xdiv' in C. destruct (is_zero y); [apply encloses_any|]; exact C.
Qed.

Lemma sqrt_ok p i x : encloses i x -> encloses (I.sqrt p i) (sqrt x).
Proof.
  intros A. pose proof (I.sqrt_correct p i (Xreal x) A) as C. exact C.
Qed.

Lemma ln_ok p i x : encloses i x -> encloses (I.ln p i) (ln x).
Proof.
  intros A. pose proof (I.ln_correct p i (Xreal x) A) as C.
  simpl in C. unfold Xln' in C. destruct (is_positive x); [|apply encloses_any]; exact C.
Qed.

Lemma ratio_ok p a b : encloses (ratio p a b) (IZR a / IZR b).
Proof. apply div_ok; apply fromZ_ok. Qed.

(* i <= j for certain. *)

Definition below (i j : I.type) : bool :=
  match I.sign_large (I.sub prec i j) with Xlt | Xeq => true | _ => false end.

Lemma below_ok i j x y : encloses i x -> encloses j y -> below i j = true -> x <= y.
Proof.
  intros A B. pose proof (sub_ok prec i j x y A B) as C. unfold below.
  pose proof (I.sign_large_correct (I.sub prec i j)) as S.
  destruct (I.sign_large (I.sub prec i j)); try discriminate; intros _; specialize (S _ C).
  - inversion S. lra.
  - destruct S as [_ S]. simpl in S. lra.
Qed.

(* Lists of enclosures, one by one. *)

Lemma each_map {A B C D} (P : A -> B -> Prop) (Q : C -> D -> Prop) (f : A -> C) (g : B -> D) l m :
  Forall2 P l m -> (forall a b, In b m -> P a b -> Q (f a) (g b)) -> Forall2 Q (map f l) (map g m).
Proof.
  intros E H. induction E as [|a b l m p E IH]; simpl; constructor.
  - apply H; [now left|exact p].
  - apply IH. intros; apply H; [now right|assumption].
Qed.

Lemma each_self {A} {C} {D} (Q : C -> D -> Prop) (f : A -> C) (g : A -> D) l :
  (forall a, In a l -> Q (f a) (g a)) -> Forall2 Q (map f l) (map g l).
Proof.
  induction l as [|a l IH]; simpl; intros H; constructor; [apply H; now left|apply IH; intros; apply H; now right].
Qed.

Lemma each_left {A B C} (P : A -> B -> Prop) (Q : C -> B -> Prop) (f : A -> C) l m :
  Forall2 P l m -> (forall a b, P a b -> Q (f a) b) -> Forall2 Q (map f l) m.
Proof. intros E H. induction E; simpl; constructor; auto. Qed.

Lemma each_equal {A} (l : list A) : Forall2 eq l l.
Proof. induction l; constructor; auto. Qed.

Lemma each_filter {A B} (P : A -> B -> Prop) p q l m :
  Forall2 P l m -> (forall a b, P a b -> p a = q b) -> Forall2 P (filter p l) (filter q m).
Proof.
  intros E H. induction E as [|a b l m c E IH]; simpl; [constructor|].
  rewrite (H a b c). destruct (q b); [constructor; assumption|assumption].
Qed.

Lemma each_found {A B} (P : A -> B -> Prop) l m b : Forall2 P l m -> In b m -> exists a, In a l /\ P a b.
Proof.
  intros E. induction E as [|a c l m p E IH]; intros I; [contradiction|].
  destruct I as [<-|I]; [exists a; split; [now left|exact p]|].
  destruct (IH I) as [d [J K]]. exists d; split; [now right|exact K].
Qed.

Definition total_i (p : F.precision) (l : list I.type) : I.type := fold_right (I.add p) (I.fromZ p 0) l.

Lemma total_ok p l m : Forall2 encloses l m -> encloses (total_i p l) (total m).
Proof. intros E. induction E; simpl; [apply fromZ_ok|apply add_ok; assumption]. Qed.
