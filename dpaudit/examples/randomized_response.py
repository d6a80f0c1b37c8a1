"""Randomized response (Warner 1965): tell the truth a little more often than not."""

from __future__ import annotations

from fractions import Fraction


class RandomizedResponse:
    """Tells the true answer with odds e^ε : 1 against each of the others."""

    name = "randomized response"

    def __init__(self, epsilon: Fraction, k: int = 2) -> None:
        self.epsilon = epsilon
        self.answers = ["no", "yes"] if k == 2 else [f"answer {i + 1}" for i in range(k)]

    def datasets(self) -> list[str]:
        """The possible true answers; any two of them are neighbors."""
        return self.answers

    def outputs(self) -> list[str]:
        """The same answers."""
        return self.answers

    def log_weight(self, x: str, r: str) -> Fraction:
        """ε for the truth, 0 for the rest."""
        return self.epsilon if r == x else Fraction(0)

    def claimed(self) -> Fraction:
        """ε."""
        return self.epsilon


class SpinnerResponse:
    """Tells the truth with probability p, else the contrary; p is a rational, so ε = ln(p / (1 − p))."""

    name = "randomized response with a spinner"

    def __init__(self, p: Fraction = Fraction(3, 4)) -> None:
        self.p = p

    def datasets(self) -> list[str]:
        """The two true answers."""
        return ["no", "yes"]

    def outputs(self) -> list[str]:
        """The two answers."""
        return ["no", "yes"]

    def probability(self, x: str, r: str) -> Fraction:
        """p for the truth, 1 − p for the contrary."""
        return self.p if x == r else 1 - self.p
