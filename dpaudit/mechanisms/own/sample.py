"""A user's own mechanism given by its code, ``sample(x, rng)``: the rows of its table, from the law of the code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.code.explore import Budget, Raised
from dpaudit.code.law import CodeLaw, Refused, Session
from dpaudit.code.outputs import nameless
from dpaudit.code.rewrite import import_first
from dpaudit.code.run import INTERRUPTS, defined_at, raised_at
from dpaudit.code.source import source_for
from dpaudit.code.watch import tell
from dpaudit.mechanisms.own.advice import instead
from dpaudit.mechanisms.own.user_code import describe, guarded, no_exit
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import positive, whole
from dpaudit.privacy.protocols import Dataset, Output, text

EXACT_DIGITS = 900
"""An exact law is given exactly, unless its numbers are longer than this."""
GRID = Fraction(1, 1 << 400)
"""The grid to which the ends of an enclosure are rounded outward."""
NO_END = (
    "there is none, or the budget is too small, as it is for dozens of independent bits: give those as coordinates(x)"
)
MAX_SECONDS = 24 * 3600


@dataclass(frozen=True)
class NotFollowed:
    """All outputs of the unexplored paths, together."""

    def __str__(self) -> str:
        return "(not followed)"


class SampledLaws:
    """The laws of sample(x, rng), each computed once."""

    def __init__(self, target: Any, reference: str, name: str) -> None:
        self.target, self.reference, self.name = target, reference, name
        self._session: Session | None = None
        self._laws: dict[Dataset, CodeLaw] = {}

    def law(self, x: Dataset) -> CodeLaw:
        """The law of sample(x, rng)."""
        if x not in self._laws:
            self._laws[x] = self._compute(x)
        return self._laws[x]

    def _opened(self) -> Session:
        """What the runs of this audit share."""
        if self._session is None:
            self._session = Session(self._budget())
        return self._session

    def _compute(self, x: Dataset) -> CodeLaw:
        session = self._opened()
        function = self.target.function if isinstance(self.target, FunctionSampler) else self.target.sample
        named = self.target.given if isinstance(self.target, FunctionSampler) else {}
        try:
            rng = source_for(function)
            with no_exit():
                import_first(function)
                law = session.law(function, (x, rng), named, self.target, defined_at(function))
        except Refused as reason:
            claims = callable(getattr(self.target, "claimed", None))
            file = "" if isinstance(self.target, FunctionSampler) else self.reference
            raise self._error(f"sample({text(x)}, rng): {reason}{instead(function, file, claims)}") from None
        except KeyboardInterrupt as error:
            if error not in INTERRUPTS:  # not by the person before the screen
                raise self._error(f"sample({text(x)}, rng): {raised_at(error)}{describe(error)}") from None
            raise
        except BaseException as error:  # an exit, or an exception that no code should catch
            return guarded(self.reference, _raise, error)  # type: ignore[no-any-return]
        kind = next((found for found in map(nameless, law.outputs) if found), None)
        if kind is not None:
            raise self._error(f"sample({text(x)}, rng): the output is a {kind}; return numbers, text or tuples of them")
        return law

    def _error(self, rule: str) -> InputError:
        return InputError("mech", self.reference, f"{self.name} {rule}")

    def _budget(self) -> Budget:
        given = guarded(self.reference, lambda: getattr(self.target, "budget", {}))
        if not isinstance(given, Mapping) or not set(given) <= {"residual", "runs", "seconds"}:
            raise self._error('budget must be a dict of "residual", "runs", "seconds"')
        usual = Budget()
        residual = positive("budget residual", given.get("residual", usual.residual))
        if residual >= 1:
            raise InputError("budget residual", residual, "must be below 1: it is a probability")
        return Budget(
            residual,
            whole("budget runs", given.get("runs", usual.runs), 1),
            whole("budget seconds", given.get("seconds", int(usual.seconds)), 1, MAX_SECONDS),
            border=residual if "residual" in given else usual.border,
        )

    def outputs(self, datasets: Sequence[Dataset], listed: Sequence[Output] | None) -> tuple[Output, ...]:
        """The listed outputs, with the exceptions that occur; or all that occur, numbers first, in order."""
        laws: list[tuple[Dataset, CodeLaw]] = []
        for x in datasets:
            if x not in self._laws:
                tell(len(laws), len(datasets), self._opened().budget.seconds)
            laws.append((x, self.law(x)))
        if not any(law.outputs for _, law in laws):
            at = next((law.endless for _, law in laws if law.endless), "")
            raise self._error(f"{at}no path of its code was followed to an end: {NO_END}")
        if all(len(law.outputs) == 1 and law.errors for _, law in laws):
            (raised,) = laws[0][1].outputs
            at = laws[0][1].raised_at.get(raised, "")
            raise self._error(f"sample({text(laws[0][0])}, rng) always {raised}: {at}{laws[0][1].errors[raised]}")
        found = {_kind(output): (x, output) for x, law in laws for output in law.outputs}
        raising = sorted((output for _, output in found.values() if isinstance(output, Raised)), key=str)
        if listed is not None:
            known = {_kind(output) for output in listed}
            for kind, (x, output) in found.items():
                if kind not in known and not isinstance(output, Raised):
                    raise self._error(f"sample({text(x)}, rng) gives {text(output)}, which outputs() does not list")
            endless = (NotFollowed(),) if any(law.endless for _, law in laws) else ()
            return (*listed, *raising, *endless)
        plain = sorted((output for _, output in found.values() if not isinstance(output, Raised)), key=_order)
        rest = (NotFollowed(),) if any(law.residual for _, law in laws) else ()
        return (*plain, *raising, *rest)

    @staticmethod
    def has_rest(outputs: Sequence[Output]) -> bool:
        """Whether the last output represents the unexplored paths."""
        return isinstance(outputs[-1], NotFollowed)

    def entries(self, x: Dataset, outputs: Sequence[Output]) -> list[Any]:
        """The probabilities: exactly, or as pairs (lower, upper) if some paths are unexplored."""
        law = self.law(x)
        known = {_kind(output): p for output, p in zip(law.outputs, law.lower, strict=True)}
        found = [known.get(_kind(output), Fraction(0)) for output in outputs]
        longest = 10**EXACT_DIGITS
        if not law.residual and all(p.denominator < longest for p in found):
            return found
        return [(_down(p), min(Fraction(1), -_down(-p - law.residual))) for p in found]

    def caveats(self, datasets: Sequence[Dataset], listed: bool) -> dict[str, Any]:
        """The assumptions of the answer: "assumptions"; and "residual", the largest mass of the unexplored paths.

        "notes" say how the code was followed where that is unusual. If the time limit ended it, also "timed": another
        run has another residual.
        """
        laws = [self.law(x) for x in datasets]
        steps = sorted({step for law in laws for step in law.assumptions})
        said = [
            step if " " in step else f"{step} is monotone (checked around every point where it matters)"
            for step in steps
        ]
        said.append("the random source is perfect: uniform floats m/2^53, uniform whole numbers, independent")
        residual = max(law.residual for law in laws)
        if any(isinstance(output, Raised) for law in laws for output in law.outputs):
            said.append("of an exception the class alone is seen: not its message, its traceback or an exit code")
        if residual and listed and not any(law.endless for law in laws):
            said.append("every unexplored path ends in one of outputs()")
        notes: list[str] = []
        boxed = next((law.boxed for law in laws if law.boxed and law.residual), None)
        if boxed is not None:
            notes.append(f"{boxed}several draws with many values decide jointly there; the boundary is not explored")
        unrolled = next((law for law in laws if law.unrolled is not None and not law.boxed), None)
        if unrolled is not None and unrolled.unrolled is not None:
            line, why = unrolled.unrolled
            rest = decimal_up(unrolled.residual)
            words = f"{line}: this loop is unrolled, residual {rest}: {why}"
            notes.append(words if line else f"{why}; nothing is merged from there on, residual {rest}")
        endless = next((law.endless for law in laws if law.endless), None)
        if endless:
            notes.append(f"{endless}a run was abandoned there as endless; it counts as unexplored")
        timed = {"timed": True} if any(law.timed for law in laws) else {}
        more = {"notes": notes} if notes else {}
        return {"assumptions": said, "residual": decimal_up(residual), **more, **timed}


def _raise(error: BaseException) -> None:
    raise error


def decimal_up(value: Fraction) -> str:
    """A decimal of about 3 digits that is not below the value."""
    return at_most(value, 3)


def _down(value: Fraction) -> Fraction:
    return value // GRID * GRID


def _kind(output: Output) -> Any:
    """A key under which 1, 1.0 and True are three, and a set is one in whatever order."""
    if isinstance(output, frozenset):
        return type(output), frozenset(map(_kind, output))
    return type(output), tuple(map(_kind, output)) if isinstance(output, tuple) else repr(output)


def _order(output: Output) -> Any:
    if isinstance(output, int | float) and not isinstance(output, bool) and output == output:
        return 0, output, ""
    if isinstance(output, tuple):
        return 1, tuple(map(_order, output)), ""
    return 2, (), text(output)


class FunctionSampler:
    """A function sample(x, rng), with its data sets."""

    def __init__(self, function: Callable[..., Any], data: Sequence[Any], given: dict[str, Any]) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self.formula = (function.__doc__ or "(no description)").strip().splitlines()[0]
        self.function, self._data = function, data
        self.given = given
        if "epsilon" in given or "eps" in given:
            self.epsilon = given.get("epsilon", given.get("eps"))

    def datasets(self) -> Sequence[Any]:
        """The data sets."""
        return self._data

    def sample(self, x: Any, rng: Any) -> Any:
        """One output."""
        return self.function(x, rng, **self.given)
