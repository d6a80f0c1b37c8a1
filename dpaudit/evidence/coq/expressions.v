Inductive expr : Type :=
| Num (q : Q)
| Exp (q : Q)
| Add (a b : expr)
| Mul (a b : expr)
| Div (a b : expr).

Fixpoint value (e : expr) : R :=
  match e with
  | Num q => Q2R q
  | Exp q => exp (Q2R q)
  | Add a b => value a + value b
  | Mul a b => value a * value b
  | Div a b => value a / value b
  end.

Definition total (l : list R) : R := fold_right Rplus 0 l.

