From Coq Require Import Reals ZArith List Lra Lia Bool Arith.
From Coq Require FinFun.
From Interval Require Import Float.Specific_stdz Float.Specific_ops Float.Basic.
From Interval Require Import Interval.Interval Interval.Float_full Real.Xreal.
Import ListNotations.
Open Scope R_scope.
