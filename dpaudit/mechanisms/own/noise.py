"""A user's own mechanism given by code with ideal noise, ``sample(x, noise: dpaudit.Noise)``: its laws.

Finitely many outputs become an exact table, as any other mechanism's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dpaudit.code.context import in_place
from dpaudit.code.run import Refused as Drawn
from dpaudit.mechanisms.own.user_code import guarded, no_exit
from dpaudit.noise.constraints import Cyclic
from dpaudit.noise.densities import Part, parts, reals
from dpaudit.noise.explore import Explored, explore
from dpaudit.noise.kept import kept
from dpaudit.noise.law import IDEAL, FiniteLaw, NotFollowed, entry, finite_law, kind_of, order_of, takes_noise
from dpaudit.noise.linear import Refused
from dpaudit.noise.trees import TooComplex
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.protocols import Dataset, Output, text

if TYPE_CHECKING:
    from dpaudit.mechanisms.own.sample import SampledLaws

ELSEWHERE = "draws from another source than noise: take noise.uniform(a, b), noise.bernoulli(p) or another of its draws"


class NoiseLaws:
    """The laws of sample(x, noise), each computed once."""

    def __init__(self, target: Any, reference: str, name: str) -> None:
        self.target, self.reference, self.name = target, reference, name
        self._paths: dict[Dataset, Explored] = {}
        self._laws: dict[Dataset, FiniteLaw] = {}

    def _error(self, rule: str) -> InputError:
        return InputError("mech", self.reference, f"{self.name} {rule}")

    def explored(self, x: Dataset) -> Explored:
        """The paths of sample(x, noise)."""
        if x not in self._paths:
            self._paths[x] = self.careful(x, lambda: self._explore(x))
        return self._paths[x]

    def _explore(self, x: Dataset) -> Explored:
        sample, function = self.target.sample, getattr(self.target, "function", self.target.sample)
        try:
            with no_exit(), in_place(self.target):
                found = explore(lambda noise: sample(x, noise), lambda: kept(self.target, function))
        except Drawn as reason:
            at = re.match(r".*? line \d+: ", str(reason))
            raise Refused(f"{at[0] if at else ''}{ELSEWHERE}") from None
        if not found.paths:
            raise Refused(f"{found.cut_at}no path through the code ends: bound this loop")
        return found

    def careful(self, x: Dataset, compute: Callable[[], Any]) -> Any:
        """The result of ``compute``; a failure becomes one line with the data set, the file and the line."""
        try:
            return guarded(self.reference, _caught, compute)
        except InputError as reason:
            at = "" if " line " in reason.rule else self._start()
            more = "; or give its table, dpaudit table pmf.csv, or counts, dpaudit samples counts.csv"
            raise self._error(f"sample({text(x)}, noise): {at}{reason.rule}{more}") from None

    def _start(self) -> str:
        """The file and the first line of the code."""
        code = getattr(getattr(self.target, "function", self.target.sample), "__code__", None)
        return "" if code is None else f"{Path(code.co_filename).name} line {code.co_firstlineno}: "

    def has_reals(self, datasets: Sequence[Dataset]) -> bool:
        """Whether any output has a real part."""
        return any(reals(path.output) for x in datasets for path in self.explored(x).paths)

    def law(self, x: Dataset) -> FiniteLaw:
        """The law of sample(x, noise), whose outputs have no real part."""
        if x not in self._laws:
            self._laws[x] = self.careful(x, lambda: finite_law(self.explored(x)))
        return self._laws[x]

    def outputs(self, datasets: Sequence[Dataset], listed: Sequence[Output] | None) -> tuple[Output, ...]:
        """The listed outputs, or all that occur: numbers first, in order."""
        laws = [(x, self.law(x)) for x in datasets]
        found = {kind: (x, output) for x, law in laws for kind, (output, _) in law.values.items()}
        rest = (NotFollowed(),) if any(law.residual for _, law in laws) else ()
        if listed is None:
            return (*sorted((output for _, output in found.values()), key=order_of), *rest)
        known = {kind_of(output) for output in listed}
        for kind, (x, output) in found.items():
            if kind not in known:
                raise self._error(f"sample({text(x)}, noise) gives {text(output)}, which outputs() does not list")
        return (*listed, *rest)

    @staticmethod
    def has_rest(outputs: Sequence[Output]) -> bool:
        """Whether the last output represents the unexplored paths."""
        return isinstance(outputs[-1], NotFollowed)

    def entries(self, x: Dataset, outputs: Sequence[Output]) -> list[Any]:
        """The probabilities: rationals, expressions, or pairs (lower, upper)."""
        law = self.law(x)
        values = {kind: value for kind, (_, value) in law.values.items()}
        return [entry(values.get(kind_of(output)), law.residual) for output in outputs]

    def real_law(self, x: Dataset) -> dict[Any, Part]:
        """The law of sample(x, noise), whose outputs have real parts."""
        explored = self.explored(x)
        if not explored.complete:
            rule = "too many branches for an output with real parts: bound this loop"
            raise self._error(f"sample({text(x)}, noise): {explored.cut_at}{rule}")
        return cast(dict[Any, Part], self.careful(x, lambda: parts(explored.paths)))

    def caveats(self, datasets: Sequence[Dataset], listed: bool) -> dict[str, Any]:
        """The "assumptions" of the answer; and "residual", the largest probability of the unexplored paths."""
        del listed
        laws = [self.law(x) for x in datasets]
        residual = max(law.residual for law in laws)
        cut = next((self.explored(x).cut_at for x in datasets if not self.explored(x).complete), "")
        notes = {"notes": [f"{cut}the paths beyond this branch are not explored, residual {at_most(residual, 3)}"]}
        return {"assumptions": [IDEAL], "residual": at_most(residual, 3), **(notes if residual else {})}


def _caught(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except (Refused, Cyclic, TooComplex) as reason:
        raise InputError("mech", "", str(reason)) from None


def laws_of(target: Any, reference: str, name: str) -> NoiseLaws | SampledLaws:
    """The laws of a user's code: with ideal noise where its annotation says so, else with a random source."""
    if takes_noise(target):
        return NoiseLaws(target, reference, name)
    from dpaudit.mechanisms.own.sample import SampledLaws

    return SampledLaws(target, reference, name)
